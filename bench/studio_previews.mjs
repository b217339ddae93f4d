// studio_previews.mjs PAGE [RECIPE...]: how soon the studio shows a change while a slider is dragged, for a slider of an
// early, a middle and a late step of each recipe, and of the step that takes longest: milliseconds from the change to
// the first picture of it, of the first change and of those after it, with the cells that were made for this picture along
// a side, and those that it shows by the detail of the land before;
// and to the preview at 256 cells, once the slider rests. The page has had time to make its previews beforehand. Next to
// the clock stands the processor time of the page and its engine, over all threads, which a loaded machine does not change:
// what takes no more than 100 ms of it is seen within 100 ms where a core is free.
// Needs chromium and studio/node_modules: `make studio` builds the page, into build/studio.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { serve } from '../studio/serve.mjs';
import { launch, openPage, settled } from '../tests/studio/harness.mjs';

const [folder, ...only] = process.argv.slice(2);
const recipes = new URL('../recipes/', import.meta.url);
const server = await serve(resolve(folder)), browser = await launch();
const whole = (n) => String(Math.round(n)).padStart(7), CHANGES = 10;
const share = (list, part) => list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(part * list.length))];

/** Milliseconds of processor time that the pages of the browser have had: the threads of its renderers. */
function processorMs() {
    const lines = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
    const parents = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => [pid, / (\d+)/.exec(lines(`/proc/${pid}/stat`).replace(/^.*\) ./s, ''))?.[1]]));
    const isOurs = (pid) => pid !== undefined && (Number(pid) === process.pid || isOurs(parents.get(pid)));
    let ns = 0;
    for (const pid of parents.keys())
        if (lines(`/proc/${pid}/cmdline`).includes('--type=renderer') && isOurs(pid))
            for (const task of readdirSync(`/proc/${pid}/task`))
                ns += Number(lines(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]) || 0;
    return ns / 1e6;
}

/** In the page: takes hold of the first slider of a step; null: it has none. */
async function hold(id) {
    const { session, viewport } = studio, item = session.items.find((each) => each.id === id);
    session.select(id);
    while (document.querySelector('.params h1')?.textContent !== item.step)
        await new Promise((go) => setTimeout(go, 20));
    const row = [...document.querySelectorAll('.params .p.real')].find((each) => each.querySelector('input[type=range]:not(.auto)'));
    if (!row)
        return null;
    const slider = row.querySelector('input[type=range]'), at = Number(slider.value);
    const show = viewport.show.bind(viewport);
    let seen = null;
    viewport.show = (frame) => { show(frame); seen?.(frame); };
    window.change = (by, isWhole) => new Promise((go) => {
        const start = performance.now(), last = session.run;
        seen = (frame) => session.run !== last && (!isWhole || (!frame.isLive && !session.finer))
            && go({ ms: performance.now() - start, side: frame.made, shown: Math.max(frame.width, frame.height), isLive: frame.isLive });
        slider.value = String(at + (at < 500 ? by : -by));
        slider.dispatchEvent(new Event('input'));
    });
    window.letGo = () => {
        viewport.show = show;
        session.store.edit(() => {});
    };
    return `${item.step} ${row.querySelector('label').textContent}`;
}

/** Drags it, and gives what it took. */
async function drag(page, id) {
    const slider = await page.evaluate(hold, id), pictures = [];
    if (!slider)
        return null;
    for (let i = 1; i <= CHANGES; i++) {
        const before = processorMs(), picture = await page.evaluate((by) => window.change(by, false), 12 * i);
        pictures.push({ ...picture, processor: processorMs() - before });
    }
    const rest = await page.evaluate(() => window.change(5, true));
    await page.evaluate(() => window.letGo());
    return { slider, pictures, rest };
}

const all = [], first = [], processor = [];
console.log(`${'recipe'.padEnd(9)} ${'slider'.padEnd(24)} first: ms    then: p50    p95  processor  cells     256 cells, in ms`);
for (const file of (await readdir(recipes)).filter((name) => name.endsWith('.rv')).sort()) {
    const name = file.replace('.rv', '');
    if (only.length > 0 && !only.includes(name))
        continue;
    // A little larger than previews are: how large makes no difference to them.
    const given = await readFile(new URL(file, recipes), 'utf8'), by = 320 / Math.max(...[...given.matchAll(/\bsize=(\d+)/g)].map(([, size]) => Number(size)));
    const text = given.replace(/\bsize=(\d+)/g, (_, size) => `size=${Math.round(size * by)}`).replace(/\bcell=([\d.]+)/g, (_, cell) => `cell=${cell / by}`)
        .replace(/=(\d+)cells\b/g, (_, cells) => `=${Math.round(cells * by)}cells`);
    const hash = '#' + deflateRawSync(text).toString('base64url');
    const { page, context } = await openPage(browser, server.address, { hash, width: 1440, height: 900 });
    page.setDefaultTimeout(900000);
    const ready = async () => {
        await page.waitForFunction(() => studio.session.state === 'done' && !studio.session.isPreview);
        await settled(page);
        await page.waitForFunction(() => studio.session.isPrepared);
    };
    await ready();
    const ids = await page.evaluate(() => {
        const { session } = studio, time = (place) => session.result(place + 1)?.ms ?? 0;
        const places = session.items.map((_, i) => i).filter((i) => !['terrain', 'resize', 'crop', 'track'].includes(session.items[i].step));
        const slowest = places.reduce((best, i) => (time(i) > time(best) ? i : best), places[0]);
        return [...new Set([places[0], places[places.length >> 1], places.at(-1), slowest])].sort((a, b) => a - b).map((i) => session.items[i].id);
    });
    for (const id of ids) {
        const took = await drag(page, id);
        if (!took)
            continue;
        const [one, ...rest] = took.pictures;
        first.push(one.ms);
        all.push(...rest.map(({ ms }) => ms));
        processor.push(...took.pictures.map((each) => each.processor));
        const cells = [...new Set(took.pictures.map(({ side, shown, isLive }) => `${side}${shown > side ? ` as ${shown}` : ''}${isLive ? ' live' : ''}`))].join(', ');
        console.log(`${name.padEnd(9)} ${took.slider.padEnd(24)}   ${whole(one.ms)}      ${whole(share(rest.map(({ ms }) => ms), 0.5))} ${whole(share(rest.map(({ ms }) => ms), 0.95))}    ${whole(share(took.pictures.map((each) => each.processor), 0.5))}  ${cells.padEnd(12)} ${whole(took.rest.ms)}`);
        await ready();
    }
    await context.close();
}
for (const [what, list] of [['first changes', first], ['changes after them', all], ['processor time of all', processor]])
    console.log(`${what}: p50 ${whole(share(list, 0.5))}, p95 ${whole(share(list, 0.95))}, longest ${whole(Math.max(...list))} ms, ${list.filter((ms) => ms <= 100).length} of ${list.length} within 100 ms`);
console.log(`${cpus().length} cores, at a load of ${loadavg()[0].toFixed(1)}`);
await browser.close();
server.close();
