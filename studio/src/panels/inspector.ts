// inspector.ts: what was measured: heights, where the ground went, river checks, the hash.
import { cubic, duration, h, icon, metres, pretty } from '../dom';
import { engineName } from './dialogs';
import type { Frame, Session } from '../session';
import type { Figure } from '../engine/messages';

const BINS = 48;

export class Inspector {
    readonly element: HTMLElement;
    private readonly bars = h('canvas', { className: 'histogram', width: BINS * 6, height: 64, role: 'img' });
    private readonly range = h('div', { className: 'range' });
    private readonly book = h('div', { className: 'book', role: 'img' });
    private readonly bookKey = h('div', { className: 'key' });
    private readonly bookPart = h('div', {});
    private readonly checks = h('div', { className: 'checks' });
    private readonly facts = h('dl', { className: 'facts' });
    private readonly measure: HTMLButtonElement;
    private readonly title = h('h2', {}, 'This land');
    private readonly ofLand: HTMLElement[];

    constructor(private readonly session: Session) {
        this.measure = h('button', { type: 'button', className: 'small', onclick: () => void this.check() }, 'Check');
        this.bookPart.append(h('h2', {}, 'Where the ground went'), this.book, this.bookKey);
        this.ofLand = [h('div', {}, h('h2', {}, 'Heights'), this.bars, this.range), this.bookPart,
            h('div', {}, h('div', { className: 'head' }, h('h2', {}, 'River checks'), this.measure), this.checks)];
        this.element = h('section', { className: 'inspector', 'aria-label': 'What was measured' },
            ...this.ofLand, this.title, this.facts);
    }

    private async check(): Promise<void> {
        this.measure.disabled = true;
        this.measure.textContent = 'Checking';
        try {
            await this.session.measure();
        } catch { /* a newer run has come in between */ }
        this.measure.disabled = false;
        this.measure.textContent = 'Check';
    }

    /** A histogram of the heights. */
    frame(frame: Frame): void {
        const heights = frame.fields.get('height');
        if (!heights)
            return;
        let low = Infinity, high = -Infinity;
        for (const value of heights) {
            if (value < low) low = value;
            if (value > high) high = value;
        }
        const counts = new Float32Array(BINS), scale = BINS / Math.max(high - low, 1e-9);
        for (let i = 0; i < heights.length; i += 3)
            counts[Math.min(BINS - 1, Math.floor((heights[i] - low) * scale))]++;
        const top = Math.max(...counts), paint = this.bars.getContext('2d')!;
        paint.clearRect(0, 0, this.bars.width, this.bars.height);
        paint.fillStyle = getComputedStyle(this.element).getPropertyValue('--bar');
        counts.forEach((count, i) => {
            const size = Math.max(count > 0 ? 1 : 0, (count / top) * 62);
            paint.fillRect(i * 6, 64 - size, 5, size);
        });
        this.range.replaceChildren(h('span', {}, metres(low)), h('span', {}, metres(high)));
        this.bars.setAttribute('aria-label', `Heights from ${metres(low)} to ${metres(high)}`);
    }

    update(): void {
        const { session } = this, ledger = session.ledger();
        this.ofLand.forEach((part) => { part.hidden = session.scene !== null; });
        this.title.textContent = session.scene ? 'This frame' : 'This land';
        this.bookPart.hidden = !ledger || session.scene !== null;
        if (ledger) {
            const whole = ledger.deposited + ledger.left_map + ledger.suspended || 1;
            const parts: [string, string, number][] = [
                ['deposited', 'deposited', ledger.deposited], ['left', 'left the map', ledger.left_map],
                ['suspended', 'suspended', ledger.suspended]];
            this.book.replaceChildren(...parts.map(([name, , volume]) => {
                const part = h('i', { className: name });
                part.style.width = `${(100 * volume) / whole}%`;
                return part;
            }));
            this.book.setAttribute('aria-label', parts.map(([, label, volume]) => `${label} ${cubic(volume)}`).join(', '));
            this.bookKey.replaceChildren(h('span', {}, h('b', {}, 'eroded'), cubic(ledger.eroded)),
                ...parts.map(([name, label, volume]) => h('span', {}, h('i', { className: name }), h('b', {}, label), cubic(volume))));
        }
        this.measure.hidden = session.state === 'running' || session.state === 'held';
        const checks = session.figures.filter(({ min, max }) => min !== null || max !== null);
        this.checks.replaceChildren(...(checks.length > 0 ? checks.map(gate)
            : [h('p', { className: 'quiet' }, 'Does water run as on real land? Five figures say.')]));
        this.say();
    }

    private say(): void {
        const { session } = this, { land, about } = session;
        const rows: [string, string | HTMLElement][] = [];
        const shown = session.result(session.scrubbed ?? session.steps.length)?.land ?? land;
        if (shown && !session.scene) {
            rows.push(['size', `${shown.width} x ${shown.height} cells of ${pretty(shown.cell)} m`]);
            const isWhole = session.state === 'done' && !session.isPreview && session.scrubbed === null;
            if (session.token && isWhole)
                rows.push(...this.bothHashes());
            else
                rows.push(['hash', session.isPreview || session.state === 'running' ? 'running' : session.state === 'kept' ? 'stopped by hand' : shown.hash]);
        }
        if (session.scene?.frame) {
            const f = session.scene.frame;
            rows.push(['frame', `${f.frame} of ${f.frames}`], ['particles', pretty(f.particles)], ['eroded', cubic(f.ledger.eroded)],
                ['deposited', cubic(f.ledger.deposited)], ['ms a frame', f.ms.toFixed(1)], ['hash', f.hash]);
        }
        if (session.state === 'running' && session.pace)
            rows.push(['ms a slice', session.pace.toFixed(0)]);
        else if (session.ms)
            rows.push(['time', duration(session.ms)]);
        const drops = session.result(session.place)?.drops ?? 0;
        if (drops > 0)
            rows.push(['moves of drops', pretty(drops)]);
        rows.push(['engine', engineName(about)]);
        this.facts.replaceChildren(...rows.flatMap(([name, value]) => [h('dt', {}, name),
            h('dd', { className: name === 'hash' ? 'hash' : '' }, value)]));
    }

    /** Of this machine and of this page: the same where the land is. */
    private bothHashes(): [string, string | HTMLElement][] {
        const { session } = this, { machine, page } = session.hashes;
        const check = session.canCheck ? h('button', { type: 'button', className: 'small', title: 'Makes this land in the page, too, and compares the hashes',
            onclick: () => void session.check() }, 'Make it here, too') : h('span', { className: 'quiet' }, session.isChecking ? 'is made' : 'not made');
        const mark = machine && page ? h('span', { className: `verdict${machine === page ? '' : ' no'}` }, icon(machine === page ? 'tick' : 'close'),
            machine === page ? 'the same land from both' : 'not the same: please report this') : h('span', { className: 'quiet' }, 'made by one engine');
        const hash = (text: string) => h('span', { className: 'hash' }, text);
        return [['hash, machine', machine ? hash(machine) : h('span', { className: 'quiet' }, 'not made')],
            ['hash, page', page ? hash(page) : check], ['', mark]];
    }
}

function gate(figure: Figure): HTMLElement {
    const { value, min, max } = figure;
    const passes = value !== null && (min === null || value >= min) && (max === null || value <= max);
    const number = (n: number) => `${n !== 0 && Math.abs(n) < 0.001 ? 'under 0.001' : +n.toPrecision(2)}${figure.unit ? ` ${figure.unit}` : ''}`;
    const real = min !== null && max !== null ? `${number(min)} to ${number(max)}` : min !== null ? `${number(min)} up` : `to ${number(max!)}`;
    return h('div', { className: `gate${passes ? '' : ' no'}` }, h('i', { 'aria-hidden': 'true' }), h('b', {}, figure.label || figure.name),
        h('span', {}, value === null ? 'not defined' : number(value), passes ? null : h('small', {}, `real: ${real}`)),
        h('span', { className: 'read-out' }, passes ? 'passes' : 'does not pass'));
}
