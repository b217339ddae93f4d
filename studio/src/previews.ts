// previews.ts: lands for a quick look while a slider is dragged: how large one may be to be there at once, and whether
// idle time may be spent on making the steps before it.

/** Cells along a side, from the coarsest on. A land that is smaller than the last has no preview of that size. */
const SIDES = [32, 64, 128, 256];
/** What takes no longer than this, in milliseconds, is seen as there at once. */
const AT_ONCE = 80;

/** The sizes in which a list of steps is shown, one after the other; 0: how large it is nobody knows yet. */
export function sidesOf(whole: number): number[] {
    const last = SIDES.at(-1)!;
    return whole === 0 || whole > last ? SIDES : [...SIDES.filter((side) => side < whole), whole];
}

/** How long the steps of lists took. */
export class Costs {
    private known = new Map<number, { lines: string[]; ms: (number | null)[] }>();

    /** Another engine, or another file: what was made is not there any more. */
    clear(): void { this.known.clear(); }

    note(side: number, lines: string[], ms: (number | null)[]): void { this.known.set(side, { lines, ms }); }

    has(side: number, lines: string[]): boolean {
        const known = this.known.get(side);
        return known !== undefined && known.lines.join('\n') === lines.join('\n') && !known.ms.includes(null);
    }

    /** That the first steps of a list took up to this one, the last of them alone; null: not known. */
    msOf(side: number, lines: string[], i: number): number | null {
        const known = this.known.get(side);
        return known && lines.slice(0, i + 1).every((line, j) => line === known.lines[j]) ? known.ms[i] : null;
    }

    /** Of one that differs in the parameters of some steps: what all from the first of them on took; Infinity where
     *  that is not known. */
    guess(side: number, lines: string[]): number {
        const known = this.known.get(side);
        if (!known || known.lines.length !== lines.length)
            return Infinity;
        const first = lines.findIndex((line, i) => line !== known.lines[i]);
        return first < 0 ? 0 : known.ms.slice(first).reduce((sum: number, ms) => sum + (ms ?? Infinity), 0);
    }

    /** The place of the step that takes longest: slices of those before it are of a land that is far from done. */
    slowest(side: number, lines: string[]): number {
        const ms = this.known.get(side)?.ms ?? [];
        return ms.length === lines.length ? ms.reduce((best: number, each, i) => ((each ?? 0) > (ms[best] ?? 0) ? i : best), 0) : 0;
    }

    /** Could it not be made, when it was tried? */
    private isFailed(side: number): boolean { return this.known.get(side)?.ms.includes(Infinity) ?? false; }

    /** The largest size that is there at once, else the smallest of those that can be made. */
    firstOf(sides: number[], linesOf: (side: number) => string[]): number {
        return sides.findLast((side) => this.guess(side, linesOf(side)) <= AT_ONCE) ?? sides.find((side) => !this.isFailed(side)) ?? sides[0];
    }
}

interface Battery { charging: boolean; level: number }
interface Device extends Navigator {
    getBattery?: () => Promise<Battery>;
    connection?: { saveData?: boolean };
}

/** The sizes that may be made in idle time, coarsest first: none where nobody looks or little power is left, and not the
 *  finest, which takes most of the work, on a battery or a telephone. */
export async function idleSides(whole: number): Promise<number[]> {
    const device = navigator as Device;
    if (document.hidden || device.connection?.saveData)
        return [];
    const battery = await device.getBattery?.().catch(() => null);
    if (battery && !battery.charging && battery.level < 0.3)
        return [];
    const isSparing = (battery && !battery.charging) || matchMedia('(pointer: coarse)').matches;
    return isSparing ? sidesOf(whole).slice(0, -1) : sidesOf(whole);
}
