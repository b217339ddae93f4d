// main.ts: the page: its panels around one session, its keys, files that are dropped.
import { download, h, icon, iconButton } from './dom';
import { fetchModule, threadsHere } from './engine/page_engine';
import { AFTER_RUN, addDialog, engineDialog, engineName, exportDialog, galleryDialog, helpDialog, type Camera } from './panels/dialogs';
import { Inspector } from './panels/inspector';
import { StackPanel } from './panels/stack_panel';
import { StepPanel } from './panels/step_panel';
import { Timeline } from './panels/timeline';
import { Viewport } from './panels/viewport';
import { itemFromLine, newId, parseNumber, recipeText, type Item } from './recipe';
import { rainOn } from './rain_on_mesh';
import { Session, type Watcher } from './session';
import { findLook, isThere } from './looks';
import { findStep } from './table';

if (!location.search.includes('token'))
    void fetchModule(threadsHere()).catch(() => {}); // begins at once; opening the engine tells what went wrong

/** What a new page starts with: small, so that eroded land is there at once. */
const FIRST = [
    'terrain size=256 cell=60', 'noise seed=7 frequency=0.08 octaves=7 relief=1300',
    'rivers time=2M steps=24 uplift=1.2 erosion=4 area_power=0.41 diffusion=0.005 talus=38 source=0.05',
    'droplets capacity=0.3 border=apron', 'thermal talus=36 rounds=20',
];

const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
const app = document.getElementById('app')!;
const toasts = h('div', { className: 'toasts', role: 'alert' });

function say(sentence: string, kind: 'note' | 'wrong' = 'note'): void {
    const toast = h('div', { className: `toast ${kind}` }, h('span', {}, sentence), iconButton('close', 'Dismiss', () => toast.remove()));
    [...toasts.children].filter((other) => other.textContent === toast.textContent).forEach((other) => other.remove());
    toasts.append(toast);
    while (toasts.children.length > 3)
        toasts.firstElementChild!.remove();
    setTimeout(() => toast.remove(), kind === 'wrong' ? 12000 : 4000);
}
const wrong = (error: Error) => say(error.message, 'wrong');

/** What ended a run is not said of the next. */
let failure = '';
function takeBack(): void {
    if (failure && session.sentence !== failure)
        [...toasts.children].filter(({ firstElementChild }) => firstElementChild?.textContent === failure).forEach((toast) => toast.remove());
    failure = session.state === 'failed' ? session.sentence : '';
}

let pending = 0;
const watcher: Watcher = {
    changed() { pending ||= requestAnimationFrame(update); },
    frame(frame) {
        viewport.show(frame);
        if (!frame.isLive || performance.now() - lastHistogram > 200) {
            lastHistogram = performance.now();
            inspector.frame(frame);
        }
    },
    scene(frame) { viewport.showScene(frame); },
    say,
};
let lastHistogram = 0;

const session = new Session(watcher);
const { store } = session;
const viewport = new Viewport(session, still);
const stack = new StackPanel(session, () => addDialog(session));
const params = new StepPanel(session, (use) => pickFile((name) => use(name)));
const inspector = new Inspector(session);
const timeline = new Timeline(session);

// ---- the bar at the top ----

const nameInput = h('input', { className: 'doc-name', 'aria-label': 'Name of the land', spellcheck: false, autocomplete: 'off', maxLength: 60,
    onchange: () => store.edit((doc) => { doc.name = nameInput.value.trim() || 'land'; }) });
const pill = h('button', { type: 'button', className: 'pill', onclick: () => engineDialog(session, wrong) }, h('i', {}), h('span', {}, 'Loading'));
const undo = iconButton('undo', 'Undo (Ctrl Z)', () => store.undo());
const redo = iconButton('redo', 'Redo (Ctrl Shift Z)', () => store.redo());
/** Words where there is room, else a drawing. */
const worded = (name: string, label: string, onclick: () => void, more: object = {}) =>
    h('button', { type: 'button', className: 'plain worded', 'aria-label': label, title: label, onclick, ...more }, icon(name), h('span', {}, label));
const compareButton = worded('compare', 'Compare', () => { viewport.compare(); watcher.changed(); }, { 'aria-pressed': 'false' });
const header = h('header', { className: 'top' },
    h('span', { className: 'brand' }, h('img', { src: './mark.svg', alt: '', width: 20, height: 20 }), h('b', {}, 'Ravine')), nameInput, pill,
    h('span', { className: 'gap' }), undo, redo, compareButton,
    h('button', { type: 'button', className: 'plain', onclick: () => galleryDialog(session, wrong) }, 'Gallery'),
    h('button', { type: 'button', className: 'plain', onclick: () => pickFile() }, 'Open'),
    worded('link', 'Share link', () => void share()),
    iconButton('theme', 'Dark or light', () => setTheme(theme === 'dark' ? 'light' : 'dark'), { className: 'icon-button with-keyboard' }),
    iconButton('help', 'Keys (H)', () => showHelp(), { className: 'icon-button with-keyboard' }),
    h('button', { type: 'button', className: 'main', onclick: () => exportDialog(session, camera, wrong) }, 'Export'));

async function share(): Promise<void> {
    try {
        await navigator.clipboard.writeText(location.href);
        say('The link is copied. It holds the whole recipe.');
    } catch {
        say('The address of this page is the link. It holds the whole recipe.');
    }
}

// ---- theme ----

let theme: 'dark' | 'light' = 'dark';
function setTheme(next: 'dark' | 'light'): void {
    theme = next;
    document.documentElement.dataset.theme = next;
    viewport.view.setBack(next === 'dark' ? [0.066, 0.075, 0.086] : [0.90, 0.915, 0.93]);
    try { localStorage.setItem('ravine-theme', next); } catch { /* not allowed: it lasts as long as the page */ }
}

// ---- panels on a narrow screen ----

const side = h('aside', { className: 'side' }, params.element, inspector.element);
const sheets = h('div', { className: 'sheets', role: 'tablist', 'aria-label': 'Panels' },
    ...(['steps', 'parameters', 'land'] as const).map((name) => h('button', { type: 'button', role: 'tab', 'data-sheet': name,
        onclick: () => openSheet(name) }, name[0].toUpperCase() + name.slice(1))));
function openSheet(name: string): void {
    app.dataset.sheet = name;
    for (const tab of sheets.children)
        tab.setAttribute('aria-selected', String((tab as HTMLElement).dataset.sheet === name));
}

// ---- files ----

const chooser = h('input', { type: 'file', hidden: true, multiple: true, accept: '.png,.r16,.r32,.npy,.npz,.tif,.tiff,.asc,.exr,.rv,.obj,.txt,.json', 'aria-label': 'File' });
let chosen: ((name: string) => void) | undefined;
function pickFile(use?: (name: string) => void): void {
    chosen = use;
    chooser.value = '';
    chooser.click();
}
chooser.addEventListener('change', () => void take([...(chooser.files ?? [])], chosen));

const isSidecar = (name: string): boolean => name.endsWith('.ravine.json');

async function take(files: File[], use?: (name: string) => void): Promise<void> {
    // What says how a heightmap is to be read comes before it.
    for (const file of files.sort((a, b) => +isSidecar(b.name) - +isSidecar(a.name)))
        try {
            await takeOne(file, use);
        } catch (error) {
            say(`${file.name}: ${(error as Error).message}`, 'wrong');
        }
}

async function takeOne(file: File, use?: (name: string) => void): Promise<void> {
    const name = file.name.replace(/[^\w.-]+/g, '-'), plain = name.replace(/\.[^.]*$/, '');
    if (file.size > 300 << 20)
        throw new Error('The page takes files up to 300 MB. `ravine` takes larger ones.');
    if (/\.(rv|txt)$/i.test(name))
        return session.openText(plain, await file.text());
    if (/\.exr$/i.test(name) && session.about.engine === 'page')
        throw new Error('The engine in this page cannot read .exr: `ravine studio` can, where OpenEXR is installed.');
    if (!/\.(png|r16|r32|npy|npz|tiff?|asc|exr|obj)$/i.test(name) && !isSidecar(name))
        throw new Error('The page opens .png, .r16, .r32, .npy, .npz, .tif, .asc, .exr, .obj and .rv files.');
    if (isSidecar(name))
        return session.put(name, await file.arrayBuffer());
    const isAwaited = !use && session.awaits(name);
    await session.take(name, await file.arrayBuffer());
    if (use)
        return use(name);
    if (isAwaited) // a link names it: the recipe stays
        return session.again();
    if (/\.obj$/i.test(name))
        return session.startScene(plain, rainOn(name, await file.text()));
    const open: Item = { id: newId(), step: 'open', values: { file: name }, on: true };
    // The steps that made land before make way; those that shape and erode it stay.
    const rest = store.doc.items.filter((item) => findStep(item.step)?.kind === 'wear');
    store.replace({ name: plain, items: [open, ...(rest.length > 0 ? rest.map((item) => ({ ...item, id: newId() })) : [itemFromLine('droplets')])] });
    session.select(open.id);
}

window.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) {
        event.preventDefault();
        app.classList.add('dropping');
    }
});
window.addEventListener('dragleave', (event) => event.relatedTarget === null && app.classList.remove('dropping'));
window.addEventListener('drop', (event) => {
    app.classList.remove('dropping');
    if (!event.dataTransfer?.files.length)
        return;
    event.preventDefault();
    void take([...event.dataTransfer.files]);
});

// ---- pictures and films ----

let recorder: MediaRecorder | null = null;
const camera: Camera = {
    picture: (width, height) => viewport.view.picture(width, height),
    isFilming: () => recorder !== null,
    film() {
        if (recorder)
            return recorder.stop();
        const kind = ['video/webm;codecs=vp8', 'video/webm'].find((type) => MediaRecorder.isTypeSupported(type));
        if (!kind)
            return say('This browser cannot record WebM.', 'wrong');
        const parts: Blob[] = [];
        recorder = new MediaRecorder(viewport.view.film(30), { mimeType: kind, videoBitsPerSecond: 12e6 });
        recorder.ondataavailable = ({ data }) => parts.push(data);
        recorder.onstop = () => {
            recorder = null;
            download(`${store.fileName}.webm`, new Blob(parts, { type: 'video/webm' }));
            watcher.changed();
        };
        recorder.start(500);
        const draw = () => { // also what does not move is filmed
            viewport.view.draw();
            if (recorder)
                requestAnimationFrame(draw);
        };
        draw();
        say('Recording. Press V to stop and save.');
        watcher.changed();
    },
};

async function saveObj(): Promise<void> {
    if (session.isBusy)
        say(AFTER_RUN);
    for (const file of await session.filesOf(`save ${store.fileName}.obj error=1`))
        if (file.name.endsWith('.obj'))
            download(file.name, file.bytes);
}

// ---- keys ----

let singleKeys = localStorage.getItem('ravine-keys') !== 'off';
function showHelp(): void {
    const open = document.querySelector<HTMLDialogElement>('dialog.help-dialog');
    if (open)
        return open.close();
    helpDialog(() => singleKeys, (on) => {
        singleKeys = on;
        localStorage.setItem('ravine-keys', on ? 'on' : 'off');
    });
}

/** Twice or half as many drops, rounds or particles in the chosen step, or in the last that has such. */
function more(factor: number): void {
    const counts = ['drops', 'rounds', 'steps', 'time'];
    const of = (item: Item | undefined) => findStep(item?.step ?? '')?.parameters.find(({ name }) => counts.includes(name));
    const item = of(store.item) ? store.item! : store.doc.items.filter((each) => each.on && of(each)).at(-1);
    const param = of(item);
    if (!item || !param)
        return;
    const { width, height } = session.land ?? { width: 256, height: 256 };
    const now = parseNumber(item.values[param.name] ?? String(param.default)) || width * height;
    store.edit(() => { item.values[param.name] = String(Math.max(1, Math.round(now * factor))); });
    say(`${item.step}: ${param.name} ${item.values[param.name]}`);
}

const keys: Record<string, () => void> = {
    h: showHelp,
    ' ': () => session.toggle(),
    escape: () => session.control('cancel'),
    j: () => {
        session.slices = !session.slices;
        if (session.state === 'running' || session.state === 'held')
            session.control(session.slices || session.state === 'held' ? 'slice' : 'resume');
        say(session.slices ? 'Slice by slice: space goes on.' : 'Slices run on.');
    },
    l: () => viewport.setWires(2),
    k: () => viewport.setWires(1),
    d: () => {
        if (session.scene)
            viewport.setWater();
        else if (session.look.name !== 'water' && !isThere(findLook('water'), session.land))
            say('This land has no water on it: flood and pipes bring some.');
        else
            session.setLook(session.look.name === 'water' ? 'natural' : 'water');
    },
    s: () => viewport.nextLook(),
    n: () => more(0.5),
    m: () => more(2),
    v: () => camera.film(),
    b: () => void camera.picture(viewport.view.canvas.width, viewport.view.canvas.height).then((blob) => download(`${store.fileName}-view.png`, blob)).catch(wrong),
    q: () => session.setLook(session.look.name === 'original' ? 'natural' : 'original'),
    t: () => void saveObj().catch(wrong),
    1: () => viewport.toggleMeter(),
    2: () => { viewport.solid.toggleBox(); viewport.view.toggleBlock(); },
    a: () => addDialog(session),
    f: () => viewport.view.frame(),
    e: () => { if (!session.scene) viewport.brush.toggle(); },
    w: () => viewport.walk(),
    c: () => { viewport.compare(); watcher.changed(); },
};

window.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
        if (key === 'z')
            event.shiftKey ? store.redo() : store.undo();
        else if (key === 'y')
            store.redo();
        else if (key === 's')
            download(`${store.fileName}.rv`, recipeText(store.doc.items));
        else if (key === 'o')
            pickFile();
        else
            return;
        event.preventDefault();
        return;
    }
    const target = event.target as HTMLElement, isHelp = target.closest('dialog.help-dialog') && key === 'h';
    const isText = target.matches('input:not([type=range]):not([type=checkbox]), select, textarea')
        && !target.closest('dialog:not([open])'); // one that was closed has the focus for a moment
    if (event.altKey || !singleKeys || ((isText || document.querySelector('dialog[open]')) && !isHelp))
        return;
    if (event.key.startsWith('Arrow') && viewport.view.isWalking && !target.matches('input')) {
        viewport.view.press(event.key, true);
        event.preventDefault();
        return;
    }
    if (key === ' ' && target.matches('button, summary'))
        return; // it presses the button
    if (!keys[key] || event.repeat)
        return;
    event.preventDefault();
    keys[key]();
});
for (const kind of ['pointerdown', 'wheel', 'keydown'] as const)
    window.addEventListener(kind, () => session.disturb(), { capture: true, passive: true });
window.addEventListener('keyup', (event) => viewport.view.press(event.key, false));

// ---- all of it ----

function update(): void {
    pending = 0;
    takeBack();
    stack.update();
    params.update();
    inspector.update();
    timeline.update();
    viewport.update();
    if (document.activeElement !== nameInput)
        nameInput.value = session.scene?.name ?? store.doc.name;
    nameInput.disabled = session.scene !== null;
    undo.disabled = !store.canUndo;
    redo.disabled = !store.canRedo;
    compareButton.setAttribute('aria-pressed', String(viewport.isComparing));
    compareButton.hidden = session.scene !== null;
    app.classList.toggle('in-scene', session.scene !== null);
    leave.hidden = session.scene === null;
    const { about } = session, state = session.isPreview ? 'done' : session.state;
    pill.lastElementChild!.textContent = state === 'starting' ? 'Loading the engine' : engineName(about);
    pill.disabled = !session.token;
    pill.title = session.token ? 'The engine: this page or this machine. Both give the same land' : 'The engine is in this page';
    pill.dataset.state = recorder ? 'recording' : state;
    document.title = session.scene ? `${session.scene.name} · Ravine` : `${store.doc.name || 'Ravine'} · Ravine`;
}
const leave = h('button', { type: 'button', className: 'leave', hidden: true, onclick: () => session.endScene() }, icon('undo'), 'Back to the land');
viewport.element.append(leave);

app.append(header, stack.element, viewport.element, side, sheets, timeline.element, params.note, toasts, chooser,
    h('div', { className: 'drop-note' }, 'Drop to open'));
const kept = localStorage.getItem('ravine-theme');
setTheme(kept === 'light' || kept === 'dark' ? kept : matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
openSheet('steps');
update();

/** For tests and for the curious: what the page knows. */
declare global { interface Window { studio: { session: Session; viewport: Viewport } } }
window.studio = { session, viewport };

async function begin(): Promise<void> {
    try {
        await session.open();
        await session.begin({ name: 'first land', items: FIRST.map(itemFromLine) });
    } catch (error) {
        session.state = 'failed';
        session.sentence = `The engine could not be started. ${(error as Error).message}`;
        say(session.sentence, 'wrong');
        watcher.changed();
    }
}
window.addEventListener('hashchange', () => location.reload());
void begin();
