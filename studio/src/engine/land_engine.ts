// land_engine.ts: makes land with the library as WebAssembly: runs lists of steps, keeps snapshots between them,
// shows the land as it changes. It knows nothing of workers: messages go out through `post`.
import type { Ravine } from '../../wasm/ravine.mjs';
import type { Event, Figure, Land, Ledger, Live, Reply, Request, Water } from './messages';
import type { Gate } from './gate';

const CANCELLED = 1;
const ERROR_USAGE = 2;
const ERROR_UNMET = 6;
/** Bytes that snapshots may take; the least recently used are let go. */
const SNAPSHOT_BYTES = 700 << 20;
/** Lands that are larger are not sent to the page for a rescue. */
const RESCUE_BYTES = 256 << 20;
const RESCUE_FILE = '.rescue.npz';

type Layout = Record<string, number>;

/** One run of a step: which of the list, in which turn of its repeats. */
interface Turn {
    place: number;
    turn: number;
    turns: number;
    /** No repeat is open after it: its land is that of the place. */
    whole: boolean;
}

interface Kept {
    snapshot: number;
    bytes: number;
    figures: Figure[];
    /** That the step took; null: nobody knows. */
    ms: number | null;
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type Answered = WithoutId<Reply>;

/** A sentence of the library. */
export class Wrong extends Error {
    constructor(readonly status: number, sentence: string) {
        super(sentence);
    }
}

export class LandEngine {
    private readonly rv: Record<string, any>;
    readonly ctx: number;
    private readonly call: (fn: Function, ...args: number[]) => Promise<number>;
    private kept = new Map<string, Kept>();
    /** What steps read may be other bytes under the same name. */
    private files = 0;
    private steps: string[] = [];
    private land = 0;
    /** Of the land as it is: place and key; a land that was stopped in a step has a key of its own. */
    private at = { place: 0, key: '' };
    private viewer = { land: 0, key: '' };
    private live: Live = { fields: ['height'], rate: 30, every: 1, last: [], slices: false, rescue: Infinity };
    /** Milliseconds of work since the last rescue. */
    private unsaved = 0;
    private now = { run: 0, place: 0, shown: 0, on: false };
    /** What is made in idle time: its request, 0: none; and its number among the runs. */
    private idle = { request: 0, run: 0 };

    constructor(private readonly ravine: Ravine, private readonly layout: Layout,
                private readonly post: (event: Event, buffers: ArrayBuffer[]) => void,
                private readonly gate: Gate) {
        this.rv = ravine.rv;
        // Where the gate suspends calls, steps ask the other way; all else goes through at once.
        const ask = (now: number) => this.progress(now);
        this.ctx = ravine.context(layout, (now: number) => (gate.suspends ? 1 : ask(now)),
            (line: string) => this.post({ kind: 'log', line }, []));
        this.call = gate.suspends ? ravine.suspending(ask) : async (fn, ...args) => fn(...args);
    }

    // ---- requests ----

    async answer(request: Request): Promise<Answered> {
        switch (request.kind) {
        case 'put':
            this.ravine.files.set(request.name, new Uint8Array(request.buffers![0]));
            this.files++;
            return { kind: 'ok' };
        case 'look':
            return this.look(request.place, request.fields);
        case 'measure':
            return { kind: 'figures', figures: this.measure(request.place) };
        case 'save':
            return this.save(request.place, request.step);
        case 'read':
            return this.read(request.text);
        case 'revive':
            this.revive(request.steps, request.buffers![0]);
            return { kind: 'ok' };
        default:
            throw new Wrong(ERROR_USAGE, `The engine in the page does not know "${request.kind}".`);
        }
    }

    // ---- places ----

    private key(steps: string[], place: number): string {
        return `${this.files}\n${steps.slice(0, place).join('\n')}`;
    }

    private check(status: number): void {
        if (status !== 0)
            throw new Wrong(status, this.ravine.text(this.rv.rv_context_error(this.ctx)));
    }

    private parse(text: string): number {
        const { status, pointer } = this.ravine.made((out: number) =>
            this.ravine.with([text, 'recipe'], (t: number, name: number) => this.rv.rv_recipe_parse(this.ctx, t, name, out)));
        this.check(status);
        return pointer;
    }

    private flat(): number {
        const desc = this.rv.malloc(this.layout['rv_terrain_desc']);
        this.rv.rv_terrain_desc_default(desc);
        const { status, pointer } = this.ravine.made((out: number) => this.rv.rv_terrain_create(this.ctx, desc, out));
        this.rv.free(desc);
        this.check(status);
        return pointer;
    }

    private get held(): number {
        let held = 0;
        for (const { bytes } of this.kept.values())
            held += bytes;
        return held;
    }

    private keep(land: number, key: string, figures: Figure[], ms: number | null): void {
        const bytes = this.bytes(land);
        let held = bytes + this.held;
        for (const [old, { snapshot, bytes: less }] of this.kept) { // the oldest use first
            if (held <= SNAPSHOT_BYTES)
                break;
            this.rv.rv_snapshot_destroy(snapshot);
            this.kept.delete(old);
            held -= less;
        }
        const { status, pointer } = this.ravine.made((out: number) => this.rv.rv_terrain_snapshot(land, out));
        if (status === 0) // without it the next run only starts further back
            this.kept.set(key, { snapshot: pointer, bytes, figures, ms });
    }

    private used(key: string): Kept | undefined {
        const kept = this.kept.get(key);
        if (kept) { // to the end: the last that is let go
            this.kept.delete(key);
            this.kept.set(key, kept);
        }
        return kept;
    }

    private bytes(land: number): number {
        const grids = this.rv.rv_terrain_field_count(land) + this.rv.rv_terrain_layer_count(land) + 1;
        return 4 * this.rv.rv_terrain_width(land) * this.rv.rv_terrain_height(land) * grids;
    }

    /** The land of a place: the one that is there, or a copy made from a snapshot. */
    private landAt(place: number): number {
        const key = this.key(this.steps, place);
        if (this.land && (this.at.place === place || this.at.key === key))
            return this.land;
        if (this.viewer.land && this.viewer.key === key)
            return this.viewer.land;
        const kept = this.used(key);
        if (!kept)
            throw new Wrong(ERROR_USAGE, 'The land of that step is not kept any more: run it again.');
        this.viewer.land ||= this.flat();
        this.check(this.rv.rv_terrain_restore(this.viewer.land, kept.snapshot));
        this.viewer.key = key;
        return this.viewer.land;
    }

    // ---- what a land is ----

    private struct<T extends object>(type: string, at: number, names: string[]): T {
        return Object.fromEntries(names.map((name) =>
            [name, this.ravine.view.getFloat64(at + this.layout[`${type}.${name}`], true)])) as T;
    }

    private ledger(at: number): Ledger {
        return this.struct('rv_ledger', at, ['eroded', 'deposited', 'left_map', 'suspended', 'raised', 'before']);
    }

    private about(land: number): Land {
        const { rv, ravine, layout } = this;
        const fields = ['height'];
        for (let i = 0; i < rv.rv_terrain_field_count(land); i++)
            fields.push(ravine.text(rv.rv_terrain_field_name(land, i)));
        const desc = rv.malloc(layout['rv_layer_desc']);
        const layers = [];
        for (let i = 0; i < rv.rv_terrain_layer_count(land); i++) {
            rv.rv_terrain_layer(desc, land, i);
            const number = (name: string) => ravine.view.getFloat32(desc + layout[`rv_layer_desc.${name}`], true);
            layers.push({
                name: ravine.text(ravine.view.getUint32(desc + layout['rv_layer_desc.name'], true)),
                erodibility: number('erodibility'),
                talus: number('talus'),
                colour: ravine.view.getUint32(desc + layout['rv_layer_desc.colour'], true),
            });
        }
        rv.free(desc);
        return {
            width: rv.rv_terrain_width(land), height: rv.rv_terrain_height(land), cell: rv.rv_terrain_cell(land),
            fields, layers, hash: ravine.hash(land), volume: rv.rv_terrain_volume(land),
        };
    }

    private figures(land: number): Figure[] {
        const { rv, ravine, layout } = this;
        const found = [];
        for (let i = 0; i < rv.rv_terrain_figure_count(land); i++) {
            const at = rv.rv_terrain_figure(land, i);
            const text = (name: string) => ravine.text(ravine.view.getUint32(at + layout[`rv_figure.${name}`], true));
            const number = (name: string) => {
                const value = ravine.view.getFloat64(at + layout[`rv_figure.${name}`], true);
                return Number.isFinite(value) ? value : null;
            };
            found.push({ name: text('name'), label: text('label'), unit: text('unit'),
                value: number('value'), min: number('min'), max: number('max') });
        }
        return found;
    }

    /** A copy of a field, every so many cells; "layer 1" is the thickness of that layer. */
    private copy(land: number, name: string, every: number): ArrayBuffer {
        const width = this.rv.rv_terrain_width(land), height = this.rv.rv_terrain_height(land);
        const layer = /^layer (\d+)$/.exec(name);
        let values: Float32Array | 0;
        if (layer)
            values = +layer[1] < this.rv.rv_terrain_layer_count(land) &&
                this.ravine.floats(this.rv.rv_terrain_layer_thickness(land, +layer[1]), width * height) || 0;
        else
            values = this.ravine.field(land, name);
        if (!values)
            return new ArrayBuffer(0);
        if (every <= 1)
            return values.slice().buffer as ArrayBuffer;
        const w = Math.floor((width - 1) / every) + 1, h = Math.floor((height - 1) / every) + 1;
        const out = new Float32Array(w * h);
        for (let y = 0, i = 0; y < h; y++)
            for (let x = 0; x < w; x++)
                out[i++] = values[y * every * width + x * every];
        return out.buffer;
    }

    private look(place: number, fields: string[]) {
        const land = this.landAt(place);
        const buffers = fields.map((name) => this.copy(land, name, 1));
        return { kind: 'fields' as const, land: this.about(land), fields, buffers };
    }

    private measure(place: number): Figure[] {
        const land = this.landAt(place);
        const step = this.ravine.with(['measure'], (name: number) => this.rv.rv_step_find(name));
        this.check(this.rv.rv_step_run(land, this.ravine.view.getUint32(step + this.layout['rv_step_info.id'], true), 0, 0));
        return this.figures(land);
    }

    /** Runs the one step of a text. */
    private runStep(land: number, step: string): void {
        const recipe = this.parse(step);
        try {
            if (this.rv.rv_recipe_count(recipe) !== 1)
                throw new Wrong(ERROR_USAGE, 'One step writes files, not several.');
            this.check(this.rv.rv_step_run(land, this.rv.rv_recipe_step(recipe, 0), this.rv.rv_recipe_params(recipe, 0), 0));
        } finally {
            this.rv.rv_recipe_destroy(recipe);
        }
    }

    private save(place: number, step: string) {
        const before = new Set(this.ravine.files.keys());
        this.runStep(this.landAt(place), step);
        const files = [...this.ravine.files.keys()].filter((name) => name !== '' && !before.has(name));
        const buffers = files.map((name) => this.ravine.files.get(name)!.slice().buffer as ArrayBuffer);
        files.forEach((name) => this.ravine.files.delete(name));
        return { kind: 'files' as const, files, buffers };
    }

    // ---- what is left when an engine dies ----

    private rescue(run: number, ms: number): void {
        this.unsaved += ms;
        if (this.unsaved < this.live.rescue || this.bytes(this.land) > RESCUE_BYTES)
            return;
        try {
            this.runStep(this.land, `save ${RESCUE_FILE}`);
            const bytes = this.ravine.files.get(RESCUE_FILE)!.slice().buffer as ArrayBuffer;
            this.post({ kind: 'rescue', run, place: this.at.place, buffers: [bytes] }, [bytes]);
            this.unsaved = 0;
        } catch (error) {
            if (!(error instanceof Wrong)) // without it the next engine only starts further back
                throw error;
        } finally {
            this.ravine.files.delete(RESCUE_FILE);
        }
    }

    private revive(steps: string[], bytes: ArrayBuffer): void {
        this.ravine.files.set(RESCUE_FILE, new Uint8Array(bytes));
        this.viewer.land ||= this.flat();
        this.viewer.key = '';
        try {
            this.runStep(this.viewer.land, `open ${RESCUE_FILE}`);
        } finally {
            this.ravine.files.delete(RESCUE_FILE);
        }
        this.keep(this.viewer.land, this.key(steps, steps.length), [], null);
    }

    private read(text: string) {
        const recipe = this.parse(text);
        const size = this.rv.rv_recipe_print(recipe, 0, 0) + 1;
        const at = this.rv.malloc(size);
        this.rv.rv_recipe_print(recipe, at, size);
        const printed = this.ravine.text(at);
        this.rv.free(at);
        this.rv.rv_recipe_destroy(recipe);
        // A line that begins with blanks goes on with the step before it.
        const steps = printed.trimEnd().replace(/\n\s+/g, ' ').split('\n').filter((line) => line !== '');
        return { kind: 'recipe' as const, text: printed, steps };
    }

    // ---- the run ----

    /** The order of the list, with its repeats. */
    private turns(recipe: number): Turn[] {
        const count = this.rv.rv_recipe_count(recipe), order: Turn[] = [];
        const name = (i: number) => this.ravine.text(this.rv.rv_step_name(this.rv.rv_recipe_step(recipe, i)));
        const walk = (from: number, turn: number, turns: number, depth: number): number => {
            let i = from;
            while (i < count && name(i) !== 'end') {
                if (name(i) !== 'repeat') {
                    order.push({ place: i, turn, turns, whole: depth === 0 });
                    i++;
                    continue;
                }
                const times = Number(this.ravine.view.getBigInt64(this.rv.rv_recipe_params(recipe, i), true));
                let end = i + 1;
                for (let open = 1; open > 0; end++)
                    open += name(end) === 'repeat' ? 1 : name(end) === 'end' ? -1 : 0;
                if (times * turns > 100000)
                    throw new Wrong(ERROR_USAGE, 'So many turns of a repeat are for the command line, not for the page.');
                for (let k = 0; k < times; k++)
                    walk(i + 1, turn * times + k, turns * times, depth + 1);
                const last = order.at(-1);
                if (depth === 0 && times > 0 && last && last.place > i) {
                    last.place = end - 1; // its land is that of the whole repeat
                    last.whole = true;
                }
                i = end;
            }
            return i;
        };
        walk(0, 0, 1, 0);
        return order;
    }

    /** A copy of the parameters of a step, with the seeds of its turn; to be freed. */
    private params(recipe: number, place: number, turn: number): number {
        const { rv, ravine, layout } = this;
        const word = rv.rv_step_get(rv.rv_recipe_step(recipe, place)) + layout['rv_step_info.word'];
        const number = (member: string) => ravine.view.getUint32(word + layout[`rv_word_info.${member}`], true);
        const size = number('params_size'), from = rv.rv_recipe_params(recipe, place), at = rv.malloc(size);
        new Uint8Array(ravine.buffer).copyWithin(at, from, from + size);
        for (let i = 0; i < number('param_count'); i++) {
            const param = number('params') + i * layout['rv_param_info'];
            if (ravine.view.getUint32(param + layout['rv_param_info.type'], true) === layout['RV_PARAM_SEED'])
                rv.rv_param_set_seed(param, at, rv.rv_seed_of_turn(rv.rv_param_seed(param, at), BigInt(turn)));
        }
        return at;
    }

    /** What the library does from now on is for this run: a newer one ends it. */
    attend(run: number): void {
        this.now = { run, place: 0, shown: 0, on: false };
    }

    /** The turn to begin with: the one after the last whose land is kept. */
    private firstOf(order: Turn[], steps: string[]): number {
        return 1 + order.findLastIndex(({ whole, place }) => whole && this.kept.has(this.key(steps, place + 1)));
    }

    /** Runs a list from the last place whose land is kept. */
    async run(run: number, steps: string[], live: Live): Promise<void> {
        const start = performance.now();
        this.live = live;
        this.attend(run);
        this.gate.begin(run, live.slices);
        let recipe = 0;
        try {
            recipe = this.parse(steps.join('\n'));
            const plans = this.rv.malloc(Math.max(1, steps.length) * this.layout['rv_plan']);
            const status = this.rv.rv_recipe_plan(recipe, plans);
            this.rv.free(plans);
            this.check(status);
            const order = this.turns(recipe);
            const first = this.firstOf(order, steps);
            this.steps = steps;
            this.land ||= this.flat();
            if (first > 0) {
                const place = order[first - 1].place + 1, key = this.key(steps, place);
                this.check(this.rv.rv_terrain_restore(this.land, this.used(key)!.snapshot));
                this.at = { place, key };
            } else {
                this.rv.rv_terrain_destroy(this.land);
                this.land = 0;
                this.land = this.flat();
                this.at = { place: 0, key: this.key(steps, 0) };
            }
            this.post({ kind: 'started', run, place: this.at.place, places: steps.length }, []);
            await this.go(run, recipe, order.slice(first), start);
        } catch (error) {
            this.failed(run, error, start);
        } finally {
            if (recipe)
                this.rv.rv_recipe_destroy(recipe);
        }
    }

    /** Goes on with the steps after the one that was stopped and kept. */
    async continue(run: number, live: Live): Promise<void> {
        const start = performance.now();
        this.live = live;
        this.attend(run);
        this.gate.begin(run, live.slices);
        let recipe = 0;
        try {
            if (!this.land)
                throw new Wrong(ERROR_USAGE, 'There is no land to go on with.');
            recipe = this.parse(this.steps.join('\n'));
            const order = this.turns(recipe).filter((turn) => turn.place >= this.at.place);
            this.post({ kind: 'started', run, place: this.at.place, places: this.steps.length }, []);
            await this.go(run, recipe, order, start);
        } catch (error) {
            this.failed(run, error, start);
        } finally {
            if (recipe)
                this.rv.rv_recipe_destroy(recipe);
        }
    }

    /** Makes the lands of a list until something else is asked, or until they would take the place of others. What is
     *  wrong with a step is told by a run. */
    async prepare(request: number, { run, steps, fields }: Extract<Request, { kind: 'prepare' }>): Promise<Answered> {
        const recipe = this.parse(steps.join('\n'));
        const ms: (number | null)[] = steps.map(() => 0);
        let land = 0, failed = false, made = {};
        const buffers: ArrayBuffer[] = [];
        this.idle = { request, run };
        try {
            const order = this.turns(recipe), first = this.firstOf(order, steps);
            land = this.flat();
            if (first > 0)
                this.check(this.rv.rv_terrain_restore(land, this.kept.get(this.key(steps, order[first - 1].place + 1))!.snapshot));
            failed = !(await this.goIdle(land, recipe, order.slice(first), steps));
            for (const { place } of order.filter(({ whole }) => whole))
                ms[place] = this.kept.get(this.key(steps, place + 1))?.ms ?? null;
            if (!failed && !ms.includes(null)) {
                made = { width: this.rv.rv_terrain_width(land), height: this.rv.rv_terrain_height(land), cell: this.rv.rv_terrain_cell(land) };
                buffers.push(...fields.map((name) => this.copy(land, name, 1)));
            }
        } finally {
            this.idle.request = 0;
            this.rv.rv_terrain_destroy(land);
            this.rv.rv_recipe_destroy(recipe);
        }
        return { kind: 'prepared', ms, failed, ...made, fields: buffers.length > 0 ? fields : [], buffers };
    }

    /** False: something is wrong with a step. */
    private async goIdle(land: number, recipe: number, order: Turn[], steps: string[]): Promise<boolean> {
        let ms = 0;
        for (const turn of order) {
            const began = performance.now(), step = this.stepOf(recipe, turn.place), params = this.params(recipe, step, turn.turn);
            const status = await this.call(this.rv.rv_step_run, land, this.rv.rv_recipe_step(recipe, step), params, 0);
            this.rv.free(params);
            ms += performance.now() - began;
            if (status !== 0 || this.held + this.bytes(land) > SNAPSHOT_BYTES)
                return status === 0 || status === CANCELLED;
            if (turn.whole)
                this.keep(land, this.key(steps, turn.place + 1), this.figures(land), ms);
            ms = turn.whole ? 0 : ms;
            if (!(await this.gate.passIdle(this.idle.request, this.idle.run)))
                return true;
        }
        return true;
    }

    private failed(run: number, error: unknown, start: number): void {
        const status = error instanceof Wrong ? error.status : 8;
        this.post({ kind: 'ended', run, how: status === CANCELLED ? 'cancelled' : 'failed', place: this.at.place, ms: performance.now() - start,
            land: this.land ? this.about(this.land) : null, status,
            sentence: error instanceof Error ? error.message : String(error) }, []);
        if (!(error instanceof Wrong))
            throw error;
    }

    private async go(run: number, recipe: number, order: Turn[], start: number): Promise<void> {
        const { rv, layout } = this;
        const stopped = this.at.key.startsWith('kept'); // whatever follows is not what the list makes
        for (const turn of order) {
            const began = performance.now();
            // The last turn of a repeat stands for the whole of it: its step is the one before the end.
            const step = this.stepOf(recipe, turn.place);
            const params = this.params(recipe, step, turn.turn);
            const report = rv.malloc(layout['rv_report']);
            new Uint8Array(this.ravine.buffer, report, layout['rv_report']).fill(0);
            this.now = { run, place: step, shown: 0, on: true };
            this.post({ kind: 'step', run, place: step, turn: turn.turn, turns: turn.turns }, []);
            this.viewer.key = '';
            let status: number;
            try {
                status = await this.call(rv.rv_step_run, this.land, rv.rv_recipe_step(recipe, step), params, report);
            } finally {
                this.now.on = false;
                rv.free(params);
            }
            const ledger = this.ledger(report + layout['rv_report.ledger']);
            const water = this.struct<Water>('rv_water', report + layout['rv_report.water'],
                ['before', 'rained', 'evaporated', 'absorbed', 'left_map', 'standing']);
            const drops = Number(this.ravine.view.getBigUint64(report + layout['rv_report.drop_steps'], true));
            rv.free(report);
            if (status === CANCELLED)
                return this.stop(run, turn.place, start);
            const why = status !== 0 ? this.ravine.text(rv.rv_context_error(this.ctx)) : '';
            if (status !== 0 && status !== ERROR_UNMET) { // it may have taken fields away
                this.at = { place: -1, key: 'failed' };
                throw new Wrong(status, why);
            }
            const key = stopped ? `kept ${run} ${turn.place}` : this.key(this.steps, turn.place + 1);
            this.at = turn.whole ? { place: turn.place + 1, key } : { place: -1, key: '' };
            const figures = this.figures(this.land);
            if (turn.whole && !stopped)
                this.keep(this.land, key, figures, performance.now() - began);
            this.post({ kind: 'done_step', run, place: step, turn: turn.turn, turns: turn.turns,
                ms: performance.now() - began, land: this.about(this.land), ledger, water, drop_steps: drops, figures }, []);
            this.now.on = true;
            this.show(this.land, 1);
            this.now.on = false;
            if (status === ERROR_UNMET) // what was measured is told all the same
                throw new Wrong(status, why);
            if (turn.whole && !stopped)
                this.rescue(run, performance.now() - began);
            await this.gate.between();
            if (turn !== order.at(-1) && this.gate.ending(run))
                return this.between(run, start);
        }
        this.at.place = this.steps.length;
        const fields = this.live.last, buffers = fields.map((name) => this.copy(this.land, name, 1));
        this.post({ kind: 'ended', run, how: 'finished', place: this.steps.length, ms: performance.now() - start,
            land: this.about(this.land), status: 0, sentence: '', fields, buffers }, buffers);
    }

    private stepOf(recipe: number, place: number): number {
        let step = place;
        while (this.ravine.text(this.rv.rv_step_name(this.rv.rv_recipe_step(recipe, step))) === 'end')
            step--;
        return step;
    }

    /** The run was stopped in a step: its land is kept, or that of the last place comes back. */
    private stop(run: number, place: number, start: number): void {
        const how = this.gate.ending(run) === 'keep' ? 'kept' : 'cancelled';
        if (how === 'kept')
            this.at = { place: place + 1, key: `kept ${run} ${place}` };
        else
            this.back(place);
        this.post({ kind: 'ended', run, how, place: this.at.place, ms: performance.now() - start,
            land: this.about(this.land), status: CANCELLED, sentence: '' }, []);
    }

    /** The run was stopped between two steps. */
    private between(run: number, start: number): void {
        const how = this.gate.ending(run) === 'keep' ? 'kept' : 'cancelled';
        this.post({ kind: 'ended', run, how, place: this.at.place, ms: performance.now() - start,
            land: this.about(this.land), status: CANCELLED, sentence: '' }, []);
    }

    private back(place: number): void {
        for (let i = place; i >= 0; i--) {
            const key = this.key(this.steps, i), kept = this.used(key);
            if (!kept)
                continue;
            this.check(this.rv.rv_terrain_restore(this.land, kept.snapshot));
            this.at = { place: i, key };
            return;
        }
        this.at = { place: -1, key: 'cancelled' };
    }

    // ---- between slices ----

    /** 1: go on, 0: stop. Where the gate suspends calls it may be a promise of that. */
    private progress(now: number): number | Promise<number> {
        if (this.idle.request)
            return this.gate.passIdle(this.idle.request, this.idle.run);
        if (!this.now.on) // what is measured or saved gives way to a newer run
            return this.now.run < this.gate.newest ? 0 : 1;
        const land = this.ravine.view.getUint32(now + this.layout['rv_progress.land'], true);
        const done = this.ravine.view.getFloat64(now + this.layout['rv_progress.done'], true);
        if (land)
            this.show(land, done);
        return this.gate.pass(this.now.run, land !== 0, () =>
            this.post({ kind: 'held', run: this.now.run, place: this.now.place, done }, []));
    }

    private show(land: number, done: number): void {
        const t = performance.now(), { live } = this;
        if (!this.gate.holds(this.now.run) && (t - this.now.shown < 1000 / live.rate - 4 || !this.gate.wanted()))
            return;
        this.now.shown = t;
        const every = Math.max(1, live.every);
        const buffers = live.fields.map((name) => this.copy(land, name, every));
        this.post({
            kind: 'slice', run: this.now.run, place: this.now.place, done,
            width: Math.floor((this.rv.rv_terrain_width(land) - 1) / every) + 1,
            height: Math.floor((this.rv.rv_terrain_height(land) - 1) / every) + 1,
            cell: this.rv.rv_terrain_cell(land) * every, every, fields: live.fields, buffers,
        }, buffers);
    }
}
