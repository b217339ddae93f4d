// session.ts: the recipe and an engine together: what runs, what is known of each step, what is shown. The panels
// read it and are told when it changes.
import { EngineError, type Answer, type Engine } from './engine/engine';
import { MachineEngine, takeToken } from './engine/machine_engine';
import { fetchModule, PageEngine, threadsHere } from './engine/page_engine';
import type { Control, Event, Figure, Land, Ledger, Live } from './engine/messages';
import { findLook, isThere, type Look } from './looks';
import { FinePreviews } from './fine_previews';
import { OpenedFiles } from './opened_files';
import { Costs, idleSides, sidesOf } from './previews';
import { itemFromLine, preview, recipeText, runnable, sideOf, splitOff, type Item } from './recipe';
import { Store, fromAddress, toAddress, type Doc } from './store';
import { findStep } from './table';

/** What is known of a place of the list, under the words that lead to it. */
export interface Result {
    ms: number;
    land: Land;
    ledger: Ledger;
    drops: number;
}

export type State = 'starting' | 'running' | 'held' | 'done' | 'kept' | 'cancelled' | 'failed';

export interface Frame {
    width: number;
    height: number;
    cell: number;
    fields: Map<string, Float32Array>;
    land: Land | null;
    /** A slice of a run: not the last word. */
    isLive: boolean;
    isPreview: boolean;
    /** Cells along x that the engine has made: of a preview fewer than are shown. */
    made: number;
}

export interface SceneFrame extends Extract<Event, { kind: 'frame' }> {}

export interface Watcher {
    /** Something of the recipe or the run has changed. */
    changed(): void;
    /** There is a land to show. */
    frame(frame: Frame): void;
    scene(frame: SceneFrame): void;
    say(sentence: string, kind: 'note' | 'wrong'): void;
}

/** The last step that erodes, else the last one: what one wants to turn first. */
function mainStep(items: Item[]): number {
    return (items.filter((item) => findStep(item.step)?.kind === 'wear').at(-1) ?? items.at(-1))?.id ?? 0;
}

/** How long a preview may run before the next takes its place: one of which something is seen, and one of which nothing
 *  is yet; and how long nothing must have happened before the steps of previews are made beforehand. */
const PREVIEW_MS = 80, UNSEEN_MS = 400, IDLE_MS = 400;
/** Of previews that take no longer only the end is shown: their slices would flicker. */
const QUIET_MS = 100;
const SAVED = 'ravine-studio';
/** Far more than anybody looks through; of many thousands the list alone would hold the page up. */
const MOST_STEPS = 1000;
/** The status of a step that has run, and has not given what it was to give. */
const UNMET = 6;

export class Session {
    readonly store: Store;
    engine: Engine | null = null;
    about: Omit<Answer<'ready'>, 'id' | 'kind'> = { engine: 'page', version: '', threads: 1, memory: 0, pauses: true };
    /** Was the page served by the program, which then offers its own engine? */
    token = takeToken();
    wanted: 'page' | 'machine' = this.token ? 'machine' : 'page';
    state: State = 'starting';
    sentence = '';
    run = 0;
    /** The list that runs or has run, and the step of the recipe behind each of its places. */
    steps: string[] = [];
    items: Item[] = [];
    place = 0;
    done = 0;
    /** The place of the step that ended a run that failed. */
    wrongPlace = -1;
    /** Milliseconds between slices, of late. */
    pace = 0;
    results = new Map<string, Result>();
    land: Land | null = null;
    figures: Figure[] = [];
    look: Look = findLook('natural');
    /** The place that is looked at; null: the newest. */
    scrubbed: number | null = null;
    /** Cells along a side of the preview that is shown or made; 0: it is the land itself. */
    preview = 0;
    slices = false;
    scene: { words: string; name: string; frame: SceneFrame | null } | null = null;
    /** What was opened, and as what the engine has it. */
    private readonly files = new OpenedFiles();
    private timer = 0;
    private idleTimer = 0;
    /** The number of what is made in idle time; 0: nothing is. */
    private preparing = 0;
    /** The last that a run or work in idle time has got. */
    private numbers = 0;
    private readonly costs = new Costs();
    private readonly fine = new FinePreviews();
    /** Of the steps of this run, as far as they are done. */
    private took: (number | null)[] = [];
    /** The place from which on slices are shown; Infinity: only the end of the run. */
    private liveFrom = 0;
    /** A finer preview of what has been shown. */
    private isFiner = false;
    private isSeen = false;
    private started = 0;
    private lastSlice = 0;
    private restarts = 0;
    /** The last wish for this run. */
    private wished: Control | null = null;
    /** The recipe of the last run as text, and the hashes that each engine has given for recipes. */
    private text = '';
    private readonly made = new Map<string, Partial<Record<Answer<'ready'>['engine'], string>>>();
    /** The spare engine makes the land of this run, too. */
    private checked = 0;
    /** The newest land that an engine has sent for the case that it dies, and the steps that make it. */
    private rescued: { steps: string[]; bytes: ArrayBuffer } | null = null;
    private rescueEvery = 2000;
    /** In a page of the program: the engine that goes on if the program ends. It must be there before that. */
    private spare: { engine: PageEngine; about: Session['about'] } | null = null;
    private threads = threadsHere();
    private isBegun = false; // before that there is nothing to save, and what was saved stays

    constructor(private readonly watcher: Watcher) {
        this.store = new Store((isLive) => this.edited(isLive));
    }

    // ---- the engine ----

    async open(): Promise<void> {
        try {
            await this.greet();
        } catch (error) {
            if (this.wanted === 'machine' || this.threads === 1)
                throw error;
            this.threads = 1; // where memory cannot be shared after all, or not so much
            await this.greet();
        }
        for (const [name, { bytes }] of this.files)
            await this.put(name, bytes);
    }

    private async greet(): Promise<void> {
        let isOpen = false;
        const listener = { event: (event: Event) => this.hear(event), died: (why: string) => { if (isOpen) void this.revive(why); } };
        this.engine = this.wanted === 'machine' ? new MachineEngine(this.token, listener)
            : new PageEngine(await fetchModule(this.threads), this.threads, listener);
        this.costs.clear();
        this.about = await this.engine.ask<'ready'>({ kind: 'hello' });
        isOpen = true;
    }

    /** Another engine, or another device of this machine: the same recipe, and the same hash. */
    async choose(wanted: 'page' | 'machine', device = 0): Promise<void> {
        if (!this.token)
            return;
        if (wanted !== this.wanted)
            await this.exchange();
        if (wanted === 'machine' && device !== this.about.device)
            await this.changeDevice(device);
    }

    /** A run goes on with it from the step that it was in. */
    private async changeDevice(device: number): Promise<void> {
        const { run, isBusy } = this;
        this.control('cancel'); // else the device would change only after the run
        try {
            this.about = await this.engine!.ask<'ready'>({ kind: 'device', device });
        } finally {
            if (isBusy && run === this.run)
                this.again();
            this.watcher.changed();
        }
    }

    private async exchange(): Promise<void> {
        this.wanted = this.wanted === 'machine' ? 'page' : 'machine';
        this.checked = 0;
        this.engine?.end();
        this.engine = null;
        this.spare?.engine.end();
        this.spare = null;
        this.isStandingBy = false;
        this.state = 'starting';
        this.watcher.changed();
        await this.open();
        this.again();
    }

    /** The recipe is the land: another engine makes it, from the last land that this one has sent. */
    private async revive(why: string): Promise<void> {
        const { spare } = this, wasMachine = this.wanted === 'machine';
        this.engine = null;
        if (this.checked) // else what it is to go on from would wait for the end of that
            spare?.engine.control(this.checked, 'cancel');
        this.checked = 0;
        if (this.restarts++ > 3 || (wasMachine && !spare))
            return this.fail(wasMachine ? 'ravine studio has ended. The recipe is safe in the address of this page: start it again, and reload.'
                : `The engine stopped again and again (${why}). The recipe is safe: reload the page.`);
        this.wanted = 'page';
        if (wasMachine)
            this.token = ''; // the one of the next start is another
        try {
            if (spare) {
                this.costs.clear();
                this.engine = spare.engine;
                this.about = spare.about;
                this.spare = null;
                for (const [name, { bytes }] of this.files)
                    await this.put(name, bytes);
            } else
                await this.open();
            await this.putBack();
        } catch (error) {
            return this.fail(`The engine stopped (${why}), and no other could be started. ${(error as Error).message} The recipe is safe: reload the page.`);
        }
        this.watcher.say(wasMachine ? 'ravine studio has ended. The page goes on with its own engine, from the last land that it was sent.'
            : `The engine stopped (${why}). It was started again, and goes on from the last land that was saved.`, 'wrong');
        this.again();
    }

    /** Does something run, or is it held in the midst? The engine then answers nothing else. */
    get isBusy(): boolean { return this.state === 'running' || this.state === 'held' || this.state === 'starting'; }

    /** When nothing runs any more. */
    private async rest(): Promise<void> {
        while (this.isBusy)
            await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    private waiting: (() => void)[] = [];

    private rested(): void { this.waiting.splice(0).forEach((go) => go()); }

    private fail(sentence: string): void {
        this.state = 'failed';
        this.rested();
        this.sentence = sentence;
        this.watcher.say(sentence, 'wrong');
        this.watcher.changed();
    }

    private async putBack(): Promise<void> {
        if (!this.rescued)
            return;
        const { steps, bytes } = this.rescued;
        try {
            await this.engine!.ask({ kind: 'revive', steps }, [bytes.slice(0)]);
        } catch (error) { // it is then made from the first step on
            if (!(error instanceof EngineError))
                throw error;
        }
    }

    /** While `ravine studio` answers, its page gets ready to go on without. */
    private async standBy(): Promise<void> {
        if (this.wanted !== 'machine' || this.spare || this.isStandingBy)
            return;
        this.isStandingBy = true;
        try {
            const threads = this.threads, listener = { event: (event: Event) => {
                if (this.engine === engine)
                    this.hear(event);
                else
                    this.hearSpare(event);
            }, died: (why: string) => {
                if (this.engine === engine)
                    return void this.revive(why);
                this.spare = null;
                this.checked = 0;
                this.watcher.changed();
            } };
            const engine: PageEngine = new PageEngine(await fetchModule(threads), threads, listener);
            this.spare = { engine, about: await engine.ask<'ready'>({ kind: 'hello' }) };
            this.checkSoon();
            this.watcher.changed();
        } catch { /* then there is none: the page says so when it is needed */ }
    }
    private isStandingBy = false;

    // ---- the same land from both engines ----

    /** What each engine has made of the recipe, as far as it has. */
    get hashes(): Partial<Record<Answer<'ready'>['engine'], string>> { return this.made.get(this.text) ?? {}; }

    get isChecking(): boolean { return this.checked === this.run; }

    /** Can the engine of the page make the land that this machine has made? */
    get canCheck(): boolean {
        return this.spare !== null && this.state === 'done' && !this.isPreview && !this.isChecking && !this.hashes.page && this.items.every((item) => this.files.hasThoseOf(item));
    }

    private note(engine: Answer<'ready'>['engine'], hash: string): void {
        this.made.set(this.text, { ...this.made.get(this.text), [engine]: hash });
        if (this.made.size > 64)
            this.made.delete(this.made.keys().next().value!);
    }

    /** What took this machine no time is made in the page without a word, also where that fails. */
    private checkSoon(): void {
        if (this.canCheck && this.ms < 1500)
            void this.check(false);
    }

    /** Makes the land in the page, too, to compare the hashes. */
    async check(isAsked = true): Promise<void> {
        if (!this.canCheck)
            return;
        this.isCheckAsked = isAsked;
        const { engine } = this.spare!, run = this.checked = this.run, files = new OpenedFiles();
        this.watcher.changed();
        try {
            for (const [name, { bytes }] of this.files) {
                const file = await files.add('page', name, bytes, this.files);
                await engine.ask({ kind: 'put', name: file.name }, [file.sent]);
            }
            if (run !== this.run)
                return;
            await engine.ask({ kind: 'run', run, steps: this.items.map((item) => files.words(item)),
                live: { fields: [], rate: 1, every: 4096, last: [], slices: false, rescue: 1e300 } });
        } catch (error) {
            this.checked = 0;
            this.sayUnchecked((error as Error).message);
        }
        this.watcher.changed();
    }

    private isCheckAsked = false;

    private sayUnchecked(why: string): void {
        if (this.isCheckAsked)
            this.watcher.say(`The page could not make this land. ${why}`, 'wrong');
    }

    private hearSpare(event: Event): void {
        if (event.kind === 'slice')
            this.spare?.engine.seen();
        if (event.kind !== 'ended' || event.run !== this.run || event.run !== this.checked)
            return;
        this.checked = 0;
        if (event.how === 'finished' && event.land)
            this.note('page', event.land.hash);
        else if (event.how === 'failed')
            this.sayUnchecked(event.sentence);
        this.prepareSoon();
        this.watcher.changed();
    }

    // ---- documents ----

    /** Reads a recipe with the library's own reader. */
    async read(text: string): Promise<Item[]> {
        const given = splitOff(text);
        const { steps } = await this.engine!.ask<'recipe'>({ kind: 'read', text: given.text }).catch((error: unknown) => {
            throw error instanceof EngineError ? new EngineError(error.message.replace(/^recipe, line/, 'line'), error.status) : error;
        });
        if (steps.length > MOST_STEPS)
            throw new EngineError(`it has ${steps.length} steps, and the page takes ${MOST_STEPS}.`, 0);
        return steps.map((line, i) => ({ ...itemFromLine(line), on: !given.off.has(i) }));
    }

    /** The recipe of the address, else the last one that was worked on, else `first`. */
    async begin(first: Doc): Promise<void> {
        const given = location.hash.slice(1);
        let doc: Doc | null = null;
        try {
            if (given)
                doc = { name: 'from a link', items: await this.read(await fromAddress(given)) };
            else if (this.about.recipe)
                doc = { name: this.about.name?.replace(/^.*\/|\.rv$/g, '') || 'land', items: await this.read(this.about.recipe) };
        } catch (error) {
            const why = error instanceof EngineError ? error.message[0].toUpperCase() + error.message.slice(1) : 'It is damaged.';
            this.watcher.say(`The recipe in this address cannot be opened. ${why}`, 'wrong');
        }
        try {
            const saved = localStorage.getItem(SAVED);
            if (!doc && saved) {
                const { name, text } = JSON.parse(saved);
                doc = { name: String(name), items: await this.read(String(text)) };
            }
        } catch {
            const saved = localStorage.getItem(SAVED); // of another version: kept, though nobody can read it now
            if (saved)
                localStorage.setItem(`${SAVED}-unread`, saved);
        }
        this.store.begin(doc && doc.items.length > 0 ? doc : first);
        this.store.selected = mainStep(this.store.doc.items);
        this.isBegun = true;
        this.start();
    }

    /** What needs the engine while something runs that will not be wanted any more if it goes well. */
    private async instead<T>(work: () => Promise<T>): Promise<T> {
        const { run, state } = this;
        this.control('cancel'); // else it would wait until the run is over
        try {
            return await work();
        } catch (error) {
            if (run === this.run && (state === 'running' || state === 'held'))
                this.again();
            throw error;
        }
    }

    async openText(name: string, text: string): Promise<void> {
        const items = await this.instead(() => this.read(text));
        this.leaveScene();
        this.store.replace({ name, items });
        this.select(mainStep(items));
    }

    private async save(): Promise<void> {
        const text = recipeText(this.store.doc.items);
        try {
            localStorage.setItem(SAVED, JSON.stringify({ name: this.store.doc.name, text }));
        } catch { /* full, or not allowed: the address still holds it */ }
        const address = await toAddress(text);
        if (text === recipeText(this.store.doc.items) && location.hash.slice(1) !== address) // else a newer one is on its way
            history.replaceState(null, '', `#${address}`);
    }

    /** Puts a file where steps find it. */
    async put(name: string, bytes: ArrayBuffer): Promise<void> {
        const isSame = this.files.isSame(name, bytes), file = await this.files.add(this.about.engine, name, bytes);
        if (!isSame) { // what steps read is another file now
            this.rescued = null;
            this.costs.clear();
            this.fine.clear();
        }
        await this.engine!.ask({ kind: 'put', name: file.name }, [file.sent]);
    }

    /** A file that somebody opens: what runs makes way. */
    async take(name: string, bytes: ArrayBuffer): Promise<void> {
        await this.instead(() => this.put(name, bytes));
    }

    hasFile(name: string): boolean { return this.files.has(name); }

    // ---- edits and runs ----

    private edited(isLive: boolean): void {
        clearTimeout(this.timer);
        this.timer = 0;
        this.scrubbed = null;
        this.leaveScene();
        const items = runnable(this.store.doc.items);
        const lines = items.map((item) => this.files.words(item)), last = lines.length - 1;
        const isQuick = items[last]?.step === 'stroke' && !this.isPreview && lines.slice(0, last).join() === this.steps.slice(0, last).join();
        if (isLive && !isQuick)
            this.showPreview();
        else
            this.start();
        if (!isLive && this.isBegun)
            void this.save();
        this.watcher.changed();
    }

    get isPreview(): boolean { return this.preview > 0; }

    /** The steps as a preview of a size runs them. */
    private small(side: number): { lines: string[]; items: Item[] } {
        return preview(runnable(this.store.doc.items).map((item) => ({ ...item, values: this.valuesFor(item) })), side);
    }

    private get sides(): number[] { return sidesOf(sideOf(runnable(this.store.doc.items))); }

    /** Changes of a slider come faster than a land is made: a preview may run for a while before the next takes its
     *  place, else each would end before there is something to see of it. */
    private showPreview(): void {
        clearTimeout(this.timer);
        this.timer = 0;
        const wait = (this.isSeen ? PREVIEW_MS : UNSEEN_MS) - (performance.now() - this.started);
        if (this.isPreview && !this.isFiner && this.state === 'running' && wait > 0) {
            this.timer = window.setTimeout(() => this.showPreview(), wait);
            return;
        }
        this.goPreview(this.costs.firstOf(this.sides, (side) => this.small(side).lines), false);
    }

    private goPreview(side: number, isFiner: boolean): void {
        const { lines, items } = this.small(side);
        this.isFiner = isFiner;
        this.liveFrom = isFiner || this.costs.guess(side, lines) < QUIET_MS ? Infinity : this.costs.slowest(side, lines);
        this.go(lines, items, side);
    }

    /** The size after that of the preview; undefined: there is none. */
    get finer(): number | undefined { return this.isPreview ? this.sides.find((side) => side > this.preview) : undefined; }

    /** The slider rests: the same in the next size, until it is as fine as a preview gets. */
    private goFiner(): void {
        const { finer } = this;
        if (finer && this.state === 'done' && !this.timer && this.about.pauses)
            this.goPreview(finer, true);
    }

    // ---- idle time ----

    /** Somebody does something: what is made in idle time waits. */
    disturb(): void {
        if (this.preparing)
            this.engine?.control(this.preparing, 'cancel');
        this.prepareSoon();
    }

    private prepareSoon(): void {
        clearTimeout(this.idleTimer);
        this.idleTimer = window.setTimeout(() => void this.prepare(), IDLE_MS);
    }

    /** Are the steps of all previews of this land made? */
    get isPrepared(): boolean { return this.sides.every((side) => this.hasMade(side)); }

    private hasMade(side: number): boolean { return this.costs.has(side, this.small(side).lines) && (side === this.sides.at(-1) || this.fine.has(side)); }

    /** Makes the steps of previews beforehand: then a slider that is dragged has only its own step and those after it to
     *  make, and it is known how long these take. */
    private async prepare(): Promise<void> {
        const isIdle = () => this.state === 'done' && !this.isPreview && !this.scene && !this.preparing && !this.isChecking && this.about.pauses;
        const { run } = this, sides = isIdle() ? await idleSides(sideOf(this.items)) : [];
        for (const side of sides) {
            const { lines } = this.small(side);
            if (!isIdle() || run !== this.run || this.hasMade(side))
                continue;
            this.preparing = ++this.numbers;
            const reply = await this.engine!.ask<'prepared'>({ kind: 'prepare', run: this.preparing, steps: lines, fields: side === this.sides.at(-1) ? [] : ['height'] }).catch(() => null);
            this.preparing = 0;
            if (!reply)
                return;
            if (run === this.run && reply.cell && reply.buffers.length > 0)
                this.fine.note(side, lines.join('\n'), { width: reply.width!, height: reply.height!, cell: reply.cell, heights: new Float32Array(reply.buffers[0]) });
            if (run === this.run && reply.failed)
                this.fine.noteNone(side);
            // So few cells may be too few for a step: then a finer preview is the first.
            const ms = reply.failed ? reply.ms.map((each) => each ?? Infinity) : reply.ms;
            this.costs.note(side, lines, ms);
            if (ms.includes(null))
                return;
        }
    }

    private valuesFor(item: Item): Record<string, string> { return itemFromLine(this.files.words(item)).values; }

    /** Runs the recipe as it is, from the step that changed. */
    start(): void {
        const items = runnable(this.store.doc.items);
        this.liveFrom = 0;
        this.isFiner = false;
        this.go(items.map((item) => this.files.words(item)), items, 0);
    }

    private live(): Live {
        const fields = ['height', ...this.look.fields.filter((name) => name !== 'layers' && name !== 'height')];
        const big = sideOf(this.items) > 1024;
        return { fields: this.liveFrom === Infinity ? [] : fields, rate: 30, every: big ? 2 : 1, last: this.shownFields, slices: this.slices && !this.isPreview, rescue: this.isPreview ? 1e300 : this.rescueEvery };
    }

    private go(steps: string[], items: Item[], side: number): void {
        if (!this.engine)
            return;
        if (!this.about.pauses && (this.state === 'running')) { // it hears nothing: only its end ends the run
            this.engine.end();
            void this.open().then(() => this.begun(steps, items, side));
            return;
        }
        this.begun(steps, items, side);
    }

    /** The number of another run; what the page makes beside it is not wanted any more. */
    private nextRun(): void {
        if (this.checked)
            this.spare?.engine.control(this.checked, 'cancel');
        this.checked = 0;
        this.run = ++this.numbers;
        this.wished = null;
    }

    private begun(steps: string[], items: Item[], side: number): void {
        this.nextRun();
        this.text = recipeText(items);
        this.steps = steps;
        this.items = items;
        this.preview = side;
        this.took = steps.map(() => null);
        this.isSeen = false;
        this.state = 'running';
        this.sentence = '';
        this.place = 0;
        this.done = 0;
        this.figures = [];
        this.started = this.lastSlice = performance.now();
        this.ask({ kind: 'run', run: this.run, steps, live: this.live() });
        this.watcher.changed();
    }

    private ask(request: Parameters<Engine['ask']>[0]): void {
        this.engine?.ask(request).catch((error: Error) => this.watcher.say(error.message, 'wrong'));
    }

    control(wish: Control): void {
        if (this.state !== 'running' && this.state !== 'held')
            return;
        this.engine?.control(this.run, wish);
        this.wished = wish;
        if (wish === 'resume')
            this.state = 'running';
        this.watcher.changed();
    }

    /** Pause, go on, or run again. */
    toggle(): void {
        if (this.state === 'running')
            this.control('pause');
        else if (this.state === 'held') {
            this.slices = false;
            this.control('resume');
        } else if (this.state === 'kept' || this.state === 'cancelled')
            this.continue();
        else
            this.again();
    }

    again(): void {
        if (this.scene)
            return this.startScene(this.scene.name, this.scene.words);
        this.start();
    }

    /** Goes on with the land as it is. */
    continue(): void {
        if (this.state === 'cancelled' || this.scene)
            return this.again();
        this.nextRun();
        this.state = 'running';
        this.started = this.lastSlice = performance.now();
        this.ask({ kind: 'continue', run: this.run, live: this.live() });
        this.watcher.changed();
    }

    oneSlice(): void {
        if (this.state === 'running' || this.state === 'held')
            this.control('slice');
    }

    // ---- scenes ----

    startScene(name: string, words: string): void {
        this.scene = { name, words, frame: null };
        this.nextRun();
        this.state = 'running';
        this.sentence = '';
        this.started = this.lastSlice = performance.now();
        this.ask({ kind: 'scene', run: this.run, words, live: this.live() });
        this.watcher.changed();
    }

    private leaveScene(): void { this.scene = null; }

    /** Back to the land. */
    endScene(): void {
        this.leaveScene();
        this.start();
    }

    // ---- what the engine says ----

    private key(place: number): string { return this.steps.slice(0, place).join('\n'); }

    result(place: number): Result | undefined { return this.results.get(this.key(place)); }

    private hear(event: Event): void {
        if (event.kind === 'log')
            return;
        if (event.kind === 'slice')
            this.engine?.seen();
        if (event.run !== this.run)
            return;
        switch (event.kind) {
        case 'started':
            this.place = event.place;
            break;
        case 'step':
            this.place = event.place;
            this.done = event.turn / event.turns;
            break;
        case 'slice':
            this.place = event.place;
            this.done = event.done;
            this.paced();
            if (event.place < this.liveFrom || (this.isPreview && !this.fine.fits(this.preview, event)))
                break;
            this.seen();
            this.showFrame(event, null, event.fields, event.buffers);
            break;
        case 'rescue':
            this.rescued = { steps: this.steps.slice(0, event.place), bytes: event.buffers[0] };
            return;
        case 'held':
            if (this.wished !== 'resume') // else it was held before it heard that
                this.state = 'held';
            break;
        case 'done_step':
            this.results.set(this.key(event.place + 1), { ms: event.ms, land: event.land, ledger: event.ledger, drops: event.drop_steps });
            this.took[event.place] = (this.took[event.place] ?? 0) + event.ms;
            if (event.figures.length > 0)
                this.figures = event.figures;
            break;
        case 'frame':
            if (this.scene)
                this.scene.frame = event;
            this.place = event.frame;
            this.done = event.frame / Math.max(event.frames, 1);
            this.paced();
            this.watcher.scene(event);
            break;
        case 'ended':
            this.ended(event);
            break;
        }
        this.watcher.changed();
    }

    private paced(): void {
        const now = performance.now();
        this.pace = this.pace ? 0.7 * this.pace + 0.3 * (now - this.lastSlice) : now - this.lastSlice;
        this.lastSlice = now;
    }

    elapsed(): number { return performance.now() - this.started; }
    ms = 0;

    private ended(event: Extract<Event, { kind: 'ended' }>): void {
        this.state = ({ finished: 'done', kept: 'kept', cancelled: 'cancelled', failed: 'failed' } as const)[event.how];
        this.place = event.place;
        this.done = 0;
        this.ms = event.ms;
        this.sentence = event.sentence;
        this.wrongPlace = -1;
        this.rested();
        if (this.scene && event.how === 'failed') { // there is nothing to see of it
            this.watcher.say(event.sentence, 'wrong');
            return this.endScene();
        }
        if (this.scene)
            return;
        if (event.how === 'failed')
            this.blame(event);
        this.land = event.land;
        if (event.how === 'finished' && event.land && !this.isPreview)
            this.note(this.about.engine, event.land.hash);
        if (event.how === 'finished' && !this.isPreview && !isThere(this.look, event.land))
            this.look = findLook('natural'); // what it showed is gone, as after an undo
        this.checkSoon();
        if (event.how !== 'failed')
            this.restarts = 0;
        const finer = this.finer;
        if (event.how === 'failed' && finer) // so few cells may be too few for a step
            return this.goPreview(finer, false);
        if (event.how === 'failed')
            this.watcher.say(this.sentence, 'wrong');
        if (event.how === 'finished')
            this.noteCosts();
        const isShown = event.place >= 0 && event.land && !this.showEnd(event) ? this.show() : Promise.resolve();
        if (this.timer) // the slider has gone on meanwhile
            void isShown.then(() => this.timer && this.showPreview());
        else if (this.isPreview)
            void isShown.then(() => this.goFiner());
        else
            this.prepareSoon();
        void this.standBy();
    }

    /** Which step it was, and what is said of it: the engine knows lines and columns, a person steps and files. */
    private blame({ sentence, status, place }: Extract<Event, { kind: 'ended' }>): void {
        const [, line, words = sentence] = /^recipe, line (\d+)(?:, column \d+)?: (.*)$/s.exec(sentence) ?? [];
        this.wrongPlace = line ? +line - 1 : status === UNMET ? place - 1 : place;
        const item = this.items[this.wrongPlace], missing = item && this.about.engine === 'page' ? this.files.missing(item)[0] : undefined;
        this.sentence = missing ? `${item.step}: the file ${missing} is not in this page. Drop it here, or choose it among the parameters.`
            : item && !words.startsWith(item.step) ? `${item.step}: ${words}` : words;
    }

    /** Does a step wait for a file of this name? */
    awaits(name: string): boolean { return this.items.some((item) => this.files.missing(item).includes(name)); }

    /** Something of a preview is seen: the next may take its place sooner. */
    private seen(): void {
        if (this.isSeen)
            return;
        this.isSeen = true;
        if (this.timer)
            this.showPreview();
    }

    /** What was there already took what it took before. */
    private noteCosts(): void {
        const side = this.preview || sideOf(this.items);
        this.costs.note(side, this.steps, this.took.map((ms, i) => ms ?? this.result(i + 1)?.ms ?? this.costs.msOf(side, this.steps, i)
            ?? (['repeat', 'end'].includes(this.items[i].step) ? 0 : null))); // the time of a repeat is that of its steps
    }

    // ---- looking ----

    /** The fields of the look. */
    private get shownFields(): string[] {
        const wanted = ['height', 'flow', 'water', ...this.look.fields, ...this.look.also ?? []], { layers = [] } = this.land ?? {};
        return [...new Set(wanted.flatMap((name) => (name !== 'layers' ? name : layers.length > 1 ? layers.map((_, i) => `layer ${i}`) : [])))];
    }

    /** land: null for a slice of a run. */
    private showFrame({ width, height, cell }: { width: number; height: number; cell: number }, land: Land | null, names: string[], buffers: ArrayBuffer[]): void {
        const fields = new Map<string, Float32Array>();
        names.forEach((name, i) => buffers[i].byteLength > 0 && fields.set(name, new Float32Array(buffers[i])));
        const frame: Frame = { width, height, cell, fields, land, isLive: land === null, isPreview: this.isPreview, made: width };
        // The newest that is as fine as a preview gets is what the next are changes to, so that detail does not come and go.
        const isFinest = land && this.scrubbed === null && this.state === 'done' && (!this.isPreview || !this.finer), lines = (side: number) => this.small(side).lines.join('\n');
        if (isFinest && (!this.isPreview || lines(this.preview) === this.steps.join('\n'))) // else the slider has gone on
            this.fine.begin(frame, lines);
        const own = this.look.name === 'natural' ? [] : names.filter((name) => this.look.fields.includes(name.replace(/^layer .*/, 'layers')));
        this.watcher.frame(this.isPreview ? this.fine.refine(this.preview, this.key(this.steps.length), frame, own) : frame);
    }

    /** What came with the end of the run. False: something else is looked at. */
    private showEnd({ land, fields = [], buffers = [] }: Extract<Event, { kind: 'ended' }>): boolean {
        if (!land || this.scrubbed !== null || !this.shownFields.every((name) => fields.includes(name)))
            return false;
        this.showFrame(land, land, fields, buffers);
        return true;
    }

    /** Shows the place that is looked at, with the fields of the look. */
    async show(): Promise<void> {
        if (this.state === 'running' || this.state === 'held' || !this.engine || this.scene)
            return;
        const run = this.run, place = this.scrubbed ?? this.place, names = this.shownFields;
        try {
            const reply = await this.engine.ask<'fields'>({ kind: 'look', place, fields: names });
            if (run !== this.run)
                return;
            this.showFrame(reply.land, reply.land, names, reply.buffers);
        } catch (error) {
            if (run === this.run) // else it was of a list that is not there any more
                this.watcher.say((error as Error).message, 'wrong');
        }
    }

    /** To the one who uses the page. */
    tell(sentence: string): void { this.watcher.say(sentence, 'note'); }

    setLook(name: string): void {
        this.look = findLook(name);
        void this.show();
        this.watcher.changed();
    }

    scrub(place: number | null): void {
        this.scrubbed = place;
        void this.show();
        this.watcher.changed();
    }

    /** The place before the first step that erodes. */
    get originalPlace(): number {
        const at = this.items.findIndex((item) => findStep(item.step)?.kind === 'wear');
        return at < 0 ? this.items.length : at;
    }

    async original(): Promise<Frame | null> {
        if (!this.engine || this.state === 'running' || this.state === 'held')
            return null;
        const { land, buffers } = await this.engine.ask<'fields'>({ kind: 'look', place: this.originalPlace, fields: ['height'] });
        return { ...land, fields: new Map([['height', new Float32Array(buffers[0])]]), land, isLive: false, isPreview: false, made: land.width };
    }

    async measure(): Promise<void> {
        await this.rest();
        const { figures } = await this.engine!.ask<'figures'>({ kind: 'measure', place: this.scrubbed ?? this.place });
        this.figures = figures;
        this.watcher.changed();
    }

    async filesOf(step: string): Promise<{ name: string; bytes: ArrayBuffer }[]> {
        await this.rest();
        const reply = await this.engine!.ask<'files'>({ kind: 'save', place: this.scrubbed ?? this.place, step });
        return reply.files.map((name, i) => ({ name, bytes: reply.buffers[i] }));
    }

    /** On this machine: a file in the folder where `ravine studio` was started. Its path; one that is there already is
     *  not written, unless it is to be replaced. */
    async storeFile(step: string, replace: boolean): Promise<{ file: string; isThere: boolean }> {
        await this.rest();
        const reply = await this.engine!.ask<'files' | 'exists'>({ kind: 'store', place: this.scrubbed ?? this.place, step, replace });
        return reply.kind === 'exists' ? { file: reply.file, isThere: true } : { file: reply.files[0], isThere: false };
    }

    select(id: number): void {
        this.store.selected = id;
        if (this.scene) // it has no steps
            this.endScene();
        this.watcher.changed();
    }

    /** Of all steps that eroded, up to the place that is looked at. */
    ledger(): Ledger | null {
        let sum: Ledger | null = null;
        for (let place = 1; place <= (this.scrubbed ?? this.steps.length); place++) {
            const result = this.result(place);
            if (!result || findStep(this.items[place - 1]?.step ?? '')?.kind !== 'wear')
                continue;
            const l: Ledger = result.ledger;
            sum ??= { eroded: 0, deposited: 0, left_map: 0, suspended: 0, raised: 0, before: 0 };
            for (const key of Object.keys(sum) as (keyof Ledger)[])
                sum[key] += l[key];
        }
        return sum;
    }
}
