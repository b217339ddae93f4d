// gate.ts: how a run that keeps its worker busy is held, let go and stopped. Where the page is cross-origin
// isolated the wish lies in shared memory, and the worker sleeps on it. Elsewhere, where the browser can suspend
// WebAssembly, the call waits while the worker reads its messages. Where neither is there, a run cannot be held:
// to cancel it the page ends the worker.
import type { Control } from './messages';

const WISHES = ['resume', 'pause', 'slice', 'keep', 'cancel'] as const satisfies readonly Control[];
const WISH = 0; // in the shared memory: an index into WISHES
const UNSEEN = 1; // how many slices the page has not drawn yet
const NEWEST = 2; // and the number of the newest run that the page has asked for: older ones end
const ASKED = 3; // the newest request: what is made in idle time ends
/** Words of the shared memory. */
export const GATE = 4;

export class Gate {
    readonly suspends: boolean;
    readonly pauses: boolean;
    private own: Control = 'resume';
    private ownNewest = 0;
    private ownAsked = 0;
    private wake: (() => void) | null = null;
    private told = false;

    constructor(private readonly shared: Int32Array | null) {
        this.suspends = !shared && 'Suspending' in WebAssembly;
        this.pauses = shared !== null || this.suspends;
    }

    get wish(): Control {
        return this.shared ? WISHES[Atomics.load(this.shared, WISH)] : this.own;
    }

    set wish(wish: Control) {
        this.own = wish;
        if (this.shared) {
            Atomics.store(this.shared, WISH, WISHES.indexOf(wish));
            Atomics.notify(this.shared, WISH);
        }
        this.wake?.();
    }

    get newest(): number { return this.shared ? Atomics.load(this.shared, NEWEST) : this.ownNewest; }

    /** A new run is wanted: what runs ends. */
    set newest(run: number) {
        this.ownNewest = run;
        if (this.shared)
            Atomics.store(this.shared, NEWEST, run);
        this.wish = 'cancel';
    }

    get asked(): number { return this.shared ? Atomics.load(this.shared, ASKED) : this.ownAsked; }

    /** By its number, which grows. */
    set asked(request: number) {
        this.ownAsked = request;
        if (this.shared)
            Atomics.store(this.shared, ASKED, request);
    }

    /** Asked by what a request has made run in idle time. 1: go on, 0: stop. */
    passIdle(request: number): number | Promise<number> {
        const answer = () => (this.asked > request || this.wish === 'cancel' ? 0 : 1);
        if (this.shared || !this.suspends)
            return answer();
        return new Promise((resolve) => setTimeout(() => resolve(answer()))); // messages come in
    }

    get holds(): boolean { return this.wish === 'pause' || this.wish === 'slice'; }

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
        if (this.wish === 'keep' || this.wish === 'cancel')
            return 0;
        if (this.wish === 'resume') {
            this.told = false;
            return 1;
        }
        if (this.wish === 'slice' && whole) { // this is the slice: hold from here on
            this.wish = 'pause';
            this.told = false;
            return null;
        }
        return this.wish === 'slice' ? 1 : null;
    }

    private sleep(run: number, whole: boolean, held: () => void): number {
        for (;;) {
            const answer = this.answer(run, whole);
            if (answer !== null)
                return answer;
            this.tell(held);
            Atomics.wait(this.shared!, WISH, WISHES.indexOf('pause'));
            whole = false;
        }
    }

    private async wait(run: number, whole: boolean, held: () => void): Promise<number> {
        await new Promise((resolve) => setTimeout(resolve)); // messages come in
        for (;;) {
            const answer = this.answer(run, whole);
            if (answer !== null)
                return answer;
            this.tell(held);
            await new Promise<void>((resolve) => { this.wake = resolve; });
            this.wake = null;
            whole = false;
        }
    }

    private tell(held: () => void): void {
        if (!this.told)
            held();
        this.told = true;
    }

    /** Is the run to be kept as it is, or is it not wanted any more? */
    ending(run: number): 'keep' | 'cancel' | null {
        if (run < this.newest || this.wish === 'cancel')
            return 'cancel';
        return this.wish === 'keep' ? 'keep' : null;
    }

    /** A run begins. */
    begin(run: number, held: boolean): void {
        if (run >= this.newest)
            this.wish = held ? 'slice' : 'resume';
        this.told = false;
    }

    /** Between two steps: messages come in, where that is how wishes come. */
    async between(): Promise<void> {
        if (!this.shared)
            await new Promise((resolve) => setTimeout(resolve));
    }
}
