// timeline.ts: the run below the land: hold it, go on, keep it; and the steps by the time they took, to go back to.
import { duration, h, icon } from '../dom';
import type { Session } from '../session';

export class Timeline {
    readonly element: HTMLElement;
    private readonly main = h('button', { type: 'button', className: 'run', onclick: () => this.session.toggle() });
    private readonly slice: HTMLButtonElement;
    private readonly keep: HTMLButtonElement;
    private readonly cancel: HTMLButtonElement;
    private readonly line = h('div', { className: 'line', role: 'group', 'aria-label': 'Steps by time' });
    private readonly said = h('div', { className: 'said' });
    private readonly live = h('div', { className: 'read-out', role: 'status', 'aria-live': 'polite' });
    private announced = '';
    private lastSaid = 0;
    private shown = '';

    constructor(private readonly session: Session) {
        this.slice = h('button', { type: 'button', title: 'One slice further (J)', onclick: () => session.oneSlice() }, icon('slice'), h('span', {}, 'Slice'));
        this.keep = h('button', { type: 'button', title: 'Stop here and keep the land', onclick: () => session.control('keep') }, icon('keep'), h('span', {}, 'Keep'));
        this.cancel = h('button', { type: 'button', title: 'Cancel (Esc)', onclick: () => session.control('cancel') }, icon('close'), h('span', {}, 'Cancel'));
        this.element = h('footer', { className: 'time' },
            h('div', { className: 'buttons' }, this.main, this.slice, this.keep, this.cancel), this.line, this.said, this.live);
    }

    update(): void {
        const { session } = this, state = session.isPreview ? 'done' : session.state; // else all would flicker with each preview
        const busy = state === 'running' || state === 'held';
        const [name, label] = state === 'running' ? ['pause', 'Pause'] : state === 'held' ? ['play', 'Resume']
            : state === 'kept' ? ['play', 'Continue'] : ['play', 'Run'];
        if (this.main.dataset.name !== label) {
            this.main.dataset.name = label;
            this.main.replaceChildren(icon(name), h('span', {}, label), h('kbd', {}, 'space'));
        }
        this.main.disabled = state === 'starting' || (state === 'running' && !session.about.pauses);
        this.slice.disabled = !busy || !session.about.pauses;
        this.keep.disabled = !busy || !session.about.pauses || session.scene !== null;
        this.cancel.disabled = !busy;
        this.draw(busy);
        this.say(busy);
    }

    private draw(busy: boolean): void {
        const { session } = this;
        if (session.scene) {
            const { frame } = session.scene;
            this.shown = 'scene';
            const fill = h('i', { className: 'fill' });
            fill.style.width = `${session.state === 'done' ? 100 : 100 * session.done}%`;
            this.line.replaceChildren(h('div', { className: 'part whole' }, fill, h('span', {}, `${session.scene.name}, frame ${frame?.frame ?? 0}`)));
            return;
        }
        const times = session.items.map((_, i) => session.result(i + 1)?.ms ?? (busy ? 200 : 20));
        const shown = JSON.stringify([session.items.map(({ id, step }) => [id, step]), times.map(Math.round)]);
        if (shown !== this.shown && !session.isPreview) {
            this.shown = shown;
            const sum = times.reduce((a, b) => a + b, 0) || 1;
            this.line.replaceChildren(...session.items.map((item, i) => {
                const part = h('button', { type: 'button', className: 'part', title: `${item.step}: the land after it`,
                    'aria-label': `The land after step ${i + 1}, ${item.step}`,
                    onclick: () => session.scrub(session.scrubbed === i + 1 || i + 1 === session.place ? null : i + 1) },
                h('i', { className: 'fill' }), h('span', {}, item.step));
                part.style.flexGrow = String(Math.max(times[i] / sum, 0.035));
                return part;
            }));
        }
        const at = session.scrubbed ?? session.place;
        if (session.isPreview)
            return;
        [...this.line.children].forEach((part, i) => {
            const done = busy ? (i < session.place ? 1 : i === session.place ? session.done : 0) : i < session.place ? 1 : 0;
            (part.firstElementChild as HTMLElement).style.width = `${100 * done}%`;
            part.classList.toggle('here', !busy && i + 1 === at);
            (part as HTMLButtonElement).disabled = busy || i + 1 > session.place;
        });
    }

    private say(busy: boolean): void {
        const { session } = this, state = session.isPreview ? 'done' : session.state;
        const step = session.items[session.place]?.step ?? '';
        const left = this.left();
        let text = '';
        if (session.isPreview)
            text = 'preview';
        else if (state === 'starting')
            text = 'Loading the engine';
        else if (state === 'running')
            text = left ? `${duration(left)} left` : 'running';
        else if (state === 'held')
            text = 'paused';
        else if (state === 'done')
            text = session.scene ? 'finished' : session.scrubbed !== null ? `after ${session.items[session.scrubbed - 1].step}` : `made in ${duration(session.ms)}`;
        else
            text = state === 'kept' ? 'stopped and kept' : state;
        this.said.textContent = text;
        this.said.dataset.state = state;
        // Read out: each change of state, and the step from time to time.
        const aloud = session.isPreview ? this.announced : busy ? `${state === 'held' ? 'Paused in' : 'Running'} ${session.scene?.name ?? step}` : state === 'done' ? 'The land is made' : text;
        const now = performance.now();
        if (aloud !== this.announced && (state !== 'running' || now - this.lastSaid > 1500)) {
            this.announced = aloud;
            this.lastSaid = now;
            this.live.textContent = aloud;
        }
    }

    /** From what the rest took last time. */
    private left(): number {
        const { session } = this;
        let ms = 0;
        for (let place = session.place; place < session.steps.length; place++) {
            const known = session.result(place + 1)?.ms;
            if (known === undefined)
                return 0;
            ms += place === session.place ? known * (1 - session.done) : known;
        }
        return ms;
    }
}
