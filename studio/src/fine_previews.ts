// fine_previews.ts: a coarse preview with the detail of the land that was shown before. While a slider is dragged the
// engine has time for few cells only; what the change does to these is brought to finer ones.
//
// With H the land before, C and D the coarse lands before and after the change, both by the same steps, and S what is
// smooth between coarse cells, the land is S(D) + w (H - S(C)). The share w of the old detail is how alike the finest
// shapes of C and D are (the correlation of their Laplacians, at least 0): with another seed nothing of it stays.
import type { Frame } from './session';

/** Cells along a side of what is shown. */
const SIDE = 256;
/** Less of the old detail is no detail: streams would be where no valleys are. */
const ALIKE = 0.7;
/** Share of the side by which coarse land may end sooner without a crop. */
const SOONER = 0.06;

interface Grid { width: number; height: number; cell: number; heights: Float32Array }

/** Every so many cells. */
function thin(values: Float32Array, width: number, height: number, by: number): Float32Array {
    const w = Math.ceil(width / by), h = Math.ceil(height / by), out = new Float32Array(w * h);
    for (let y = 0, k = 0; y < h; y++)
        for (let x = 0; x < w; x++, k++)
            out[k] = values[y * by * width + x * by];
    return out;
}

/** How alike the finest shapes of two lands are, 0 to 1. */
function alike(a: Float32Array, b: Float32Array, width: number, height: number): number {
    let ab = 0, aa = 0, bb = 0;
    for (let y = 1; y + 1 < height; y++)
        for (let x = 1; x + 1 < width; x++) {
            const i = y * width + x;
            const u = 4 * a[i] - a[i - 1] - a[i + 1] - a[i - width] - a[i + width];
            const v = 4 * b[i] - b[i - 1] - b[i + 1] - b[i - width] - b[i + width];
            ab += u * v;
            aa += u * u;
            bb += v * v;
        }
    return aa > 0 && bb > 0 ? Math.max(0, ab / Math.sqrt(aa * bb)) : 0;
}

/** How fine cells lie on coarse ones: coarse cells a fine one, and where the first is. */
interface Lie { scale: number; x: number; y: number }

/** Of the four cells around each place along an axis: which, and their weights (Catmull and Rom, 1974). */
function weights(count: number, scale: number, first: number, last: number): { at: Int32Array; by: Float32Array } {
    const at = new Int32Array(4 * count), by = new Float32Array(4 * count);
    for (let i = 0; i < count; i++) {
        const x = Math.min(Math.max(first + i * scale, 0), last), from = Math.floor(x), t = x - from;
        const w = [((2 - t) * t - 1) * t / 2, ((3 * t - 5) * t * t + 2) / 2, ((4 - 3 * t) * t + 1) * t / 2, (t - 1) * t * t / 2];
        for (let k = 0; k < 4; k++) {
            at[4 * i + k] = Math.min(Math.max(from + k - 1, 0), last);
            by[4 * i + k] = w[k];
        }
    }
    return { at, by };
}

/** Coarse values between their cells, smoothly. */
function smooth(from: Float32Array, width: number, height: number, lie: Lie, w: number, h: number): Float32Array {
    const x = weights(w, lie.scale, lie.x, width - 1), y = weights(h, lie.scale, lie.y, height - 1), rows = new Float32Array(w * height), out = new Float32Array(w * h);
    for (let j = 0; j < height; j++)
        for (let i = 0; i < w; i++) {
            let sum = 0;
            for (let k = 4 * i; k < 4 * i + 4; k++)
                sum += x.by[k] * from[j * width + x.at[k]];
            rows[j * w + i] = sum;
        }
    for (let j = 0; j < h; j++)
        for (let i = 0; i < w; i++) {
            let sum = 0;
            for (let k = 4 * j; k < 4 * j + 4; k++)
                sum += y.by[k] * rows[y.at[k] * w + i];
            out[j * w + i] = sum;
        }
    return out;
}

/** In as many cells as are shown; `fields` has what is neither height nor water. */
interface Land extends Grid { fields: Map<string, Float32Array> }

/** A land in many cells, and the same in few, by the same steps. */
interface Pair { land: Land; coarse: Grid }

export class FinePreviews {
    private land: Land | null = null;
    /** By the cells along a side that were asked for: what previews of that size are changes to. One of a size that has not been
     *  made of the newest land is a change to an older one. */
    private readonly pairs = new Map<number, Pair>();
    private readonly none = new Set<number>();
    /** The last that was made in so few cells, and its steps. */
    private readonly last = new Map<number, { steps: string; grid: Grid }>();

    /** A whole land, or the finest preview of one, to which previews will be changes. stepsOf: as a preview makes it. */
    begin({ width, height, cell, fields }: Frame, stepsOf: (side: number) => string): void {
        const heights = fields.get('height');
        if (!heights || heights.length !== width * height)
            return;
        const by = Math.max(1, Math.round(Math.max(width, height) / SIDE)), other = new Map<string, Float32Array>();
        for (const [name, values] of fields)
            if (name !== 'height' && name !== 'water' && values.length === heights.length)
                other.set(name, thin(values, width, height, by));
        this.land = { width: Math.ceil(width / by), height: Math.ceil(height / by), cell: cell * by, heights: thin(heights, width, height, by), fields: other };
        this.none.clear();
        for (const [side, { steps, grid }] of this.last)
            if (steps === stepsOf(side))
                this.pair(side, grid);
    }

    private pair(side: number, coarse: Grid): void {
        if (this.land)
            this.pairs.set(side, { land: this.land, coarse });
    }

    /** What steps read is not what it was. */
    clear(): void {
        this.pairs.clear();
        this.none.clear();
        this.last.clear();
    }

    /** The land that began, in few cells. */
    note(side: number, steps: string, grid: Grid): void {
        if (grid.heights.length !== grid.width * grid.height)
            return;
        this.last.set(side, { steps, grid });
        this.pair(side, grid);
    }

    /** It cannot be made in so few cells. */
    noteNone(side: number): void { this.none.add(side); }

    /** Is the land that began known in so few cells? */
    has(side: number): boolean { return (this.land !== null && this.pairs.get(side)?.land === this.land) || this.none.has(side); }

    /** May a slice of a preview be shown? Not one of another size than the land will have, where a finer land is on the screen. */
    fits(side: number, { width, height }: { width: number; height: number }): boolean {
        const coarse = this.pairs.get(side)?.coarse;
        return !coarse || (coarse.width === width && coarse.height === height);
    }

    /** What is shown of a preview by these steps; itself, where nothing finer is known. own: fields that are looked at, beside the
     *  heights. What else lies on the ground is as it was before, where the ground is. */
    refine(side: number, steps: string, frame: Frame, own: string[]): Frame {
        const pair = this.pairs.get(side), heights = frame.fields.get('height');
        if (!frame.isLive && heights)
            this.last.set(side, { steps, grid: { width: frame.width, height: frame.height, cell: frame.cell, heights } });
        if (!pair || !heights || pair.coarse.width !== frame.width || pair.coarse.height !== frame.height
            || Math.abs(frame.cell / pair.coarse.cell - 1) >= 1e-3 || pair.land.width <= 1.5 * frame.width)
            return frame;
        const { land, coarse } = pair;
        const share = alike(coarse.heights, heights, frame.width, frame.height), scale = land.cell / frame.cell;
        const more = Math.max(Math.abs((land.width * scale) / frame.width - 1), Math.abs((land.height * scale) / frame.height - 1));
        // Sizes are whole cells, so that coarse land may end sooner; a crop takes more away, all around. What is beyond is as
        // at the edge, which is seen where much is and the detail is not the old one.
        if (more > (share > ALIKE ? 0.2 : SOONER))
            return frame;
        const isWhole = more <= SOONER, aside = (few: number, many: number) => (isWhole ? 0 : (few - 1 - scale * (many - 1)) / 2);
        const lie = { scale, x: aside(frame.width, land.width), y: aside(frame.height, land.height) };
        const fine = smooth(heights.map((h, i) => h - share * coarse.heights[i]), frame.width, frame.height, lie, land.width, land.height);
        for (let i = 0; i < fine.length; i++)
            fine[i] += share * land.heights[i];
        const fields = new Map(share > ALIKE ? land.fields : []), soft = (values: Float32Array) => smooth(values, frame.width, frame.height, lie, land.width, land.height);
        for (const name of own) {
            const values = frame.fields.get(name);
            if (values?.length === heights.length)
                fields.set(name, soft(values));
        }
        const water = frame.fields.get('water');
        if (water?.length === heights.length)
            fields.set('water', waterOn(fine, soft(water), soft(heights.map((h, i) => h + water[i]))));
        fields.set('height', fine);
        return { ...frame, width: land.width, height: land.height, cell: land.cell, fields };
    }
}

/** Water as high as it stands on the coarse land. */
function waterOn(fine: Float32Array, depth: Float32Array, level: Float32Array): Float32Array {
    return depth.map((d, i) => (d > 0.015 ? Math.max(0, level[i] - fine[i]) : 0));
}
