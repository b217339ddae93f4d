// brush.ts: raises and lowers the land by hand. A stroke becomes steps of the recipe: cones that are added where the
// hand went. So it is undone like any edit, and the command line makes it, too.
import { h, iconButton, metres } from '../dom';
import { newId, type Item } from '../recipe';
import type { Session } from '../session';
import { findStep, writesFiles } from '../table';
import type { LandView } from '../view/land_view';

/** The most cones of a stroke. */
const MOST = 16;

export class Brush {
    readonly element: HTMLElement;
    readonly button: HTMLButtonElement;
    private way: 1 | -1 = 1;
    private stroke: { x: number; y: number }[] | null = null;
    private readonly radius = h('input', { type: 'range', id: 'brush-radius', min: '1', max: '40', value: '10', oninput: () => this.label() });
    private readonly height = h('input', { type: 'range', id: 'brush-height', min: '1', max: '50', value: '12', oninput: () => this.label() });
    private readonly radiusLabel = h('span', {});
    private readonly heightLabel = h('span', {});
    private readonly ways: HTMLButtonElement[];

    constructor(private readonly session: Session, private readonly view: () => LandView) {
        this.ways = ([['Raise', 1], ['Lower', -1]] as const).map(([label, way]) =>
            h('button', { type: 'button', onclick: () => { this.way = way; this.label(); } }, label));
        this.element = h('div', { className: 'brush', role: 'group', 'aria-label': 'Brush', hidden: true },
            h('div', { className: 'ways' }, ...this.ways),
            h('label', { htmlFor: 'brush-radius' }, 'Radius', this.radiusLabel), this.radius,
            h('label', { htmlFor: 'brush-height' }, 'Height', this.heightLabel), this.height);
        this.button = iconButton('brush', 'Raise or lower by hand (E)', () => this.toggle(), { 'aria-pressed': 'false' });
    }

    get isOn(): boolean { return !this.element.hidden; }

    toggle(): void {
        this.element.hidden = !this.element.hidden;
        this.button.setAttribute('aria-pressed', String(this.isOn));
        this.view().orbits = !this.isOn;
        this.view().setBrush(null, 0);
        this.label();
    }

    private get grid() { return this.view().land.grid; }

    /** In metres: shares of the map and of its relief. */
    private get size(): { radius: number; height: number } {
        const grid = this.grid, { x, y } = this.view().land.span;
        const extent = grid ? Math.max(grid.width, grid.height) * grid.cell : 1000;
        return { radius: +((extent * +this.radius.value) / 100).toPrecision(3), height: +((Math.max(y - x, 10) * +this.height.value) / 100).toPrecision(3) };
    }

    private label(): void {
        const { radius, height } = this.size;
        this.radiusLabel.textContent = metres(radius);
        this.heightLabel.textContent = metres(this.way * height);
        this.ways.forEach((button, i) => button.setAttribute('aria-pressed', String((i === 0) === (this.way === 1))));
        for (const slider of [this.radius, this.height])
            slider.style.setProperty('--at', `${((+slider.value - +slider.min) / (+slider.max - +slider.min)) * 100}%`);
    }

    over(event: PointerEvent): void {
        if (!this.isOn)
            return;
        const hit = this.view().pick(event.clientX, event.clientY), { radius } = this.size;
        this.view().setBrush(hit, radius);
        if (!hit || !this.stroke || this.stroke.length >= MOST)
            return;
        const last = this.stroke.at(-1)!, cell = this.grid!.cell;
        if (Math.hypot(hit.x - last.x, hit.y - last.y) * cell > 0.6 * radius)
            this.stroke.push(hit);
    }

    leave(): void { if (this.isOn && !this.stroke) this.view().setBrush(null, 0); }

    down(event: PointerEvent): void {
        const hit = this.isOn && event.button === 0 && !this.session.scene ? this.view().pick(event.clientX, event.clientY) : null;
        this.stroke = hit ? [hit] : null;
    }

    up(event: PointerEvent): void {
        this.over(event);
        const { stroke } = this, cell = this.grid?.cell ?? 1, { radius, height } = this.size;
        this.stroke = null;
        if (!stroke)
            return;
        // Neighbours overlap, so that each gives a part.
        const each = (this.way * height) / (stroke.length > 1 ? 2 : 1);
        const cones = stroke.map(({ x, y }): Item => ({ id: newId(), step: 'cone', on: true, values: {
            x: String(Math.round(x * cell)), y: String(Math.round(y * cell)), radius: String(radius), power: '2',
            relief: String(+each.toPrecision(3)), mode: 'add',
        } }));
        this.session.store.edit((doc) => {
            // After the last step that makes the land: the place under the hand is the place in the map.
            let end = doc.items.length;
            while (end > 0 && writesFiles(findStep(doc.items[end - 1].step)!))
                end--;
            doc.items.splice(end, 0, ...cones);
        });
        this.session.select(cones.at(-1)!.id);
    }
}
