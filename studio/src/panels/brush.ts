// brush.ts: shapes and paints the land by hand. A stroke becomes a step of the recipe, with its path in metres, and a
// spring a part of `pipes`. So both are undone like any edit, and the command line makes them, too.
import { h, iconButton, metres } from '../dom';
import { newId, type Item } from '../recipe';
import type { Session } from '../session';
import { findStep, writesFiles } from '../table';
import type { Hit, LandView } from '../view/land_view';

/** The most points of a stroke. */
const MOST = 200;

interface Way {
    label: string;
    act: 'raise' | 'smooth' | 'mask' | 'hardness' | 'rain' | 'spring';
    /** Of the second slider. */
    strength: string;
    hint: string;
    lowers?: true;
    /** A field, which is looked at while it is painted. */
    paints?: true;
}

const WAYS: Way[] = [
    { label: 'Raise', act: 'raise', strength: 'Height', hint: 'Raise the land' },
    { label: 'Lower', act: 'raise', strength: 'Depth', hint: 'Lower the land', lowers: true },
    { label: 'Smooth', act: 'smooth', strength: 'Strength', hint: 'Smooth the land' },
    { label: 'Mask', act: 'mask', strength: 'Protection', hint: 'Protect ground from the steps that erode', paints: true },
    { label: 'Hardness', act: 'hardness', strength: 'Hardness', hint: 'Make ground hard to erode', paints: true },
    { label: 'Rain', act: 'rain', strength: 'Rain', hint: 'Let it rain only here', paints: true },
    { label: 'Spring', act: 'spring', strength: 'Water', hint: 'Add a spring to the step pipes' },
];

export class Brush {
    readonly element: HTMLElement;
    readonly button: HTMLButtonElement;
    private way = WAYS[0];
    private stroke: Hit[] | null = null;
    private item: Item | null = null;
    private readonly radius = h('input', { type: 'range', id: 'brush-radius', min: '1', max: '40', value: '10', oninput: () => this.label() });
    private readonly strength = h('input', { type: 'range', id: 'brush-strength', min: '1', max: '100', oninput: () => this.label() });
    private readonly radiusLabel = h('span', {});
    private readonly strengthName = h('span', {});
    private readonly strengthLabel = h('span', {});
    private readonly ways: HTMLButtonElement[];
    private readonly strengths = new Map<Way, string>([[WAYS[0], '25'], [WAYS[1], '25'], [WAYS[6], '20']]);

    constructor(private readonly session: Session, private readonly view: () => LandView) {
        this.ways = WAYS.map((way) => h('button', { type: 'button', title: way.hint, 'data-act': way.label.toLowerCase(), onclick: () => this.choose(way) }, way.label));
        this.strength.value = this.strengths.get(this.way)!;
        this.element = h('div', { className: 'brush', role: 'group', 'aria-label': 'Brush', hidden: true },
            h('div', { className: 'ways' }, ...this.ways),
            h('div', {}, h('label', { htmlFor: 'brush-radius' }, 'Radius', this.radiusLabel), this.radius),
            h('div', {}, h('label', { htmlFor: 'brush-strength' }, this.strengthName, this.strengthLabel), this.strength));
        this.button = iconButton('brush', 'Shape and paint by hand (E)', () => this.toggle(), { 'aria-pressed': 'false' });
    }

    get isOn(): boolean { return !this.element.hidden; }

    toggle(): void {
        this.element.hidden = !this.element.hidden;
        this.button.setAttribute('aria-pressed', String(this.isOn));
        this.view().orbits = !this.isOn;
        this.view().setBrush(null, 0);
        this.choose(this.way);
    }

    private choose(way: Way): void {
        this.strengths.set(this.way, this.strength.value);
        this.way = way;
        this.strength.value = this.strengths.get(way) ?? '100';
        const { session } = this, isPainted = WAYS.some(({ paints, act }) => paints && act === session.look.name);
        if (this.isOn && way.paints && session.land?.fields.includes(way.act))
            session.setLook(way.act);
        else if (this.isOn && isPainted) // what is done now is not seen there
            session.setLook('natural');
        this.label();
    }

    private get grid() { return this.view().land.grid; }

    /** In metres, shares of the map and of its relief; a share from 0 to 1; m3/s. */
    private get size(): { radius: number; height: number; share: number; rate: number } {
        const grid = this.grid, { x, y } = this.view().land.span, share = +this.strength.value / 100;
        const extent = grid ? Math.max(grid.width, grid.height) * grid.cell : 1000;
        return { radius: +((extent * +this.radius.value) / 100).toPrecision(3), share, rate: +this.strength.value,
            height: (this.way.lowers ? -1 : 1) * +((Math.max(y - x, 10) * share) / 2).toPrecision(3) };
    }

    private label(): void {
        const { radius, height, share, rate } = this.size, { act } = this.way;
        this.radiusLabel.textContent = act === 'spring' ? '' : metres(radius);
        this.radius.disabled = act === 'spring';
        this.strengthName.textContent = this.way.strength;
        this.strengthLabel.textContent = act === 'raise' ? metres(Math.abs(height)) : act === 'spring' ? `${rate} m³/s` : `${Math.round(100 * share)} %`;
        this.ways.forEach((button, i) => button.setAttribute('aria-pressed', String(WAYS[i] === this.way)));
        for (const slider of [this.radius, this.strength])
            slider.style.setProperty('--at', `${((+slider.value - +slider.min) / (+slider.max - +slider.min)) * 100}%`);
    }

    // ---- strokes ----

    over(event: PointerEvent): void {
        if (!this.isOn)
            return;
        const hit = this.view().pick(event.clientX, event.clientY), { radius } = this.size;
        this.view().setBrush(hit, this.way.act === 'spring' ? radius / 4 : radius);
        if (!hit || !this.stroke || this.stroke.length >= MOST || this.way.act === 'spring')
            return;
        const last = this.stroke.at(-1)!, cell = this.grid!.cell;
        if (Math.hypot(hit.x - last.x, hit.y - last.y) * cell < 0.25 * radius)
            return;
        this.stroke.push(hit);
        if (!this.way.paints) // at the end of the recipe: what comes before it does not run again
            this.session.store.drag(() => this.put());
    }

    leave(): void { if (this.isOn && !this.stroke) this.view().setBrush(null, 0); }

    down(event: PointerEvent): void {
        const hit = this.isOn && event.button === 0 && !this.session.scene ? this.view().pick(event.clientX, event.clientY) : null;
        this.stroke = hit ? [hit] : null;
        this.item = null;
    }

    up(event: PointerEvent): void {
        this.over(event);
        if (!this.stroke)
            return;
        const { act } = this.way;
        this.session.store.edit(() => (act === 'spring' ? this.addSpring() : this.put()));
        this.stroke = null;
        if (this.item)
            this.session.select((this.item as Item).id);
        if (this.way.paints)
            this.session.setLook(act);
    }

    private metresOf({ x, y }: Hit): string[] {
        const { cell } = this.grid!, digits = Math.max(0, Math.ceil(-Math.log10(this.size.radius / 100)));
        return [x, y].map((at) => String(+(at * cell).toFixed(digits)));
    }

    /** The stroke as it is, as a step of the recipe. */
    private put(): void {
        const { radius, height, share } = this.size, { act } = this.way, { items } = this.session.store.doc;
        if (!this.item || !items.includes(this.item)) {
            this.item = { id: newId(), step: 'stroke', on: true, values: {} };
            items.splice(this.way.paints ? this.placeToPaint(items) : this.end(items), 0, this.item);
        }
        this.item.values = { ...(act === 'raise' ? {} : { act }), path: this.stroke!.map((hit) => this.metresOf(hit).join('/')).join(' '),
            radius: String(radius), ...(act === 'raise' ? { height: String(height) } : { value: String(act === 'mask' ? +(1 - share).toFixed(2) : share) }) };
    }

    /** After the last step that makes the land: the place under the hand is the place in the map. */
    private end(items: Item[]): number {
        let end = items.length;
        while (end > 0 && writesFiles(findStep(items[end - 1].step)!))
            end--;
        return end;
    }

    /** Before the first step that erodes, on land that has its size. */
    private placeToPaint(items: Item[]): number {
        const sized = items.findLastIndex((item) => findStep(item.step)?.resizes) + 1;
        const at = items.findIndex((item, i) => i >= sized && findStep(item.step)?.kind === 'wear');
        return at < 0 ? this.end(items) : at;
    }

    /** To the pipes that are chosen, else to the last ones, else to new ones. */
    private addSpring(): void {
        const { store } = this.session, { items } = store.doc;
        let pipes = store.item?.step === 'pipes' ? store.item : items.filter((item) => item.step === 'pipes' && item.on).at(-1);
        if (!pipes) {
            pipes = { id: newId(), step: 'pipes', on: true, values: { rain: '0' } };
            items.splice(this.end(items), 0, pipes);
        }
        const spring = [...this.metresOf(this.stroke![0]), this.size.rate].join('/');
        pipes.values.springs = [pipes.values.springs, spring].filter(Boolean).join(' ');
        this.item = pipes;
    }
}
