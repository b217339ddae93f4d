// step_panel.ts: the parameters of the chosen step, made from the table.
import { h, icon } from '../dom';
import { defaultText, parseNumber, sameValue, unitText, valueText, type Item } from '../recipe';
import type { Session } from '../session';
import { rounded, scaleOf } from '../slider';
import { findStep, presets, writesFiles, type Param } from '../table';

const STEPS = 1000; // of a slider

export class StepPanel {
    readonly element = h('section', { className: 'params', 'aria-label': 'Parameters' });
    /** What the parameter in focus is, beside its row: so that no row moves under the hand. */
    readonly note = h('div', { className: 'param-note', 'aria-hidden': 'true', hidden: true });
    /** Why the run ended at this step. */
    private readonly wrong = h('p', { className: 'note wrong' });
    private told: HTMLElement | null = null;
    private shown = '';
    private rows = new Map<string, (item: Item) => void>();

    constructor(private readonly session: Session, private readonly pickFile: (use: (name: string) => void) => void) {
        this.element.addEventListener('focusin', ({ target }) => this.tell((target as Element).closest<HTMLElement>('.p')));
        this.element.addEventListener('focusout', () => this.tell(null));
        window.addEventListener('scroll', () => this.tell(this.told), { capture: true, passive: true });
    }

    private tell(row: HTMLElement | null): void {
        this.told = row;
        this.note.hidden = !row;
        if (!row)
            return;
        this.note.textContent = row.querySelector('.read-out')!.textContent;
        const panel = this.element.getBoundingClientRect(), room = innerHeight - this.note.offsetHeight - 72;
        const isBeside = panel.left > 320, { top } = this.element.parentElement!.getBoundingClientRect();
        Object.assign(this.note.style, isBeside
            ? { left: 'auto', right: `${innerWidth - panel.left + 8}px`, top: `${Math.max(52, Math.min(row.getBoundingClientRect().top, room))}px`, bottom: 'auto' }
            : { left: '8px', right: '8px', top: 'auto', bottom: `${innerHeight - top + 44}px` }); // above the tabs of the panels
    }

    update(): void {
        const { scene } = this.session, item = scene ? undefined : this.session.store.item;
        const shown = scene ? `scene ${scene.name}` : item ? `${item.id} ${item.step}` : '';
        if (shown !== this.shown) {
            this.shown = shown;
            this.build(item, scene?.name);
        }
        const { items, state, wrongPlace, sentence } = this.session;
        this.wrong.textContent = state === 'failed' && item && items[wrongPlace]?.id === item.id ? sentence : '';
        if (item)
            for (const update of this.rows.values())
                update(item);
    }

    private build(item: Item | undefined, scene?: string): void {
        this.rows.clear();
        this.tell(null);
        if (scene !== undefined) {
            const { help = 'water made of particles erodes rock, frame by frame' } = presets.find(({ name }) => name.replaceAll('_', ' ') === scene) ?? {};
            this.element.replaceChildren(h('div', { className: 'empty' }, h('h1', {}, scene),
                h('p', {}, `${help[0].toUpperCase()}${help.slice(1).replace(/\.$/, '')}. Worn rock is red; bright water is fast. D draws the water in another way.`)));
            return;
        }
        if (!item) {
            this.element.replaceChildren(h('div', { className: 'empty' }, h('h1', {}, 'No step'),
                h('p', {}, 'A recipe is a list of steps. Add one on the left, or start from a recipe of the gallery.')));
            return;
        }
        const step = findStep(item.step);
        if (!step) {
            this.element.replaceChildren(h('h1', {}, item.step), h('p', {}, 'This step is not known here.'));
            return;
        }
        const note = writesFiles(step) ? h('p', { className: 'note' },
            'Writes a file, so the page keeps it in the recipe and does not run it. Use Export here.') : null;
        const source = step.source && step.source !== 'Ravine'
            ? h('details', { className: 'source' }, h('summary', {}, 'Source'), h('p', {}, step.source)) : null;
        this.element.replaceChildren(h('div', {}, h('h1', {}, step.name), h('p', {}, step.sentence), note, this.wrong,
            h('div', { className: 'rows' }, ...step.parameters.map((param) => this.row(item.id, param))), source));
    }

    private item(id: number): Item | undefined { return this.session.store.doc.items.find((item) => item.id === id); }

    private set(id: number, param: Param, text: string, isLive = false): void {
        const { store } = this.session;
        const change = () => {
            const item = this.item(id);
            if (!item)
                return;
            if (sameValue(param, text, defaultText(param)) || (text === '' && param.auto))
                delete item.values[param.name];
            else
                item.values[param.name] = text;
        };
        if (isLive)
            store.drag(change);
        else
            store.edit(change);
    }

    private row(id: number, param: Param): HTMLElement {
        const inputId = `p-${id}-${param.name}`, helpId = `${inputId}-help`;
        const label = param.name.replaceAll('_', ' ');
        const dot = h('button', { type: 'button', className: 'dot', title: `Back to ${defaultText(param) || 'nothing'}`,
            'aria-label': `Set ${label} back to ${defaultText(param) || 'nothing'}`,
            onclick: () => this.set(id, param, defaultText(param)) });
        const control = this.control(id, param, inputId, helpId);
        const row = h('div', { className: `p ${param.type}` },
            h('label', { htmlFor: inputId, title: param.help }, label), dot, ...control.parts,
            h('span', { id: helpId, className: 'read-out' }, this.help(param)));
        this.rows.set(param.name, (item) => {
            const text = valueText(item, param);
            const isChanged = param.name in item.values;
            row.classList.toggle('changed', isChanged);
            dot.disabled = !isChanged;
            dot.tabIndex = isChanged ? 0 : -1;
            control.update(text);
        });
        return row;
    }

    private help(param: Param): string {
        const range = param.min !== undefined && param.type !== 'seed' && param.max !== undefined
            ? ` (${+param.min.toPrecision(6)} to ${+param.max.toPrecision(6)}${param.unit ? ` ${unitText(param.unit)}` : ''})` : '';
        return param.help + range;
    }

    private control(id: number, param: Param, inputId: string, helpId: string): { parts: HTMLElement[]; update: (text: string) => void } {
        const common = { id: inputId, 'aria-describedby': helpId, spellcheck: false, autocomplete: 'off' };
        switch (param.type) {
        case 'choice': {
            const input = h('select', { ...common, onchange: () => this.set(id, param, input.value) },
                ...param.options!.map((option) => h('option', { value: option.name, title: option.help }, option.name)));
            return { parts: [input], update: (text) => { input.value = text; input.title = param.options!.find((o) => o.name === text)?.help ?? ''; } };
        }
        case 'switch': {
            const input = h('input', { ...common, type: 'checkbox', role: 'switch', className: 'toggle',
                onchange: () => this.set(id, param, input.checked ? 'yes' : 'no') });
            return { parts: [input], update: (text) => { input.checked = text === 'yes'; } };
        }
        case 'seed': {
            const input = h('input', { ...common, type: 'text', inputMode: 'numeric', className: 'value',
                onchange: () => this.set(id, param, /^\d+$/.test(input.value.trim()) ? input.value.trim() : defaultText(param)) });
            const roll = h('button', { type: 'button', className: 'icon-button', 'aria-label': 'Another seed', title: 'Another seed',
                onclick: () => this.set(id, param, String(crypto.getRandomValues(new Uint32Array(1))[0] % 100000)) }, icon('dice'));
            return { parts: [roll, input], update: (text) => { if (document.activeElement !== input) input.value = text; } };
        }
        case 'file': {
            const input = h('button', { ...common, type: 'button', className: 'file-pick', onclick: () => this.pickFile((name) => this.set(id, param, name)) });
            return { parts: [input], update: (text) => {
                input.textContent = text || 'Choose a file';
                input.classList.toggle('missing', text !== '' && !param.writes && !this.session.hasFile(text));
            } };
        }
        case 'text':
        case 'vector': {
            const input = h('input', { ...common, type: 'text', className: 'value wide', onchange: () => this.set(id, param, input.value) });
            return { parts: [input], update: (text) => { if (document.activeElement !== input) input.value = text; } };
        }
        default:
            return this.number(id, param, common);
        }
    }

    private number(id: number, param: Param, common: object): { parts: HTMLElement[]; update: (text: string) => void } {
        const scale = scaleOf(param);
        const slider = h('input', { type: 'range', min: '0', max: String(STEPS), step: '1', 'aria-label': `${param.name.replaceAll('_', ' ')}, slider`, tabIndex: 0 });
        const input = h('input', { ...common, type: 'text', inputMode: 'decimal', className: 'value', placeholder: param.auto ? 'auto' : '' });
        const unit = h('span', { className: 'unit' }, param.unit.length > 8 ? '' : unitText(param.unit).replace('/year', '/yr')); // the help says longer ones
        const at = () => rounded(param, scale.value(Number(slider.value) / STEPS));
        const paint = () => slider.style.setProperty('--at', `${(Number(slider.value) / STEPS) * 100}%`);
        slider.addEventListener('input', () => {
            paint();
            input.value = at();
            this.set(id, param, at(), true);
        });
        slider.addEventListener('change', () => this.set(id, param, at()));
        input.addEventListener('change', () => {
            const text = input.value.trim(), number = parseNumber(text);
            if (param.auto && (text === '' || text === 'auto'))
                this.set(id, param, 'auto');
            else if (Number.isFinite(number))
                this.set(id, param, number < (param.min ?? -Infinity) || number > (param.max ?? Infinity) ? rounded(param, number) : text);
            else
                this.update();
        });
        const update = (text: string) => {
            const isAuto = text === 'auto';
            slider.classList.toggle('auto', isAuto);
            if (document.activeElement !== input)
                input.value = isAuto ? '' : shortened(text);
            if (document.activeElement !== slider || !slider.matches(':active')) {
                const place = isAuto ? 0.5 : scale.place(parseNumber(text));
                slider.value = String(Math.round(Math.min(Math.max(place, 0), 1) * STEPS));
            }
            paint();
        };
        return { parts: [slider, h('span', { className: 'number' }, input, unit)], update };
    }
}

/** 3000000 as 3M: what a recipe says, too. */
function shortened(text: string): string {
    const number = parseNumber(text);
    if (!Number.isFinite(number) || Math.abs(number) < 10000)
        return text;
    for (const [scale, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const)
        if (Math.abs(number) >= scale && Number.isInteger((number / scale) * 1000))
            return `${number / scale}${letter}`;
    return text;
}
