// viewport.ts: the land and what lies over it: views, sun, the place under the cursor, the comparison.
import { h, icon, iconButton, metres, pretty } from '../dom';
import { Brush } from './brush';
import { LOOKS, coverOf, findLook, isThere, type Look } from '../looks';
import type { Land } from '../engine/messages';
import type { Frame, SceneFrame, Session } from '../session';
import { LandView, NATURAL, type Paint } from '../view/land_view';
import { coverOfLayers, limitOf } from '../view/cover_lines';
import { rampCss } from '../view/ramps';
import { SolidView, WAYS } from '../view/solid_view';

const LAYER_COLOURS = [[0.52, 0.50, 0.48], [0.62, 0.50, 0.34], [0.86, 0.76, 0.52], [0.44, 0.52, 0.33], [0.70, 0.42, 0.32], [0.40, 0.50, 0.60]];

/** What a few cells have says little: they are not counted. */
function spread(values: Float32Array, logarithmic: boolean): [number, number] {
    if (logarithmic)
        return [0, Math.max(limitOf(values), 1e-6)];
    const some: number[] = [], stride = Math.max(1, Math.floor(values.length / 8192));
    for (let i = 0; i < values.length; i += stride)
        if (Number.isFinite(values[i]))
            some.push(values[i]);
    some.sort((a, b) => a - b);
    const at = (part: number) => some[Math.min(some.length - 1, Math.floor(part * some.length))] ?? 0;
    return [at(0.005), Math.max(at(0.995), at(0.005) + 1e-6)];
}

function slopes(frame: Frame): Float32Array {
    const { width, height, cell } = frame, h0 = frame.fields.get('height')!, out = new Float32Array(h0.length);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const l = Math.max(x - 1, 0), r = Math.min(x + 1, width - 1), u = Math.max(y - 1, 0), d = Math.min(y + 1, height - 1);
            const dx = (h0[y * width + r] - h0[y * width + l]) / ((r - l || 1) * cell), dy = (h0[d * width + x] - h0[u * width + x]) / ((d - u || 1) * cell);
            out[y * width + x] = (Math.atan(Math.hypot(dx, dy)) * 180) / Math.PI;
        }
    return out;
}

/** The uppermost layer that is thicker than a few centimetres. */
function topLayer(grids: Float32Array[], at: number): number {
    let top = grids.length - 1;
    while (top > 0 && grids[top][at] < 0.05)
        top--;
    return top;
}

const layerColour = ({ colour }: Land['layers'][number], i: number): number[] =>
    (colour ? [16, 8, 0].map((s) => ((colour >> s) & 255) / 255) : LAYER_COLOURS[i % LAYER_COLOURS.length]);

/** The hues of velocity, as the shader has them, on a map with north at the top. */
const DIRECTIONS = `conic-gradient(${[...Array(13).keys()].map((i) => `hsl(${90 + 30 * i} 100% 57.5%)`).join(', ')})`;

function withUnit(value: number, unit = ''): string {
    return unit === 'm' ? metres(value) : `${pretty(value)}${unit === '°' || unit === '' ? '' : ' '}${unit}`;
}

export class Viewport {
    readonly element: HTMLElement;
    readonly view: LandView;
    readonly solid: SolidView;
    private readonly tabs = h('div', { className: 'tabs', role: 'tablist', 'aria-label': 'Views' });
    readonly brush: Brush;
    private readonly readout = h('output', { className: 'readout' });
    private readonly legend = h('div', { className: 'legend', hidden: true });
    private readonly handle = h('div', { className: 'swipe', role: 'slider', tabIndex: 0, 'aria-label': 'Compare with the original', hidden: true });
    private readonly meter = h('div', { className: 'meter', hidden: true });
    private readonly cut: HTMLElement;
    private readonly waters: HTMLButtonElement[];
    private readonly walkButton = iconButton('walk', 'Walk (W)', () => this.walk(), { 'aria-pressed': 'false' });
    private readonly sunButton = iconButton('sun', 'Sun', () => this.toggleSun(), { className: 'icon-button for-sun', 'aria-expanded': 'false' });
    private readonly pad = h('div', { className: 'pad', hidden: true, 'aria-hidden': 'true' }, h('i', {}));
    private readonly loading = h('div', { className: 'loading' }, h('span', {}, 'Loading the engine'));
    private frame: Frame | null = null;
    private originalFrame: Frame | null = null;
    private originalRun = -1;
    private wires: 0 | 1 | 2 = 0;
    private lastMove: PointerEvent | null = null;

    constructor(private readonly session: Session, still: boolean) {
        this.brush = new Brush(session, () => this.view);
        const sunLabel = h('label', { htmlFor: 'sun' }, 'Sun 38°');
        const sun = h('input', { type: 'range', id: 'sun', min: '4', max: '85', value: '38', oninput: () => light() });
        const turnLabel = h('label', { htmlFor: 'sun-turn' }, 'From 235°');
        const turn = h('input', { type: 'range', id: 'sun-turn', min: '0', max: '360', value: '235', oninput: () => light() });
        const light = () => {
            sunLabel.textContent = `Sun ${sun.value}°`;
            turnLabel.textContent = `From ${turn.value}°`;
            for (const each of [sun, turn])
                each.style.setProperty('--at', `${((+each.value - +each.min) / (+each.max - +each.min)) * 100}%`);
            this.solid.setSun(this.view.setSun(+turn.value, +sun.value));
        };
        const cut = h('input', { type: 'range', id: 'cut', min: '0', max: '100', value: '0', oninput: () => {
            cut.style.setProperty('--at', `${cut.value}%`);
            this.solid.cut(+cut.value / 100);
            this.view.draw();
        } });
        cut.style.setProperty('--at', '0%');
        this.waters = WAYS.map((way) => h('button', { type: 'button', 'data-way': way, title: 'How water is drawn (D)', onclick: () => this.setWater(way) },
            way[0].toUpperCase() + way.slice(1)));
        this.cut = h('div', { className: 'cut', hidden: true }, h('div', { className: 'ways', role: 'group', 'aria-label': 'Water' }, ...this.waters),
            h('label', { htmlFor: 'cut' }, 'Cut open'), cut);
        this.element = h('main', { className: 'view' }, this.loading, this.tabs,
            h('div', { className: 'sun' }, sunLabel, sun, turnLabel, turn),
            this.brush.element,
            h('div', { className: 'corner' },
                this.brush.button,
                this.sunButton,
                iconButton('frame', 'See all of it (F)', () => this.view.frame()),
                this.walkButton),
            this.pad, this.legend, this.readout, this.meter, this.handle, this.cut);
        this.view = new LandView(this.element, still);
        this.solid = new SolidView();
        light();
        LOOKS.forEach((look) => this.tabs.append(h('button', { type: 'button', role: 'tab', title: look.hint, 'data-look': look.name,
            'aria-selected': 'false', onclick: () => this.session.setLook(look.name) }, look.label)));
        this.tabs.addEventListener('keydown', (event) => this.arrows(event));
        this.view.onFrame = (ms) => { if (!this.meter.hidden) this.meter.textContent = `${ms.toFixed(1)} ms a frame, ${this.session.pace.toFixed(0)} ms a slice`; };
        this.view.onWalk = (on) => {
            this.pad.hidden = !on;
            this.walkButton.setAttribute('aria-pressed', String(on));
        };
        this.pointer();
        this.steering();
        this.swiping();
    }

    /** Where there is no room for it, the sun hides until it is asked for. */
    private toggleSun(): void {
        this.sunButton.setAttribute('aria-expanded', String(this.element.classList.toggle('sunny')));
    }

    private arrows(event: KeyboardEvent): void {
        const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        if (!by)
            return;
        const tabs = [...this.tabs.querySelectorAll<HTMLButtonElement>('button:not([hidden])')];
        const next = tabs[(tabs.indexOf(event.target as HTMLButtonElement) + by + tabs.length) % tabs.length];
        next.click();
        next.focus();
    }

    // ---- keys ----

    nextLook(by = 1): void {
        const there = LOOKS.filter((look) => isThere(look, this.session.land));
        const at = there.findIndex(({ name }) => name === this.session.look.name);
        this.session.setLook(there[(at + by + there.length) % there.length].name);
    }

    setWires(wires: 0 | 1 | 2): void {
        this.wires = this.wires === wires ? 0 : wires;
        this.view.setWires(this.wires);
        this.solid.setWires(this.wires);
        this.view.draw();
    }

    /** Without a way: the next one. */
    setWater(way?: (typeof WAYS)[number]): void {
        if (way)
            this.solid.setWay(way);
        else
            this.solid.nextWay();
        this.update();
        this.view.draw();
    }

    walk(): void {
        this.view.walk(!this.view.isWalking);
        if (this.view.isWalking)
            this.session.tell(this.pad.clientWidth > 0 ? 'Walking: the round pad goes, dragging looks around. The button again ends it.'
                : 'Walking: the arrow keys go, dragging looks around. W again ends it.');
    }
    toggleMeter(): void { this.meter.hidden = !this.meter.hidden; }

    // ---- frames ----

    update(): void {
        const { session } = this, { look } = session;
        const isWrong = session.state === 'failed';
        this.loading.hidden = session.state !== 'starting' && !(isWrong && !this.frame); // else the last land is there
        this.loading.classList.toggle('wrong', isWrong);
        this.loading.firstElementChild!.textContent = isWrong ? session.sentence : 'Loading the engine';
        for (const tab of this.tabs.children as HTMLCollectionOf<HTMLButtonElement>) {
            const isOn = tab.dataset.look === look.name;
            tab.setAttribute('aria-selected', String(isOn));
            tab.tabIndex = isOn ? 0 : -1;
            if (isOn && this.tabs.dataset.look !== look.name) { // where they do not all fit
                this.tabs.dataset.look = look.name;
                tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
            }
            tab.hidden = !isOn && !isThere(findLook(tab.dataset.look!), session.land);
        }
        this.tabs.hidden = session.scene !== null;
        this.cut.hidden = session.scene === null;
        this.waters.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.way === this.solid.way)));
        this.brush.button.hidden = this.walkButton.hidden = session.scene !== null;
        if (session.scene && this.brush.isOn)
            this.brush.toggle();
        if (!session.scene && this.view.other) {
            this.view.other = null;
            this.view.frame();
        }
        this.view.showOriginal = look.name === 'original';
        const wantsOriginal = look.name === 'original' || !this.handle.hidden;
        if (wantsOriginal && this.originalRun !== session.run && session.state !== 'running' && session.state !== 'held')
            void this.fetchOriginal();
        this.element.dataset.look = look.name;
        this.element.dataset.state = session.state;
    }

    private async fetchOriginal(): Promise<void> {
        const { run } = this.session;
        this.originalRun = run;
        const frame = await this.session.original().catch(() => null);
        if (!frame || run !== this.session.run)
            return;
        this.view.setOriginal({ ...frame, heights: frame.fields.get('height')!, water: null, flow: null, deposited: null, eroded: null, layers: null });
        this.originalFrame = frame;
        this.paint(frame, true);
        this.point();
        this.view.draw();
    }

    show(frame: Frame): void {
        const heights = frame.fields.get('height');
        if (!heights || heights.length !== frame.width * frame.height)
            return;
        this.frame = frame;
        this.view.setCover(coverOf(this.session.store.doc.items));
        const of = (name: string) => frame.fields.get(name) ?? null;
        this.view.set({ ...frame, heights, water: of('water'), flow: of('flow'), deposited: of('deposited'), eroded: of('eroded'), layers: coverOfLayers(this.upperLayers(frame)) }, frame.isLive || frame.isPreview);
        this.paint(frame, false);
        if (!frame.isLive && !(frame.isPreview && frame.made < frame.width))
            this.describe(frame);
        this.point();
    }

    /** Those above the bedrock, where the frame has them. */
    private upperLayers(frame: Frame): Float32Array[] {
        return (frame.land?.layers ?? []).slice(1).map((_, i) => frame.fields.get(`layer ${i + 1}`)).filter((grid) => grid !== undefined);
    }

    private describe(frame: Frame): void {
        const { x, y } = this.view.land.span;
        this.view.canvas.setAttribute('aria-label',
            `The land: ${frame.width} by ${frame.height} cells, heights from ${metres(x)} to ${metres(y)}`);
    }

    private paint(frame: Frame, isOriginal: boolean): void {
        const { look } = this.session, ground = isOriginal ? this.view.original : this.view.land;
        const paint = this.paintOf(look, frame);
        this.view.paint(ground, paint);
        if (isOriginal)
            return;
        if (paint.mode !== 4)
            this.element.dataset.painted = look.name; // it has the fields of that
        const key = this.keyOf(look, paint);
        this.legend.hidden = key.length === 0;
        this.legend.replaceChildren(...key);
    }

    /** What the colours say. */
    private keyOf(look: Look, paint: Paint): HTMLElement[] {
        const sample = (background: string, className = '') => {
            const part = h('i', { className });
            part.style.background = background;
            return part;
        };
        const said = (value: number) => h('span', {}, withUnit(value, look.unit));
        switch (paint.mode) {
        case 1: return [said(paint.from), sample(rampCss(look.ramp!)), said(paint.to)];
        case 2: return [sample(DIRECTIONS, 'round'), h('span', {}, `Hue: where it flows, north at the top. Brightest: ${withUnit(paint.to, look.unit)}`)];
        case 3: return this.layersOf(this.frame).flatMap(({ name }, i, all) =>
            [sample(`rgb(${layerColour(all[i], i).map((part) => Math.round(255 * part)).join(' ')})`, 'square'), h('span', {}, name)]);
        default: return [];
        }
    }

    private paintOf(look: Look, frame: Frame): Paint {
        const of = (values: Float32Array): Paint => {
            const [from, to] = spread(values, look.logarithmic ?? false);
            return { mode: 1, values, parts: 1, from: look.fades ? 0 : from, to, logarithmic: look.logarithmic ?? false, fades: look.fades ?? false, ramp: look.ramp! };
        };
        const field = (name: string) => frame.fields.get(name);
        switch (look.name) {
        case 'height': return of(field('height')!);
        case 'slope': return { ...of(slopes(frame)), from: 0, to: 60 };
        case 'flow': case 'eroded': case 'deposited': case 'water':
            return field(look.name)?.length ? of(field(look.name)!) : { ...NATURAL, mode: 4 };
        case 'mask': case 'hardness': case 'rain':
            return field(look.name)?.length ? { ...of(field(look.name)!), from: 0, to: 1 } : { ...NATURAL, mode: 4 };
        case 'sediment': {
            const s = field('sediment'), w = field('water');
            return s?.length && w?.length ? of(s.map((v, i) => v / Math.max(w[i], 1e-3))) : { ...NATURAL, mode: 4 };
        }
        case 'velocity': {
            const x = field('velocity_x'), y = field('velocity_y');
            if (!x?.length || !y?.length)
                return { ...NATURAL, mode: 4 };
            const both = new Float32Array(2 * x.length), speed = new Float32Array(x.length);
            for (let i = 0; i < x.length; i++) {
                both[2 * i] = x[i];
                both[2 * i + 1] = y[i];
                speed[i] = Math.hypot(x[i], y[i]);
            }
            return { ...NATURAL, mode: 2, values: both, parts: 2, to: limitOf(speed) || 1 };
        }
        case 'layers': return this.layers(frame);
        default: return NATURAL;
        }
    }

    /** The colour of the uppermost layer that is thicker than a few centimetres. */
    private layers(frame: Frame): Paint {
        const layers = this.layersOf(frame), count = frame.width * frame.height;
        const grids = layers.map((_, i) => frame.fields.get(`layer ${i}`));
        if (grids.length === 0 || grids.some((grid) => !grid))
            return { ...NATURAL, mode: 4 };
        const colours = layers.map(layerColour), out = new Float32Array(4 * count);
        for (let i = 0; i < count; i++)
            out.set(colours[topLayer(grids as Float32Array[], i)], 4 * i);
        return { ...NATURAL, mode: 3, values: out, parts: 4 };
    }

    private layersOf(frame: Frame | null): Land['layers'] { return (frame?.land ?? this.session.land)?.layers ?? []; }

    private nextFrame: SceneFrame | null = null;

    /** Frames may come faster than they can be drawn: the newest counts. */
    showScene(frame: SceneFrame): void {
        if (frame.frame > 0) {
            if (!this.nextFrame)
                requestAnimationFrame(() => {
                    if (this.nextFrame && this.session.scene)
                        this.solid.set(this.nextFrame);
                    this.nextFrame = null;
                    this.view.draw();
                });
            this.nextFrame = frame;
            return;
        }
        this.nextFrame = null;
        this.solid.set(frame);
        this.view.other = this.solid;
        this.view.frameBox(frame.low, frame.high);
        this.view.draw();
    }

    // ---- under the cursor ----

    private pointer(): void {
        const { canvas } = this.view;
        let last: PointerEvent | null = null;
        canvas.addEventListener('pointermove', (event) => {
            if (this.view.isWalking && event.buttons && last)
                this.view.turn(event.clientX - last.clientX, event.clientY - last.clientY);
            last = event;
            this.lastMove = event;
            this.brush.over(event);
            this.point();
        });
        canvas.addEventListener('pointerdown', (event) => {
            last = event; // a finger comes down elsewhere than the last one left
            this.brush.down(event);
        });
        canvas.addEventListener('pointerup', (event) => this.brush.up(event));
        canvas.addEventListener('pointerleave', () => {
            this.brush.leave();
            this.lastMove = null;
            this.readout.textContent = '';
        });
        canvas.addEventListener('dblclick', () => this.brush.isOn || this.view.frame());
        canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    }

    /** The pad goes where a thumb pushes it: the farther, the faster. */
    private steering(): void {
        const { pad } = this, knob = pad.firstElementChild as HTMLElement;
        const push = (event: PointerEvent) => {
            const box = pad.getBoundingClientRect(), reach = box.width / 2;
            const x = (event.clientX - box.left) / reach - 1, y = (event.clientY - box.top) / reach - 1, far = Math.max(1, Math.hypot(x, y));
            knob.style.translate = `${(x / far) * reach * 0.6}px ${(y / far) * reach * 0.6}px`;
            this.view.steer(x / far, -y / far);
        };
        const leave = () => {
            knob.style.translate = '';
            this.view.steer(0, 0);
        };
        pad.addEventListener('pointerdown', (event) => {
            pad.setPointerCapture(event.pointerId);
            event.preventDefault();
            push(event);
        });
        pad.addEventListener('pointermove', (event) => pad.hasPointerCapture(event.pointerId) && push(event));
        pad.addEventListener('lostpointercapture', leave);
    }

    private point(): void {
        const { lastMove: event } = this;
        const frame = event && this.view.isOriginalAt(event.clientX) ? this.originalFrame : this.frame;
        if (!event || !frame || this.session.scene)
            return;
        const hit = this.view.pick(event.clientX, event.clientY);
        if (!hit) {
            this.readout.textContent = '';
            return;
        }
        const { width, height, cell } = frame, heights = frame.fields.get('height')!;
        const x = Math.round(hit.x), y = Math.round(hit.y), at = y * width + x;
        const l = Math.max(x - 1, 0), r = Math.min(x + 1, width - 1), u = Math.max(y - 1, 0), d = Math.min(y + 1, height - 1);
        const slope = Math.hypot((heights[y * width + r] - heights[y * width + l]) / ((r - l || 1) * cell),
            (heights[d * width + x] - heights[u * width + x]) / ((d - u || 1) * cell));
        const parts = [`${metres(x * cell)} E, ${metres(y * cell)} S`, metres(heights[at]), `${Math.round((Math.atan(slope) * 180) / Math.PI)}° slope`];
        const flow = frame.fields.get('flow'), water = frame.fields.get('water');
        if (flow?.length && !(frame.isPreview && frame.made < width)) // it is of the land before
            parts.push(`flow ${pretty(flow[at])}`);
        if (water?.length && water[at] > 0.01)
            parts.push(`${metres(water[at])} of water`);
        const upper = this.upperLayers(frame);
        if (frame.land && upper.length > 0 && upper.length === frame.land.layers.length - 1)
            parts.push(frame.land.layers[topLayer([new Float32Array(), ...upper], at)].name);
        this.readout.textContent = parts.join('   ');
    }

    // ---- comparison ----

    get isComparing(): boolean { return !this.handle.hidden; }

    compare(): void {
        this.handle.hidden = !this.handle.hidden;
        this.setSwipe(this.handle.hidden ? 0 : 0.5);
        this.update();
    }

    private setSwipe(at: number): void {
        this.view.swipe = at;
        this.handle.style.left = `${at * 100}%`;
        this.handle.setAttribute('aria-valuenow', String(Math.round(at * 100)));
        this.handle.setAttribute('aria-valuemin', '0');
        this.handle.setAttribute('aria-valuemax', '100');
        this.view.draw();
    }

    private swiping(): void {
        this.handle.append(h('span', {}, 'original'), h('i', {}, icon('grip')), h('span', {}, 'now'));
        this.handle.addEventListener('pointerdown', (event) => {
            this.handle.setPointerCapture(event.pointerId);
            event.preventDefault();
        });
        this.handle.addEventListener('pointermove', (event) => {
            if (!this.handle.hasPointerCapture(event.pointerId))
                return;
            const box = this.element.getBoundingClientRect();
            this.setSwipe(Math.min(0.98, Math.max(0.02, (event.clientX - box.left) / box.width)));
        });
        this.handle.addEventListener('keydown', (event) => {
            const by = event.key === 'ArrowRight' ? 0.02 : event.key === 'ArrowLeft' ? -0.02 : 0;
            if (by)
                this.setSwipe(Math.min(0.98, Math.max(0.02, this.view.swipe + by)));
        });
    }
}
