// dialogs.ts: what opens over the page: the list of steps, the gallery, the export, the help.
import { download, h, iconButton } from '../dom';
import { newId, quote, recipeText, type Item } from '../recipe';
import { r16ToPng } from '../files';
import type { Session } from '../session';
import { presets, table, type Step } from '../table';
import { peopleSay } from '../words_of_people';

function dialog(label: string, className: string, ...children: HTMLElement[]): HTMLDialogElement {
    const close = iconButton('close', 'Close', () => box.close());
    const box = h('dialog', { className, 'aria-label': label },
        h('div', { className: 'dialog-head' }, h('h1', {}, label), close), ...children);
    box.addEventListener('click', (event) => event.target === box && box.close());
    box.addEventListener('close', () => box.remove());
    document.body.append(box);
    box.showModal();
    return box;
}

// ---- add a step ----

function score(step: Step, query: string): number {
    if (query === '')
        return 1;
    const words = query.toLowerCase().split(/\s+/), people = peopleSay(step.name);
    let sum = 0;
    for (const word of words) {
        const hit = step.name.startsWith(word) ? 100 : step.name.includes(word) ? 40
            : people.split(' ').some((w) => w.startsWith(word)) ? 30 : step.sentence.toLowerCase().includes(word) ? 8
                : step.source.toLowerCase().includes(word) ? 4 : 0;
        if (hit === 0)
            return 0;
        sum += hit;
    }
    return sum;
}

export function addDialog(session: Session): void {
    const list = h('div', { className: 'choices', role: 'listbox', id: 'step-choices', 'aria-label': 'Steps' });
    let found: Step[] = [], at = 0;
    const search = h('input', { type: 'search', placeholder: 'erosion, hydraulic, stream power, smooth ...', 'aria-label': 'Search steps',
        role: 'combobox', 'aria-controls': 'step-choices', 'aria-expanded': 'true', spellcheck: false, autocomplete: 'off' });
    const box = dialog('Add a step', 'add-dialog', search, list);
    const add = (step: Step) => {
        const item: Item = { id: newId(), step: step.name, values: {}, on: true };
        const { store } = session;
        const index = store.doc.items.findIndex(({ id }) => id === store.selected);
        const starts = step.kind === 'make' && step.resizes; // it begins a land
        store.edit((doc) => doc.items.splice(starts ? 0 : index + 1 || doc.items.length, 0, item));
        session.select(item.id);
        box.close();
    };
    const mark = () => {
        [...list.querySelectorAll('[role=option]')].forEach((option, i) => {
            option.setAttribute('aria-selected', String(i === at));
            if (i === at) {
                search.setAttribute('aria-activedescendant', option.id);
                option.scrollIntoView({ block: 'nearest' });
            }
        });
    };
    const fill = () => {
        const scored = table.steps.map((step) => ({ step, s: score(step, search.value.trim()) })).filter(({ s }) => s > 0);
        if (search.value.trim() !== '')
            scored.sort((a, b) => b.s - a.s);
        found = [];
        at = 0;
        list.replaceChildren();
        const option = (step: Step) => {
            found.push(step);
            return h('div', { role: 'option', id: `choice-${step.name}`, className: 'entry', onclick: () => add(step) },
                h('b', {}, step.name), h('span', {}, step.sentence));
        };
        if (search.value.trim() === '')
            for (const kind of table.kinds)
                list.append(h('div', { className: 'kind', role: 'presentation' }, kind.text), ...scored.filter(({ step }) => step.kind === kind.name).map(({ step }) => option(step)));
        else
            list.append(...scored.map(({ step }) => option(step)));
        if (scored.length === 0)
            list.append(h('p', { className: 'quiet' }, 'No step knows these words.'));
        mark();
    };
    search.addEventListener('input', fill);
    search.addEventListener('keydown', (event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            at = Math.min(Math.max(at + (event.key === 'ArrowDown' ? 1 : -1), 0), found.length - 1);
            mark();
        } else if (event.key === 'Enter' && found[at])
            add(found[at]);
        else if (event.key === 'Escape') { // else it would only empty the field
            event.stopPropagation(); // it ends no run
            box.close();
        }
    });
    fill();
    search.focus();
}

// ---- gallery ----

const recipes = import.meta.glob<string>('../../../recipes/*.rv', { query: '?raw', import: 'default', eager: true });
const pictures = import.meta.glob<string>(['../../../docs/pictures/gallery-*.png', '../../../docs/pictures/scene-*-after.png'],
    { query: '?url', import: 'default', eager: true });

const picture = (name: string): string | undefined =>
    Object.entries(pictures).find(([path]) => path.endsWith(`/gallery-${name}.png`) || path.endsWith(`/scene-${name}-after.png`))?.[1];

/** The first comment of a recipe says what it is. */
function describe(text: string): string {
    return (/^#\s*(?:[\w.-]+:\s*)?(.*)$/m.exec(text)?.[1] ?? '').trim();
}

export function galleryDialog(session: Session, wrong: (error: Error) => void): void {
    const card = (name: string, text: string, use: () => void) => {
        const url = picture(name);
        return h('button', { type: 'button', className: 'card', onclick: () => { box.close(); use(); } },
            url ? h('img', { src: url, alt: '', loading: 'lazy', width: 280, height: 158 }) : h('span', { className: 'blank' }),
            h('b', {}, name.replaceAll('_', ' ')), h('span', {}, text));
    };
    const lands = Object.entries(recipes).map(([path, text]) => {
        const name = path.replace(/^.*\/|\.rv$/g, '');
        return card(name, describe(text), () => void session.openText(name, text).catch(wrong));
    });
    const scenes = presets.map(({ name, help }) =>
        card(name, help, () => session.startScene(name.replaceAll('_', ' '), `preset name=${name}`)));
    const box = dialog('Start from', 'gallery', h('h2', {}, 'Recipes'), h('div', { className: 'cards' }, ...lands),
        h('h2', {}, 'Solids worn by water'), h('div', { className: 'cards' }, ...scenes));
}

// ---- engine ----

/** The engine that makes the land, as people call it. */
export function engineName({ engine, threads, device, devices }: Session['about']): string {
    const chosen = devices?.find(({ number }) => number === device)?.name;
    return `${engine === 'page' ? 'This page' : 'This machine'}, ${chosen ?? `${threads} thread${threads === 1 ? '' : 's'}`}`;
}

export function engineDialog(session: Session, wrong: (error: Error) => void): void {
    const { wanted, about } = session;
    const choice = (label: string, note: string, isChosen: boolean, choose: () => Promise<void>) => h('button', { type: 'button', className: 'engine-choice',
        'aria-pressed': String(isChosen), onclick: () => { box.close(); void choose().catch(wrong); } }, h('i', {}), h('b', {}, label), h('small', {}, note));
    const devices = wanted === 'machine' ? about.devices ?? [] : [];
    const box = dialog('Engine', 'engine-dialog', h('p', { className: 'quiet' }, 'What makes the land. All give the same land, to the bit.'),
        choice('This page', 'WebAssembly in the browser', wanted === 'page', () => session.choose('page')),
        choice('This machine', 'The program, with all its cores and memory', wanted === 'machine' && !about.device, () => session.choose('machine')),
        ...devices.map(({ number, name }) => choice(`This machine (${name})`, 'Steps that can run on this device do; the processor runs the others',
            about.device === number, () => session.choose('machine', number))));
}

// ---- export ----

export const AFTER_RUN = 'It is saved when this run is over.';

/** Where on this machine a file goes, as a person says it. */
function storeRows(session: Session, name: string, wrong: (error: Error) => void): HTMLElement[] {
    const folder = session.about.folder ?? '';
    const path = h('input', { type: 'text', className: 'path', value: `${name}.png`, spellcheck: false, autocomplete: 'off', 'aria-label': 'File on this machine' });
    const button = h('button', { type: 'button', 'data-store': '' }, 'Save');
    const said = h('p', { className: 'said-here', role: 'status' });
    let asked: string | null = null; // the name that the button would replace
    const ask = (name: string | null, sentence: string) => {
        asked = name;
        button.textContent = asked === null ? 'Save' : 'Replace';
        button.classList.toggle('warns', asked !== null);
        said.textContent = sentence;
    };
    path.addEventListener('input', () => ask(null, ''));
    const store = async () => {
        const name = path.value.trim(), isSame = () => path.value.trim() === name;
        button.disabled = true;
        if (session.isBusy)
            said.textContent = AFTER_RUN;
        try {
            const { file, isThere } = await session.storeFile(`save file=${quote(name)}`, asked === name);
            if (!isThere)
                ask(null, `Saved as ${file}`);
            else if (isSame()) // else another name is asked for by now
                ask(name, `${file} is there already.`);
        } catch (error) {
            ask(null, (error as Error).message);
        }
        button.disabled = false;
    };
    // What is there is replaced by a press of the button that says so: not by a key held down or the second of a double click.
    button.onclick = (event) => { if (asked === null || event.detail < 2) void store().catch(wrong); };
    button.addEventListener('keydown', (event) => event.repeat && event.preventDefault());
    path.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && !event.repeat && !button.disabled && asked === null)
            void store().catch(wrong);
    });
    return [h('h2', {}, 'On this machine'), h('div', { className: 'export-row' },
        h('div', {}, h('small', {}, `In ${folder}; the ending says the format: .png, .npy, .r16, .r32, .tif, .asc, .exr, .npz, .obj, .glb, .stl, .ply`), path), button), said];
}


export interface Camera {
    picture(width: number, height: number): Promise<Blob>;
    film(): void;
    isFilming(): boolean;
}

export function exportDialog(session: Session, camera: Camera, wrong: (error: Error) => void): void {
    const name = session.store.fileName;
    const busy = (button: HTMLButtonElement, work: () => Promise<void>) => async () => {
        button.disabled = true;
        if (session.isBusy)
            button.textContent = 'After this run';
        try {
            await work();
        } catch (error) {
            wrong(error as Error);
        }
        button.textContent = 'Download';
        button.disabled = false;
    };
    const row = (label: string, note: string, work: () => Promise<void>, ...more: HTMLElement[]) => {
        const button = h('button', { type: 'button', 'data-export': label }, 'Download');
        button.onclick = busy(button, work);
        return h('div', { className: 'export-row' }, h('div', {}, h('b', {}, label), h('small', {}, note)), ...more, button);
    };
    const save = (words: string, only: RegExp) => async () => {
        for (const file of await session.filesOf(words))
            if (only.test(file.name))
                download(file.name, file.bytes);
    };
    const png = (field: string, file: string) => async () => {
        const files = await session.filesOf(`save ${file}.r16 field=${field}`);
        const { width, height } = JSON.parse(new TextDecoder().decode(files.find((f) => f.name.endsWith('.json'))!.bytes));
        download(`${file}.png`, await r16ToPng(files.find((f) => f.name.endsWith('.r16'))!.bytes, width, height));
    };
    const fields = (session.land?.fields ?? []).filter((field) => field !== 'height');
    const field = h('select', { 'aria-label': 'Field' }, ...fields.map((each) => h('option', {}, each)));
    const kind = h('select', { 'aria-label': 'Format of the field' }, ...['npy', 'png', 'r32'].map((each) => h('option', {}, each)));
    const width = h('input', { type: 'number', value: '1920', min: '16', max: '8192', 'aria-label': 'Width of the picture in pixels', className: 'value' });
    const height = h('input', { type: 'number', value: '1080', min: '16', max: '8192', 'aria-label': 'Height of the picture in pixels', className: 'value' });
    const box = dialog('Export', 'export', h('div', { className: 'rows-of-exports' },
        ...(session.about.engine === 'machine' ? storeRows(session, name, wrong) : []),
        h('h2', {}, 'Heightmap'),
        row('PNG, 16 bit', 'For Unity, Unreal, Godot, Blender', png('height', name)),
        row('NPY', 'Metres as floats, for Python', save(`save ${name}.npy`, /npy$/)),
        row('R16', 'Raw levels, with a note of the scale', save(`save ${name}.r16`, /./)),
        row('R32', 'Raw metres', save(`save ${name}.r32`, /./)),
        h('h2', {}, 'Mesh'),
        row('OBJ', 'Triangles within 1 m of every cell', save(`save ${name}.obj error=1`, /obj$/)),
        row('GLB', 'The same in one file', save(`save ${name}.glb error=1`, /glb$/)),
        h('h2', {}, 'More'),
        ...(fields.length > 0 ? [row('Field', 'What steps have left beside the heights', () => (kind.value === 'png'
            ? png(field.value, `${name}-${field.value}`)() : save(`save ${name}-${field.value}.${kind.value} field=${field.value}`, new RegExp(`${kind.value}$`))()), field, kind)] : []),
        row('Picture', 'What you see, at any size', async () => download(`${name}-view.png`, await camera.picture(
            Math.min(8192, Math.max(16, +width.value)), Math.min(8192, Math.max(16, +height.value)))), width, height),
        row('Recipe', 'The same land from the command line: ravine ' + name + '.rv', async () => download(`${name}.rv`, recipeText(session.store.doc.items))),
        (() => {
            const button = h('button', { type: 'button', 'data-export': 'Film' }, camera.isFilming() ? 'Stop' : 'Record');
            button.onclick = () => { camera.film(); box.close(); };
            return h('div', { className: 'export-row' }, h('div', {}, h('b', {}, 'Film'), h('small', {}, 'WebM, from now until you stop it (V)')), button);
        })()));
}

// ---- help ----

export const KEYS: [string, string][] = [
    ['H', 'Show or hide this help'],
    ['Space', 'Pause or go on'],
    ['Esc', 'End the run'],
    ['J', 'Slice by slice: hold after each, on or off'],
    ['L', 'Wireframe or solid'],
    ['K', 'Wires over the solid land'],
    ['D', 'Next way to draw water'],
    ['S', 'Next view'],
    ['N', 'Fewer drops, and run again'],
    ['M', 'More drops, and run again'],
    ['V', 'Record a film, or stop and save it'],
    ['B', 'Save a picture'],
    ['Q', 'The original land, or the new one'],
    ['T', 'Save as OBJ'],
    ['1', 'Time of each frame'],
    ['2', 'The sides of the block, or the box of a scene'],
    ['A', 'Add a step'],
    ['E', 'Shape and paint by hand'],
    ['F', 'See all of the land'],
    ['W', 'Walk; arrow keys go, dragging looks around'],
    ['C', 'Compare with the original'],
    ['Ctrl Z', 'Undo; with Shift redo'],
    ['Ctrl S', 'Save the recipe'],
    ['Ctrl O', 'Open a file'],
];

export function helpDialog(isOn: () => boolean, setOn: (on: boolean) => void): void {
    const toggle = h('input', { type: 'checkbox', role: 'switch', className: 'toggle', id: 'single-keys', checked: isOn(),
        onchange: () => setOn(toggle.checked) });
    dialog('Keys', 'help-dialog',
        h('dl', { className: 'keys' }, ...KEYS.flatMap(([key, text]) => [
            h('dt', {}, ...key.split(' ').map((part) => h('kbd', {}, part))), h('dd', {}, text)])),
        h('div', { className: 'export-row' }, h('label', { htmlFor: 'single-keys' }, 'Keys without Ctrl'), toggle),
        h('p', { className: 'quiet' }, 'Drag to turn, drag with the right button to move, wheel to zoom to the cursor. Files can be dropped anywhere: heightmaps (.png, .r16, .r32, .npy, .tif, .asc), lands (.npz), recipes (.rv), closed meshes (.obj).'));
}

