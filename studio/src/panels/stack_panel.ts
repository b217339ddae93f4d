// stack_panel.ts: the steps, one under the other.
import { duration, h, icon, iconButton } from '../dom';
import { newId, summary, type Item } from '../recipe';
import type { Session } from '../session';
import { findStep, writesFiles } from '../table';

export class StackPanel {
    readonly element: HTMLElement;
    private readonly list = h('ol', { className: 'steps', 'aria-label': 'Steps of the recipe' });
    private shown = '';

    constructor(private readonly session: Session, private readonly add: (after: number | null) => void) {
        this.element = h('nav', { className: 'stack', 'aria-label': 'Steps' },
            h('div', { className: 'head' }, h('h2', {}, 'Steps')),
            this.list,
            h('button', { type: 'button', className: 'add', onclick: () => this.add(null) }, icon('plus'), 'Add a step', h('kbd', {}, 'A')));
    }

    update(): void {
        const { session } = this, { doc, selected } = session.store;
        const rows = JSON.stringify([doc.items, selected]);
        if (rows !== this.shown) {
            const focused = (document.activeElement as HTMLElement | null)?.dataset.key;
            this.shown = rows;
            this.list.replaceChildren(...doc.items.map((item, i) => this.row(item, i)));
            if (focused)
                this.list.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
        }
        doc.items.forEach((item, i) => this.mark(this.list.children[i] as HTMLElement, item));
    }

    /** What changes while it runs. */
    private mark(row: HTMLElement, item: Item): void {
        const { session } = this, place = session.items.findIndex(({ id }) => id === item.id);
        const busy = session.state === 'running' || session.state === 'held';
        const result = place >= 0 ? session.result(place + 1) : undefined;
        const isRunning = busy && place === session.place && !session.scene;
        let state = 'wait', time = '';
        if (!item.on)
            state = 'off';
        else if (place < 0)
            state = 'quiet';
        else if (isRunning) {
            state = session.state === 'held' ? 'held' : 'run';
            time = `${Math.floor(session.done * 100)} %`;
        } else if (session.state === 'failed' && place === session.wrongPlace)
            state = 'failed';
        else if ((!busy || place < session.place) && result) {
            state = 'done';
            time = duration(result.ms);
        }
        const mark = { state, time, done: isRunning ? session.done : 0 };
        const shown = session.isPreview ? this.marks.get(item.id) ?? mark : mark; // previews come and go too fast to be told
        this.marks.set(item.id, shown);
        row.dataset.state = shown.state;
        row.style.setProperty('--done', String(shown.done));
        row.querySelector('.t')!.textContent = shown.time;
    }
    private readonly marks = new Map<number, { state: string; time: string; done: number }>();

    private row(item: Item, index: number): HTMLElement {
        const { store } = this.session, step = findStep(item.step);
        const isOn = item.id === store.selected;
        const note = !step ? 'unknown' : !item.on ? 'switched off' : writesFiles(step)
            ? `${summary(item, step) || 'writes a file'}` : summary(item, step);
        const select = h('button', {
            type: 'button', className: 'pick', 'data-key': `pick${item.id}`, 'aria-current': isOn ? 'step' : undefined,
            title: step?.sentence, onclick: () => this.session.select(item.id),
            onkeydown: (event: KeyboardEvent) => this.keys(event, item, index),
        }, h('span', { className: 'name' }, item.step), h('small', {}, note));
        const row = h('li', { className: `step${isOn ? ' on' : ''}`, 'data-id': String(item.id) },
            h('span', { className: 'dial', 'aria-hidden': 'true' }), select, h('span', { className: 't' }),
            h('span', { className: 'tools' },
                h('span', { className: 'grip', 'aria-hidden': 'true' }, icon('grip')),
                iconButton(item.on ? 'eye' : 'off', item.on ? `Switch ${item.step} off` : `Switch ${item.step} on`,
                    () => store.edit(() => { item.on = !item.on; }), { 'data-key': `eye${item.id}` }),
                iconButton('copy', `Duplicate ${item.step}`, () => this.duplicate(item)),
                iconButton('trash', `Remove ${item.step}`, () => this.remove(item))));
        this.draggable(row, item);
        return row;
    }

    private keys(event: KeyboardEvent, item: Item, index: number): void {
        const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
        if (by !== 0) {
            event.preventDefault();
            if (event.altKey)
                return this.move(index, index + by);
            const next = this.session.store.doc.items[index + by];
            if (next) {
                this.session.select(next.id);
                this.list.querySelector<HTMLElement>(`[data-key="pick${next.id}"]`)?.focus();
            }
        } else if (event.key === 'Delete' || event.key === 'Backspace')
            this.remove(item);
    }

    remove(item: Item): void {
        const { store } = this.session, index = store.doc.items.indexOf(item);
        store.edit((doc) => doc.items.splice(index, 1));
        this.session.select((store.doc.items[index] ?? store.doc.items[index - 1])?.id ?? 0);
    }

    duplicate(item: Item): void {
        const copy = { ...structuredClone(item), id: newId() }, { store } = this.session;
        store.edit((doc) => doc.items.splice(store.doc.items.indexOf(item) + 1, 0, copy));
        this.session.select(copy.id);
    }

    move(from: number, to: number): void {
        const { items } = this.session.store.doc;
        if (to < 0 || to >= items.length || to === from)
            return;
        this.session.store.edit((doc) => doc.items.splice(to, 0, ...doc.items.splice(from, 1)));
    }

    /** A mouse takes a step anywhere, a finger at its grip: elsewhere it scrolls the list. */
    private draggable(row: HTMLElement, item: Item): void {
        row.addEventListener('pointerdown', (event) => {
            const isGrip = (event.target as HTMLElement).closest('.grip') !== null;
            if (event.button === 0 && (isGrip || (event.pointerType === 'mouse' && !(event.target as HTMLElement).closest('.tools'))))
                this.drag(row, item, event);
        });
    }

    private drag(row: HTMLElement, item: Item, start: PointerEvent): void {
        const rows = [...this.list.children] as HTMLElement[], from = rows.indexOf(row), ending = new AbortController(), { signal } = ending;
        let to = -1;
        const mark = () => rows.forEach((other, i) => {
            other.classList.toggle('over', i === to && to !== from && to !== from + 1);
            other.classList.toggle('over-end', i === rows.length - 1 && to === rows.length && from !== i);
        });
        const end = () => {
            ending.abort();
            to = -1;
            mark();
            row.classList.remove('dragged');
        };
        window.addEventListener('pointermove', (event) => {
            if (event.pointerId !== start.pointerId || (to < 0 && Math.abs(event.clientY - start.clientY) < 6))
                return;
            if (!row.isConnected) // the list was made anew, by an undo say
                return end();
            if (to < 0) {
                this.list.setPointerCapture(start.pointerId); // no click on what is under the hand in the end
                row.classList.add('dragged');
            }
            const box = this.element.getBoundingClientRect();
            this.element.scrollTop += event.clientY > box.bottom - 40 ? 8 : event.clientY < box.top + 40 ? -8 : 0;
            const below = rows.findIndex((other) => event.clientY < other.getBoundingClientRect().top + other.offsetHeight / 2);
            to = below < 0 ? rows.length : below;
            mark();
        }, { signal });
        window.addEventListener('pointerup', (event) => {
            if (event.pointerId !== start.pointerId)
                return;
            const place = to > from ? to - 1 : to, index = this.session.store.doc.items.indexOf(item);
            const isThere = row.isConnected;
            end();
            if (isThere && place >= 0 && index >= 0)
                this.move(index, place);
        }, { signal });
        window.addEventListener('pointercancel', (event) => {
            if (event.pointerId === start.pointerId)
                end();
        }, { signal });
        window.addEventListener('keydown', (event) => {
            if (event.key !== 'Escape' || to < 0)
                return;
            event.stopPropagation();
            end();
        }, { signal, capture: true });
    }
}
