// gate.ts: how a run that keeps its worker busy is held, let go and stopped. Where the page is cross-origin
// isolated the wish lies in shared memory, and the worker sleeps on it. Elsewhere, where the browser can suspend
// WebAssembly, the call waits while the worker reads its messages. Where neither is there, a run cannot be held:
// to cancel it the page ends the worker.
import type { Control } from './messages';

const WISHES = ['resume', 'pause', 'slice', 'keep', 'cancel'] as const satisfies readonly Control[];
const KINDS = 8; // numbers that the kind of a wish may have
/** Words of the shared memory: the newest wish, how many slices the page has not drawn yet, the newest run that was asked
 *  for (older ones end), and the newest request (what is made in idle time ends). */
const WISH = 0, UNSEEN = 1, NEWEST = 2, ASKED = 3;
export const GATE = 4;

/** A wish and the run that it is for, in one word, so that it never is for another. */
const wordOf = (run: number, wish: Control): number => run * KINDS + WISHES.indexOf(wish);

export class Gate {
    readonly suspends: boolean;
    readonly pauses: boolean;
    private readonly words: Int32Array;
    private wake: (() => void) | null = null;
    private told = false;

    constructor(private readonly shared: Int32Array | null) {
        this.words = shared ?? new Int32Array(GATE);
        this.suspends = !shared && 'Suspending' in WebAssembly;
        this.pauses = shared !== null || this.suspends;
    }

    /** What is wished of a run; as long as nothing is, it goes on. */
    private wishOf(run: number): Control {
        const word = Atomics.load(this.words, WISH);
        return Math.floor(word / KINDS) === run ? WISHES[word % KINDS] : 'resume';
    }

    /** From `was` to another wish, unless something else has been wished meanwhile. */
    private change(was: number, word: number): boolean {
        if (Atomics.compareExchange(this.words, WISH, was, word) !== was)
            return false;
        Atomics.notify(this.words, WISH);
        this.wake?.();
        return true;
    }

    /** A wish for a run; one for a run that ends anyway, or is over, is not heard. */
    tell(run: number, wish: Control): void {
        for (;;) {
            const was = Atomics.load(this.words, WISH);
            if (run < this.newest || run < Math.floor(was / KINDS) || this.change(was, wordOf(run, wish)))
                return;
        }
    }

    private grow(word: number, to: number): void {
        for (;;) {
            const was = Atomics.load(this.words, word);
            if (was >= to || Atomics.compareExchange(this.words, word, was, to) === was)
                return;
        }
    }

    get newest(): number { return Atomics.load(this.words, NEWEST); }

    /** A new run is wanted: what runs ends. What has been wished of the new one holds. */
    set newest(run: number) {
        this.grow(NEWEST, run);
        for (;;) {
            const was = Atomics.load(this.words, WISH);
            if (run <= Math.floor(was / KINDS) || this.change(was, wordOf(run, 'resume')))
                return;
        }
    }

    get asked(): number { return Atomics.load(this.words, ASKED); }
    set asked(request: number) { this.grow(ASKED, request); }

    /** Asked by what a request has made run in idle time. 1: go on, 0: stop. */
    passIdle(request: number, run: number): number | Promise<number> {
        const answer = () => (this.asked > request || this.wishOf(run) === 'cancel' ? 0 : 1);
        if (this.shared || !this.suspends)
            return answer();
        return new Promise((resolve) => setTimeout(() => resolve(answer()))); // messages come in
    }

    holds(run: number): boolean { return ['pause', 'slice'].includes(this.wishOf(run)); }

    /** May another slice be sent, or are there enough on their way? */
    wanted(): boolean { return !this.shared || Atomics.load(this.shared, UNSEEN) < 2; }
    sent(): void { if (this.shared) Atomics.add(this.shared, UNSEEN, 1); }
    seen(): void { if (this.shared) Atomics.sub(this.shared, UNSEEN, 1); }

    /** Asked by the running step. whole: the land may be looked at. 1: go on, 0: stop. */
    pass(run: number, whole: boolean, held: () => void): number | Promise<number> {
        if (this.shared)
            return this.sleep(run, whole, held);
        return this.suspends ? this.wait(run, whole, held) : 1;
    }

    private answer(run: number, whole: boolean): number | null {
        if (run < this.newest)
            return 0;
        const wish = this.wishOf(run);
        if (wish === 'keep' || wish === 'cancel')
            return 0;
        if (wish === 'resume') {
            this.told = false;
            return 1;
        }
        if (wish === 'slice' && whole) { // this is the slice: hold from here on
            this.change(wordOf(run, 'slice'), wordOf(run, 'pause'));
            this.told = false;
            return this.answer(run, false);
        }
        return wish === 'slice' ? 1 : null;
    }

    private sleep(run: number, whole: boolean, held: () => void): number {
        for (;;) {
            const answer = this.answer(run, whole);
            if (answer !== null)
                return answer;
            this.say(held);
            Atomics.wait(this.words, WISH, wordOf(run, 'pause'));
            whole = false;
        }
    }

    private async wait(run: number, whole: boolean, held: () => void): Promise<number> {
        await new Promise((resolve) => setTimeout(resolve)); // messages come in
        for (;;) {
            const answer = this.answer(run, whole);
            if (answer !== null)
                return answer;
            this.say(held);
            await new Promise<void>((resolve) => { this.wake = resolve; });
            this.wake = null;
            whole = false;
        }
    }

    private say(held: () => void): void {
        if (!this.told)
            held();
        this.told = true;
    }

    /** Is the run to be kept as it is, or is it not wanted any more? */
    ending(run: number): 'keep' | 'cancel' | null {
        const wish = run < this.newest ? 'cancel' : this.wishOf(run);
        return wish === 'cancel' || wish === 'keep' ? wish : null;
    }

    /** A run begins. */
    begin(run: number, held: boolean): void {
        if (held)
            this.change(wordOf(run, 'resume'), wordOf(run, 'slice'));
        this.told = false;
    }

    /** Between two steps: messages come in, where that is how wishes come. */
    async between(): Promise<void> {
        if (!this.shared)
            await new Promise((resolve) => setTimeout(resolve));
    }
}
