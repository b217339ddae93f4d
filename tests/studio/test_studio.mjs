// test_studio.mjs PAGE RAVINE [WHICH]: the built page in chromium: what a person does, and what must then be so. RAVINE
// is the program whose bytes the page must give. WHICH: only tests with this in their names; `timed`: those that watch the
// clock, and want the machine for themselves; `1/2`, `2/2`: the first and the second half of the others.
// STUDIO_PICTURES=DIR: the pictures of docs/studio.md go there.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync, inflateSync } from 'node:zlib';
import { serve } from '../../studio/serve.mjs';
import { axeSource, launch, measureFrames, openPage, settled, state, until } from './harness.mjs';

const [folder, ravine, only] = process.argv.slice(2);
const work = await mkdtemp(join(tmpdir(), 'studio-'));
const pictures = process.env.STUDIO_PICTURES;
/** Limits of time hold on a machine that has nothing else to do. Elsewhere they are longer by as much as this program has
 *  less of a core, now and in the last minute, and some more, since what the page needs is several processes. */
function patience() {
    const start = performance.now(), before = process.cpuUsage();
    while (performance.now() - start < 100);
    const { user, system } = process.cpuUsage(before), share = Math.min(1, (user + system) / 1000 / (performance.now() - start));
    const crowd = loadavg()[0] / cpus().length;
    return share > 0.9 && crowd < 1 ? 1 : 3 * Math.max(1 / share, crowd, 1);
}

const run = (...words) => execFileSync(ravine, words, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const hashOf = (...words) => /"hash":"([0-9a-f]{16})"(?![\s\S]*"hash")/.exec(run('--json', '--threads', '1', ...words))[1];
const link = (text) => '#' + deflateRawSync(text).toString('base64url');
const shown = (page) => page.evaluate(() => studio.session.land.hash);
const heights = (page) => page.evaluate(() => [...studio.viewport.frame.fields.get('height').slice(0, 4096)]);

const SMALL = 'terrain size=64 cell=40\nnoise seed=5 frequency=0.4 relief=900\ndroplets seed=3\n';
const LONG = 'terrain size=96 cell=20\nnoise seed=5 relief=300\npipes time=1M\nthermal talus=10 rounds=3\n';

const SLOW = 'terrain size=128 cell=20\nnoise seed=5 relief=600\ndroplets drops=3k\npipes time=4000\nthermal rounds=3\n';
/** So long that an engine can be ended in its midst, on a busy machine, too. */
const SLOWER = SLOW.replace('time=4000', 'time=12000');

const running = (page, place) => page.waitForFunction((at) => studio.session.state === 'running' && studio.session.place === at && studio.session.done > 0, place);

/** Gives, when it is called, the places at which runs have started since. */
async function startsOf(page) {
    await page.evaluate(() => {
        window.places = [];
        const { session } = studio, hear = session.hear.bind(session);
        session.hear = (event) => {
            if (event.kind === 'started')
                window.places.push(event.place);
            hear(event);
        };
    });
    return () => page.evaluate(() => window.places);
}

async function picture(page, name) {
    if (!pictures)
        return;
    await page.mouse.move(720, 5);
    await page.evaluate(() => studio.viewport.view.finest());
    await page.waitForTimeout(3000);
    await page.screenshot({ path: join(pictures, `studio-${name}.png`) });
}

/** Drops a file on the page, as a hand would, or several. */
async function drop(page, name, bytes, ...more) {
    const given = await page.evaluateHandle((files) => {
        const transfer = new DataTransfer();
        for (let i = 0; i < files.length; i += 2)
            transfer.items.add(new File([Uint8Array.from(atob(files[i + 1]), (c) => c.charCodeAt(0))], files[i]));
        return transfer;
    }, [name, bytes, ...more].map((each, i) => (i % 2 ? Buffer.from(each).toString('base64') : each)));
    await page.dispatchEvent('#app', 'drop', { dataTransfer: given });
}

/** The same land in every kind of file; in the folder `alone` without sidecars. */
function makeFiles() {
    const kinds = ['png', 'r16', 'r32', 'npy', 'npz', 'tif', 'asc'];
    run('terrain', 'size=40', 'cell=30', 'noise', 'seed=9', 'relief=800', 'layer', 'name=sand', ...kinds.flatMap((kind) => ['save', `kind.${kind}`]),
        'save', 'plain.tif', 'tiff=plain');
    execFileSync('sh', ['-c', 'mkdir -p alone && cp kind.* plain.* alone && rm alone/*.json'], { cwd: work });
}

/** Drops each of them on the page. */
async function opensAll(page) {
    for (const [folder, kind] of [...['png', 'r16', 'r32', 'npy', 'npz', 'tif', 'asc'].map((each) => ['alone', `kind.${each}`]), ['alone', 'plain.tif'],
        ['.', 'kind.png'], ['.', 'kind.r16']]) {
        const sidecar = `${kind}.ravine.json`;
        await page.evaluate(() => studio.session.store.edit((doc) => { doc.items = []; }));
        await drop(page, kind, await readFile(join(work, folder, kind)), ...(folder === '.' ? [sidecar, await readFile(join(work, sidecar))] : []));
        await page.waitForFunction((name) => studio.session.store.doc.items[0]?.values.file === name, kind);
        await settled(page);
        assert.equal(await shown(page), hashOf('open', join(folder, kind), 'droplets'), `${kind} in ${folder}`);
    }
}

async function exported(page, label) {
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-export="${label}"]`).click()]);
    const bytes = await readFile(await download.path());
    await page.keyboard.press('Escape');
    return { name: download.suggestedFilename(), bytes };
}

/** The levels of a 16-bit grey PNG whose rows are stored as they are or less the row above. */
function levels(png) {
    const parts = [];
    for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
        if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
            parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    const width = png.readUInt32BE(16), height = png.readUInt32BE(20), row = 2 * width, raw = inflateSync(Buffer.concat(parts));
    assert.equal(png[24], 16);
    const out = Buffer.alloc(row * height);
    for (let y = 0; y < height; y++)
        for (let i = 0; i < row; i++) {
            const a = i > 1 ? out[y * row + i - 2] : 0, b = y > 0 ? out[(y - 1) * row + i] : 0, c = i > 1 && y > 0 ? out[(y - 1) * row + i - 2] : 0;
            const p = a + b - c, near = [a, b, c].sort((u, v) => Math.abs(p - u) - Math.abs(p - v) || [a, b, c].indexOf(u) - [a, b, c].indexOf(v))[0];
            out[y * row + i] = raw[y * (row + 1) + 1 + i] + [0, a, b, (a + b) >> 1, near][raw[y * (row + 1)]];
        }
    return out;
}

const server = await serve(folder), plain = await serve(folder, false);
const browser = await launch();
const open = async (hash, more) => {
    const opened = await openPage(browser, server.address, { hash, ...(pictures && { width: 1440, height: 900 }), ...more });
    return { ...opened, async close() {
        await opened.context.close();
        assert.deepEqual(opened.wrong, []);
    } };
};

const tests = {
    async 'eroded land is there without a click, in less than 1 MB'() {
        const { page, close } = await open('');
        await page.waitForFunction(() => studio.viewport.frame && studio.session.place >= 2, null, { polling: 10 });
        const seen = await page.evaluate(() => performance.now());
        assert.ok(seen < 2000 * patience(), `eroded land after ${Math.round(seen)} ms`);
        await settled(page);
        const bytes = await page.evaluate(() => [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
            .reduce((sum, entry) => sum + entry.transferSize, 0));
        assert.ok(bytes > 100000 && bytes < 1e6, `${bytes} bytes`);
        console.log(`    eroded land after ${Math.round(seen)} ms, ${Math.round(bytes / 1000)} kB`);
        assert.match(await page.locator('canvas').first().getAttribute('aria-label'), /256 by 256 cells/);
        // The recipe that is downloaded makes the same land elsewhere.
        const recipe = await exported(page, 'Recipe');
        await writeFile(join(work, 'first.rv'), recipe.bytes);
        assert.equal(await shown(page), hashOf('first.rv'));
        await page.getByRole('button', { name: 'Check' }).click();
        await page.locator('.gate').nth(4).waitFor();
        assert.equal(await page.locator('.gate').count(), 5);
        await close();
    },

    async 'a run is held, cut into slices, kept, continued and cancelled'() {
        const { page, close } = await open(link(LONG));
        const moves = (was) => page.waitForFunction((before) => String(studio.viewport.frame.fields.get('height').slice(0, 4096)) !== before, String(was), { polling: 20 });
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 2 && studio.viewport.frame?.isLive);
        const first = await heights(page);
        await moves(first);
        await page.keyboard.press('Space');
        await until(page, ['held']);
        const held = await heights(page);
        assert.notDeepEqual(held, first);
        await page.waitForTimeout(200);
        assert.deepEqual(await heights(page), held);
        await page.getByRole('button', { name: 'Slice' }).click();
        await moves(held);
        const sliced = await heights(page);
        await page.waitForTimeout(200);
        assert.deepEqual(await heights(page), sliced);
        assert.equal(await state(page), 'held');
        await page.getByRole('button', { name: 'Resume' }).click();
        await until(page, ['running']);
        // That it was held may be told only after it was let go: it runs all the same.
        assert.equal(await page.evaluate(() => {
            const { session } = studio;
            session.hear({ kind: 'held', run: session.run, place: 2, done: 0.5 });
            return session.state;
        }), 'running');
        await page.getByRole('button', { name: 'Keep' }).click();
        await until(page, ['kept']);
        await page.waitForFunction(() => !studio.viewport.frame.isLive);
        const kept = await heights(page);
        await page.getByRole('button', { name: 'Continue' }).click();
        await settled(page);
        assert.notDeepEqual(await heights(page), kept); // thermal has run on it
        // Cancelled while it runs: at once, and the land before that step is back.
        await page.getByRole('button', { name: 'Run' }).click();
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 2 && studio.session.done > 0);
        const took = await page.evaluate(async () => {
            const start = performance.now();
            studio.session.control('cancel');
            while (studio.session.state !== 'cancelled')
                await new Promise((resolve) => setTimeout(resolve));
            return performance.now() - start;
        });
        assert.ok(took < 50 * patience(), `cancelled after ${took} ms`);
        await page.waitForFunction(() => !studio.viewport.frame.isLive);
        assert.equal(await page.evaluate(() => studio.session.place), 2);
        await close();
    },

    async 'the view follows the water'() {
        const { page, close } = await open(link(LONG.replace('size=96', 'size=64')));
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 2 && studio.session.done > 0);
        const rate = await page.evaluate(async () => {
            let slices = 0;
            const { session } = studio, hear = session.hear.bind(session);
            session.hear = (event) => { slices += event.kind === 'slice'; hear(event); };
            const start = performance.now();
            await new Promise((resolve) => setTimeout(resolve, 1000));
            return (1000 * slices) / (performance.now() - start);
        });
        console.log(`    ${rate.toFixed(0)} slices a second`);
        assert.ok(rate >= 20 / patience(), `${rate} slices a second`);
        await close();
    },

    async 'while a slider is dragged, each preview runs long enough to be seen'() {
        const { page, close } = await open(link(SLOW.replace('size=128', 'size=300')));
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 3);
        await page.locator('.step', { hasText: 'pipes' }).locator('.pick').click();
        await page.waitForFunction(() => document.querySelector('.params h1')?.textContent === 'pipes');
        const drag = await page.evaluate(async () => {
            const slider = document.querySelector('.params .p.changed input[type=range]'), { session } = studio;
            const start = performance.now(), first = session.run, begun = session.begun.bind(session);
            let changes = 0, shortest = Infinity, wasFiner = false; // what ends was; the session tells of what begins
            session.begun = (...given) => { // only one that shows again what was seen already may end sooner
                if (session.isPreview && session.state === 'running' && !wasFiner)
                    shortest = Math.min(shortest, performance.now() - session.started);
                wasFiner = session.isFiner;
                begun(...given);
            };
            for (; performance.now() - start < 1000 || changes < 30; changes++) {
                slider.value = String(Number(slider.value) - 1);
                slider.dispatchEvent(new Event('input'));
                await new Promise((resolve) => setTimeout(resolve, 5));
            }
            return { changes, runs: session.run - first, shortest, isPreview: session.isPreview };
        });
        assert.ok(drag.isPreview && drag.runs >= 2 && drag.shortest >= 79, JSON.stringify(drag));
        // The last change is not lost.
        await page.waitForFunction(() => studio.session.steps[3].includes(`time=${studio.session.store.doc.items[3].values.time}`));
        await close();
    },

    async 'what a slow step makes is shown coarser first'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=300')));
        await settled(page);
        await page.waitForFunction(() => studio.session.isPrepared);
        await page.locator('.step', { hasText: 'noise' }).locator('.pick').click();
        await page.waitForFunction(() => document.querySelector('.params h1')?.textContent === 'noise');
        const drag = (ms) => page.evaluate(async (given) => {
            const { session, viewport } = studio, shown = [], show = viewport.show.bind(viewport);
            for (const side of [64, 128, 256]) // as if the steps had taken so long
                session.costs.note(side, session.small(side).lines, [0, 0, given * (side / 64) ** 2]);
            viewport.show = (frame) => { shown.push([frame.made, frame.isLive]); show(frame); };
            const slider = document.querySelector('.params .p.changed input[type=range]');
            slider.value = String(Number(slider.value) + 20);
            slider.dispatchEvent(new Event('input'));
            while (shown.at(-1)?.[0] !== 256 || shown.at(-1)[1])
                await new Promise((go) => setTimeout(go, 10));
            viewport.show = show;
            return shown;
        }, ms);
        const whole = (shown) => shown.filter(([, isLive]) => !isLive).map(([width]) => width);
        assert.deepEqual(await drag(50), [[64, false], [128, false], [256, false]]); // no slice between them
        // The times of the steps and the buttons of the run are those of the land itself: nothing flickers.
        assert.ok(!(await page.locator('.step .t').allTextContents()).some((text) => text.includes('%') || text === ''));
        assert.equal(await page.locator('.time .run').textContent(), 'Runspace');
        assert.deepEqual(await drag(1), [[256, false]]);
        assert.deepEqual(await drag(10), [[128, false], [256, false]]);
        assert.deepEqual(whole(await drag(5000)), [64, 128, 256]); // with slices of the step that is slow, and of no other
        // When the slider is let go, the size that was chosen.
        await page.evaluate(() => document.querySelector('.params .p.changed input[type=range]').dispatchEvent(new Event('change')));
        await page.waitForFunction(() => studio.session.state === 'done' && !studio.session.isPreview && studio.viewport.frame.width === 300);
        await close();
    },

    async 'a coarse preview has the detail of the land before it'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=256')));
        await settled(page);
        await page.waitForFunction(() => studio.session.isPrepared);
        // Of the first picture of a change, what it was made of, and the land itself: how far both are from that, as a mean.
        const change = (step, name, value) => page.evaluate(async ([given, key, to]) => {
            const { session, viewport } = studio, refine = session.fine.refine.bind(session.fine);
            const before = { ...session.store.doc.items.find((item) => item.step === given).values };
            const first = await new Promise((go) => {
                session.fine.refine = (side, steps, frame, own) => {
                    const fine = refine(side, steps, frame, own);
                    if (!frame.isLive)
                        go({ frame, fine });
                    return fine;
                };
                for (const side of [64, 128, 256]) // as if the steps had taken so long, however quick this machine is
                    session.costs.note(side, session.small(side).lines, [0, 0, 50 * (side / 64) ** 2]);
                session.store.drag((doc) => { doc.items.find((item) => item.step === given).values[key] = to; });
            });
            session.fine.refine = refine;
            session.store.edit(() => {});
            while (session.state !== 'done' || session.isPreview || viewport.frame.isLive || viewport.frame.isPreview)
                await new Promise((go) => setTimeout(go, 20));
            const { width, fields } = viewport.frame, { frame, fine } = first, want = fields.get('height');
            const off = (grid) => {
                const h = grid.fields.get('height'), w = grid.width, scale = fine.cell / grid.cell;
                let sum = 0;
                for (let y = 0; y < 240; y++)
                    for (let x = 0; x < 240; x++) { // the mean of the four cells around, by how near they are
                        const i = Math.floor(x * scale), j = Math.floor(y * scale), f = x * scale - i, g = y * scale - j, k = j * w + i;
                        const here = (h[k] * (1 - f) + h[k + 1] * f) * (1 - g) + (h[k + w] * (1 - f) + h[k + w + 1] * f) * g;
                        sum += (here - want[y * width + x]) ** 2;
                    }
                return Math.sqrt(sum) / 240;
            };
            session.store.edit((doc) => { doc.items.find((item) => item.step === given).values = before; });
            return { cells: fine.width, made: fine.made, fine: off(fine), coarse: off(frame) };
        }, [step, name, value]);
        const little = await change('droplets', 'capacity', '9');
        assert.ok(little.cells === 256 && little.made < 256 && little.fine < 0.5 * little.coarse, JSON.stringify(little));
        await until(page, ['done']);
        await page.waitForFunction(() => studio.session.isPrepared);
        const other = await change('noise', 'seed', '77'); // nothing of the old detail is right
        assert.ok(other.cells === 256 && other.made < 256 && other.fine < 1.05 * other.coarse, JSON.stringify(other));
        await until(page, ['done']);
        await page.waitForFunction(() => studio.session.isPrepared);
        // After a change of the view, too; what is no height is as soft as it was made.
        await page.evaluate(() => studio.session.setLook('eroded'));
        await page.waitForFunction(() => studio.viewport.frame.fields.has('eroded'));
        const shown = (capacity) => page.evaluate((to) => new Promise((go) => {
            const { session, viewport } = studio, show = viewport.show.bind(viewport);
            viewport.show = (frame) => {
                show(frame);
                if (frame.isLive)
                    return;
                viewport.show = show;
                go({ width: frame.width, made: frame.made, eroded: frame.fields.get('eroded').length });
            };
            for (const side of [64, 128, 256])
                session.costs.note(side, session.small(side).lines, [0, 0, 50 * (side / 64) ** 2]);
            session.store.drag((doc) => { doc.items.find((item) => item.step === 'droplets').values.capacity = to; });
        }), capacity);
        const soft = await shown('7');
        assert.ok(soft.width === 256 && soft.made < 256 && soft.eroded === 256 * 256, JSON.stringify(soft));
        // While the slider goes on, detail is that of the finest preview so far: what was made of it is not lost.
        await page.waitForFunction(() => studio.viewport.frame.made === 256 && !studio.viewport.frame.isLive);
        assert.ok(await page.evaluate(() => studio.session.fine.land.heights.every((h, i) => h === studio.viewport.frame.fields.get('height')[i])));
        assert.ok(await page.evaluate(() => [...studio.session.fine.pairs.values()].every(({ land }) => land === studio.session.fine.land)));
        await close();
    },

    async 'what previews begin with is made in idle time, which ends when something is asked'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=300') + 'thermal talus=30 rounds=3\n'));
        await settled(page);
        await page.waitForFunction(() => studio.session.isPrepared);
        await page.locator('.step', { hasText: 'thermal' }).locator('.pick').click();
        await page.waitForFunction(() => document.querySelector('.params h1')?.textContent === 'thermal');
        const places = await startsOf(page);
        await page.evaluate(() => {
            const slider = document.querySelector('.params .p.changed input[type=range]');
            slider.value = String(Number(slider.value) + 20);
            slider.dispatchEvent(new Event('input'));
        });
        await page.waitForFunction(() => studio.viewport.frame.made === 256 && !studio.viewport.frame.isLive);
        assert.deepEqual([...new Set(await places())], [3]); // only the step that is dragged has run
        await close();
        // An engine that makes something for ever, where memory is shared and where it is not.
        for (const { address } of [server, plain]) {
            const other = await openPage(browser, address, { hash: link(SMALL) });
            await settled(other.page);
            for (const ask of ['look', 'cancel', 'run'])
                assert.deepEqual(await other.page.evaluate(async ([steps, what]) => {
                    const { session } = studio;
                    await session.engine.ask({ kind: 'prepare', run: ++session.numbers, steps: steps.slice(0, 2), fields: [] }); // these are there
                    const run = ++session.numbers, reply = session.engine.ask({ kind: 'prepare', run, steps, fields: [] });
                    await new Promise((go) => setTimeout(go, 150));
                    if (what === 'look')
                        await session.show();
                    else if (what === 'cancel')
                        session.engine.control(run, 'cancel');
                    else
                        session.start();
                    return (await reply).ms.map((ms) => ms !== null);
                }, [LONG.trim().split('\n'), ask]), [true, true, false, false], ask);
            await settled(other.page);
            // What was wished of that, and comes late, is not done to the run that follows; what comes early is not lost.
            const wished = await other.page.evaluate(async (steps) => {
                const { session } = studio, { items } = session, late = session.run, hear = session.hear.bind(session), heard = [];
                const turn = () => new Promise((go) => setTimeout(go, 5));
                session.hear = (event) => { heard.push(event.kind); hear(event); };
                session.begun(steps, items, 0);
                while (!heard.includes('slice'))
                    await turn();
                ['cancel', 'keep', 'pause'].forEach((wish) => session.engine.control(late, wish));
                heard.length = 0;
                while (heard.filter((kind) => kind === 'slice').length < 3 && session.state === 'running')
                    await turn();
                const goes = session.state;
                session.control('cancel');
                while (session.state === 'running')
                    await turn();
                const ended = session.state;
                session.engine.control(session.numbers + 1, 'cancel');
                session.begun(steps, items, 0);
                while (session.state === 'running')
                    await turn();
                return [goes, ended, session.state];
            }, LONG.trim().split('\n').slice(0, 3));
            assert.deepEqual(wished, ['running', 'cancelled', 'cancelled']);
            await other.context.close();
            assert.deepEqual(other.wrong, []);
        }
        // Where a coarse one cannot be made, the next finer one is the first.
        const narrow = await open(link('terrain size=107 cell=18\nnoise seed=5\ncrop margin=48cells\nresize size=320\nblur radius=30\n'));
        await settled(narrow.page);
        await narrow.page.waitForFunction(() => studio.session.isPrepared);
        assert.equal(await narrow.page.evaluate(() => {
            const { costs, sides } = studio.session;
            return costs.firstOf(sides, () => ['another list']); // of which nothing is known
        }), 128);
        await narrow.close();
        // A telephone makes the coarse ones alone.
        const phone = await open(link(SMALL.replace('size=64', 'size=300')), { width: 390, height: 844, hasTouch: true, isMobile: true });
        await settled(phone.page);
        const known = (side) => phone.page.evaluate((of) => studio.session.costs.has(of, studio.session.small(of).lines), side);
        await phone.page.waitForFunction(() => studio.session.costs.has(128, studio.session.small(128).lines) && !studio.session.preparing);
        await phone.page.waitForTimeout(300);
        assert.deepEqual([await known(64), await known(128), await known(256)], [true, true, false]);
        await phone.close();
    },

    async 'another land is opened while one is made'() {
        const { page, close } = await open(link(LONG));
        await running(page, 2);
        // What cannot be read leaves the run as it is.
        assert.match(await page.evaluate(() => studio.session.openText('bad', 'terrain dropplets').catch(({ message }) => message)), /droplets/);
        await running(page, 2);
        run('terrain', 'size=40', 'cell=30', 'noise', 'save', 'while.npy');
        await drop(page, 'while.npy', await readFile(join(work, 'while.npy')));
        await page.waitForFunction(() => studio.session.store.doc.items[0]?.step === 'open');
        await page.evaluate((text) => studio.session.openText('small', text), LONG); // again, and at once another
        await running(page, 2);
        await page.evaluate((text) => studio.session.openText('small', text), SMALL);
        await settled(page);
        await writeFile(join(work, 'small.rv'), SMALL);
        assert.equal(await shown(page), hashOf('small.rv'));
        await close();
    },

    async 'of 2048 x 2048 cells a frame has few triangles, and nothing is sent again while the camera moves'() {
        const { page, close } = await open(link(SMALL), { width: 1920, height: 1080 });
        await settled(page);
        await page.evaluate(() => {
            const side = 2048, cell = 10, heights = new Float32Array(side * side);
            for (let y = 0; y < side; y++)
                for (let x = 0; x < side; x++)
                    heights[y * side + x] = 700 * (Math.sin(x / 90) * Math.cos(y / 130) + 0.3 * Math.sin(x / 17 + y / 23));
            studio.viewport.show({ width: side, height: side, cell, fields: new Map([['height', heights]]), land: null,
                isLive: true, isPreview: false }); // as a slice is: its shadows take less time without a GPU
        });
        const { around, close: near, live, layers } = await page.evaluate(measureFrames, [4, true]);
        for (const [name, { mean, most }] of Object.entries(layers))
            assert.ok(mean >= 1 && mean < 1.3 && most < 6, `${name}: a pixel is shaded ${mean} times, at most ${most}`);
        for (const [name, { calls, triangles }] of Object.entries({ around, near, live }))
            assert.ok(calls <= 6 && triangles <= 320000, `${name}: ${calls} calls, ${triangles} triangles`);
        for (const { bytes } of [around, near])
            assert.ok(bytes <= 65536, `${bytes} bytes to the GPU a frame`);
        assert.ok(live.bytes <= 1.1 * 4 * 1024 * 1024, `${live.bytes} bytes a slice`); // every second cell, a float each
        console.log(`    a pixel is shaded ${layers.far.mean.toFixed(2)} times from afar, ${layers.near.mean.toFixed(2)} from near`);
        console.log(`    turning: ${around.calls} calls, ${around.triangles} triangles, ${around.bytes} bytes; close: ${near.triangles} triangles; a slice: ${live.bytes} bytes`);
        await close();
    },

    async 'a stroke of the brush is a step of the recipe, and is undone'() {
        const { page, close } = await open(link(SMALL));
        await settled(page);
        const first = await shown(page);
        await page.getByRole('button', { name: /^Shape and paint/ }).click();
        assert.equal(await page.locator('#brush-strength').inputValue(), '25'); // of what it could raise: a touch is no mountain
        const at = (x, y) => page.evaluate(([px, py]) => studio.viewport.view.project(px, py), [x, y]);
        const steps = () => page.evaluate(() => studio.session.store.doc.items.map(({ step }) => step));
        const before = ['terrain', 'noise', 'droplets'];
        for (const [act, wanted] of [['raise', [...before, 'stroke']], ['lower', [...before, 'stroke']], ['smooth', [...before, 'stroke']],
            ['mask', ['terrain', 'noise', 'stroke', 'droplets']], ['hardness', ['terrain', 'noise', 'stroke', 'droplets']],
            ['rain', ['terrain', 'noise', 'stroke', 'droplets']], ['spring', [...before, 'pipes']]]) {
            await page.locator(`.brush [data-act=${act}]`).click();
            const from = await at(20, 30), to = await at(45, 36);
            await page.mouse.move(from.x, from.y);
            await page.mouse.down();
            await page.mouse.move(to.x, to.y, { steps: 12 });
            await page.mouse.up();
            await page.waitForFunction((was) => studio.session.state === 'done' && studio.session.land.hash !== was && !studio.session.isPreview, first);
            assert.deepEqual(await steps(), wanted, act);
            const { name, look } = await page.evaluate(() => ({ name: studio.session.store.item.step, look: studio.session.look.name }));
            assert.equal(name, wanted.find((step) => !before.includes(step)), `${act} chooses its step`);
            if (['mask', 'hardness', 'rain'].includes(act))
                assert.equal(look, act);
            // The program makes the same land of the recipe.
            const recipe = await exported(page, 'Recipe');
            await writeFile(join(work, 'brushed.rv'), recipe.bytes);
            assert.equal(await shown(page), hashOf('brushed.rv'), act);
            await page.keyboard.press('Control+z'); // the whole stroke
            await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, first);
            assert.deepEqual(await steps(), before, act);
        }
        // A second spring is one of the same pipes.
        for (const [x, y] of [[20, 20], [40, 40]]) {
            const { x: px, y: py } = await at(x, y);
            await page.mouse.click(px, py);
        }
        assert.equal(await page.evaluate(() => studio.session.store.doc.items[3].values.springs.split(' ').length), 2);
        await close();
    },

    async 'a stroke is seen while the hand moves'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=300')));
        await settled(page);
        const first = await shown(page), total = () => page.evaluate(() => studio.viewport.frame.fields.get('height').reduce((a, b) => a + b, 0));
        const sum = await total();
        await page.getByRole('button', { name: /^Shape and paint/ }).click();
        const at = (x, y) => page.evaluate(([px, py]) => studio.viewport.view.project(px, py), [x, y]);
        const from = await at(100, 120), to = await at(200, 150);
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(to.x, to.y, { steps: 5 });
        await page.waitForFunction((was) => studio.viewport.frame.width === 300 && studio.viewport.frame.fields.get('height').reduce((a, b) => a + b, 0) > was + 1000, sum);
        await page.mouse.up();
        await page.waitForFunction((was) => studio.session.state === 'done' && studio.session.land.hash !== was, first);
        await page.keyboard.press('Control+z'); // one edit
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, first);
        await close();
    },

    async 'where memory is not shared a run can be held and cancelled, too'() {
        const { page, wrong, context } = await openPage(browser, plain.address, { hash: link(LONG) });
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 2 && studio.session.done > 0);
        assert.equal(await page.evaluate(() => crossOriginIsolated), false);
        assert.equal(await page.evaluate(() => studio.session.about.pauses), true);
        await page.evaluate(() => studio.session.control('pause'));
        await until(page, ['held']);
        await page.evaluate(() => studio.session.control('slice'));
        await page.evaluate(() => studio.session.control('keep'));
        await until(page, ['kept']);
        await page.evaluate((text) => studio.session.openText('small', text), SMALL);
        await settled(page);
        await writeFile(join(work, 'small.rv'), SMALL);
        assert.equal(await shown(page), hashOf('small.rv'));
        await context.close();
        assert.deepEqual(wrong, []);
    },

    async 'the page has the threads of the machine where memory is shared, one elsewhere, and the same hash'() {
        const text = SMALL + 'pipes time=60\nrivers steps=2\nthermal\n';
        await writeFile(join(work, 'threads.rv'), text);
        const hash = hashOf('threads.rv');
        const at = async (address, threads, prepare) => {
            const { page, wrong, context } = await openPage(browser, 'about:blank');
            await prepare?.(page);
            await page.goto(address + link(text));
            await settled(page);
            assert.equal(await page.evaluate(() => studio.session.about.threads), threads);
            await page.waitForFunction((words) => document.querySelector('.pill').textContent.startsWith(words), `This page, ${threads} thread`);
            assert.equal(await shown(page), hash);
            await context.close();
            assert.deepEqual(wrong.filter((line) => !line.startsWith('asks')), []);
        };
        await at(server.address, Math.min(cpus().length, 16));
        await at(plain.address, 1);
        // Where the module with threads cannot be started, the other one is.
        await at(server.address, 1, (page) => page.route('**/ravine-threads*', (route) => route.fulfill({ body: 'no module' })));
    },

    async 'each view differs from the others and is not blank'() {
        const { page, close } = await open(link('terrain size=96 cell=20\nnoise seed=5 relief=400\nlayer name=sand thickness=4 slope=20\n' +
            'droplets drops=8k\npipes time=40\n'), { width: 900, height: 700 });
        await settled(page);
        await page.waitForFunction(() => !document.querySelector('button[data-look=layers]').hidden);
        const seen = new Map();
        for (const name of await page.evaluate(() => [...document.querySelectorAll('button[data-look]')].filter((tab) => !tab.hidden).map((tab) => tab.dataset.look))) {
            await page.locator(`button[data-look="${name}"]`).click();
            await page.waitForFunction((look) => studio.viewport.element.dataset.painted === look && (look !== 'original' || studio.viewport.view.original.grid), name);
            const { mean, spread } = await page.evaluate(() => {
                studio.viewport.view.render();
                const canvas = new OffscreenCanvas(48, 36), paint = canvas.getContext('2d');
                paint.drawImage(studio.viewport.view.canvas, 0, 0, 48, 36);
                const data = [...paint.getImageData(0, 0, 48, 36).data], grey = data.filter((_, i) => i % 4 !== 3);
                return { mean: grey, spread: Math.max(...grey) - Math.min(...grey) };
            });
            assert.ok(spread > 40, `${name} is blank`);
            for (const [other, its] of seen) {
                const differs = mean.reduce((sum, value, i) => sum + Math.abs(value - its[i]), 0) / mean.length;
                assert.ok(differs > 0.4, `${name} looks as ${other} does (${differs})`);
            }
            seen.set(name, mean);
        }
        // Natural land has streams where most of the water ran: most of what changes with them is bluer, some is cleared of woods.
        await page.locator('button[data-look=natural]').click();
        await page.waitForFunction(() => {
            const { element, view } = studio.viewport, { mode, much } = view.land.uniforms;
            return element.dataset.painted === 'natural' && mode.value === 0 && much.value > 0;
        });
        const streams = () => page.evaluate(() => {
            const { view } = studio.viewport, { much } = view.land.uniforms, { width, height } = view.canvas;
            const pixels = () => {
                view.render();
                const paint = new OffscreenCanvas(width, height).getContext('2d');
                paint.drawImage(view.canvas, 0, 0);
                return paint.getImageData(0, 0, width, height).data;
            };
            const own = much.value, wet = pixels();
            much.value = 0;
            const bare = pixels();
            much.value = own;
            const by = (i) => Math.abs(wet[i] - bare[i]) + Math.abs(wet[i + 1] - bare[i + 1]) + Math.abs(wet[i + 2] - bare[i + 2]);
            const any = [...wet.keys()].filter((i) => i % 4 === 0 && by(i) > 0), changed = any.filter((i) => by(i) > 40); // a little wet is darker
            return { any: any.length, share: changed.length / (width * height), bluer: changed.filter((i) => wet[i + 2] - wet[i] > bare[i + 2] - bare[i]).length / changed.length };
        });
        const drawn = await streams();
        assert.ok(drawn.share > 0.001 && drawn.share < 0.1 && drawn.bluer > 0.6, JSON.stringify(drawn));
        // It is as the picture of the recipe has it: sand, and no woods.
        await page.evaluate(() => studio.session.store.edit((doc) => doc.items.push({ id: 1e6, step: 'render', values: { file: 'a.png', look: 'desert' }, on: true })));
        await page.waitForFunction(() => studio.session.state === 'done' && studio.viewport.view.land.uniforms.dry.value === 1);
        await settled(page);
        const green = await page.evaluate(() => {
            studio.viewport.view.render();
            const canvas = new OffscreenCanvas(48, 36), paint = canvas.getContext('2d');
            paint.drawImage(studio.viewport.view.canvas, 0, 0, 48, 36);
            const data = paint.getImageData(0, 0, 48, 36).data;
            return [...data.keys()].filter((i) => i % 4 === 0 && data[i] < data[i + 1] && data[i + 2] < data[i + 1]).length;
        });
        assert.ok(green < 20, `${green} of 1728 pixels are green`);
        assert.equal((await streams()).any, 0); // nor streams
        assert.deepEqual([...seen.keys()], ['natural', 'height', 'slope', 'flow', 'eroded', 'deposited', 'water', 'sediment', 'velocity', 'layers', 'original']);
        await close();
    },

    async 'natural land looks as render draws it'() {
        const land = 'terrain size=160 cell=60\nnoise seed=7 frequency=0.12 relief=1300\nrivers time=1M steps=16 uplift=1.2 erosion=4\ndroplets drops=4k\n';
        for (const [look, words] of [['alpine', land], ['desert', land.replace('relief=1300', 'relief=900')], ['alpine', land + 'flood level=500\n']]) {
            const { page, close } = await open(link(`${words}render view.png look=${look}\n`), { reducedMotion: 'reduce' });
            await settled(page);
            await writeFile(join(work, 'view.rv'), words);
            run('view.rv', 'render', 'view.png', `look=${look}`, 'azimuth=144.5', 'elevation=45', 'sun=235', 'altitude=38', 'width=400', 'height=400', 'trees=0', 'haze=0');
            // Of the middle of both pictures, where land is all around: the mean of each colour, and how blue its bluest part is.
            const [own, drawn] = await page.evaluate(async (bytes) => {
                const { view } = studio.viewport, { grid, span } = view.land, middle = ((grid.width - 1) * grid.cell) / 2, away = 4 * middle;
                view.finest();
                view.camera.position.set(middle + away * Math.sin(0.6196) * Math.SQRT1_2, (span.x + span.y) / 2 + away * Math.SQRT1_2, middle + away * Math.cos(0.6196) * Math.SQRT1_2);
                view.camera.lookAt(middle, (span.x + span.y) / 2, middle);
                view.palette = { ...view.palette, haze: 0 };
                const middleOf = async (png) => {
                    const image = await createImageBitmap(png), paint = new OffscreenCanvas(120, 120).getContext('2d');
                    paint.drawImage(image, image.width * 0.35, image.height * 0.35, image.width * 0.3, image.height * 0.3, 0, 0, 120, 120);
                    const { data } = paint.getImageData(0, 0, 120, 120), mean = [0, 0, 0];
                    let blue = 0;
                    for (let i = 0; i < data.length; i += 4) {
                        mean.forEach((_, c) => { mean[c] += data[i + c] / 14400; });
                        blue += data[i + 2] > data[i] + 25 ? 1 / 14400 : 0;
                    }
                    return { mean, blue };
                };
                const controls = view.controls.update;
                view.controls.update = () => false; // the camera stays where it is
                const mine = await middleOf(await view.picture(400, 400));
                view.controls.update = controls;
                return [mine, await middleOf(new Blob([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))]))];
            }, (await readFile(join(work, 'view.png'))).toString('base64'));
            const said = `${look}: ${JSON.stringify({ own, drawn })}`;
            own.mean.forEach((value, c) => assert.ok(Math.abs(value - drawn.mean[c]) < 16, said));
            assert.ok(Math.abs(own.blue - drawn.blue) < 0.02 + 0.4 * drawn.blue, said); // streams, and the sea
            await close();
        }
    },

    async 'a dropped PNG is opened, and what is saved equals what ravine saves'() {
        run('terrain', 'size=80', 'cell=30', 'noise', 'seed=9', 'relief=800', 'save', 'given.png');
        execFileSync('rm', ['-f', join(work, 'given.png.ravine.json')]); // as from another program
        const { page, close } = await open(link(SMALL));
        await settled(page);
        await drop(page, 'given.png', await readFile(join(work, 'given.png')));
        await page.waitForFunction(() => studio.session.store.doc.items[0]?.step === 'open');
        await settled(page);
        const words = ['open', 'given.png', 'droplets', 'seed=3'];
        assert.equal(await shown(page), hashOf(...words));
        run(...words, 'save', 'given.npy', 'save', 'same.png', 'save', 'given.obj', 'error=1', 'save', 'given.r16', 'save', 'given.glb', 'error=1');
        for (const kind of ['NPY', 'OBJ', 'GLB']) {
            const { name, bytes } = await exported(page, kind);
            assert.ok(bytes.equals(await readFile(join(work, name))), `${name} has other bytes`);
        }
        const png = await exported(page, 'PNG, 16 bit');
        assert.ok(levels(png.bytes).equals(levels(await readFile(join(work, 'same.png')))), 'the PNG has other pixels');
        const view = await exported(page, 'Picture');
        assert.equal(view.bytes.readUInt32BE(16), 1920);
        await close();
    },

    async 'every kind of file is opened as ravine opens it'() {
        makeFiles();
        const { page, close } = await open(link(SMALL));
        await settled(page);
        await opensAll(page);
        // By the button, too.
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Open', exact: true }).click()]);
        await chooser.setFiles(join(work, 'alone', 'kind.npz'));
        await page.waitForFunction(() => studio.session.store.doc.items[0]?.values.file === 'kind.npz');
        await settled(page);
        await close();
    },

    async 'repeats draw the random numbers that ravine draws'() {
        const text = 'terrain size=48 cell=30\nnoise seed=5\nrepeat 2\ndroplets drops=500\nrepeat 2\nthermal rounds=2\nparticles drops=300\nend\nend\nblur radius=40\n';
        const { page, close } = await open(link(text));
        await settled(page);
        await writeFile(join(work, 'repeat.rv'), text);
        assert.equal(await shown(page), hashOf('repeat.rv'));
        await close();
    },

    async 'edits are undone, a changed step starts the run where it stands, a reload restores'() {
        const { page, context, close } = await open(link(SMALL + 'thermal talus=30\n'));
        await settled(page);
        const first = await shown(page);
        const places = await startsOf(page);
        await page.locator('.step', { hasText: 'thermal' }).locator('.pick').click();
        await page.getByLabel('talus', { exact: true }).fill('20');
        await page.keyboard.press('Enter');
        await page.waitForFunction((was) => studio.session.state === 'done' && studio.session.land.hash !== was, first);
        assert.deepEqual(await places(), [3]); // droplets did not run again
        const second = await shown(page);
        await page.getByRole('button', { name: /^Undo/ }).click();
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, first);
        await page.getByRole('button', { name: /^Redo/ }).click();
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, second);
        // Off, on, copied, moved, removed: each is an edit.
        const step = page.locator('.step', { hasText: 'thermal' }).first();
        await step.hover();
        await step.getByRole('button', { name: 'Switch thermal off' }).click();
        await settled(page);
        assert.equal(await page.evaluate(() => studio.session.steps.length), 3);
        await page.locator('.step', { hasText: 'droplets' }).hover();
        await page.getByRole('button', { name: 'Duplicate droplets' }).click();
        await page.waitForFunction(() => document.querySelectorAll('.step').length === 5);
        await page.locator('.step .pick').nth(1).focus();
        await page.keyboard.press('Alt+ArrowDown');
        assert.deepEqual(await page.evaluate(() => studio.session.store.doc.items.map(({ step: name }) => name)),
            ['terrain', 'droplets', 'noise', 'droplets', 'thermal']);
        for (let i = 0; i < 3; i++)
            await page.keyboard.press('Control+z');
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, second);
        // The dot sets a parameter back; a slider that is dragged shows a preview, and the edit is one.
        await page.locator('.step', { hasText: 'thermal' }).locator('.pick').click();
        await page.getByRole('button', { name: 'Set talus back to auto' }).click();
        await settled(page);
        await page.getByRole('button', { name: /^Undo/ }).click();
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, second);
        while (inflateRawSync(Buffer.from(page.url().split('#')[1] ?? '', 'base64url')).toString() !== await page.evaluate(() => studio.session.text)) // it is written a little later
            await page.waitForTimeout(20);
        const address = page.url();
        await page.reload();
        await settled(page);
        assert.equal(await shown(page), second);
        await page.goto('about:blank');
        await page.goto(server.address); // without the address: what was saved
        await settled(page);
        assert.equal(await shown(page), second);
        // Elsewhere the link makes the same land.
        const other = await openPage(browser, server.address, { hash: address.slice(address.indexOf('#')) });
        await settled(other.page);
        assert.equal(await shown(other.page), second);
        await other.context.close();
        await context.close();
        await close().catch((error) => { if (!/closed/.test(String(error))) throw error; });
    },

    async 'the slider shows a preview, then the size that was chosen'() {
        const { page, close } = await open(link('terrain size=384 cell=10\nnoise seed=5\nblur radius=30\n'));
        await settled(page);
        await page.locator('.step', { hasText: 'blur' }).locator('.pick').click();
        const slider = page.getByLabel('radius, slider'), box = await slider.boundingBox();
        const wide = () => page.evaluate(() => studio.viewport.frame.width);
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 3 });
        await page.waitForFunction(() => studio.viewport.frame.width === 256);
        await page.mouse.up();
        await page.waitForFunction(() => studio.viewport.frame.width === 384);
        await settled(page);
        assert.equal(await wide(), 384);
        await page.keyboard.press('Control+z');
        await page.waitForFunction(() => !studio.session.store.canUndo);
        assert.equal(await page.evaluate(() => studio.session.store.doc.items[2].values.radius), '30');
        await close();
    },

    async 'steps are found by the words of people'() {
        const { page, close } = await open(link(SMALL));
        await settled(page);
        await page.locator('canvas').first().focus();
        await page.keyboard.press('a');
        const search = page.getByRole('combobox', { name: 'Search steps' });
        const found = async (words) => {
            await search.fill(words);
            return page.locator('.entry b').allTextContents();
        };
        assert.deepEqual((await found('stream power')).slice(0, 1), ['rivers']);
        const hydraulic = await found('hydraulic erosion');
        for (const name of ['droplets', 'pipes', 'runoff', 'particles'])
            assert.ok(hydraulic.includes(name), name);
        assert.deepEqual(await found('no such thing'), []);
        await search.fill('talus');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => studio.session.store.doc.items.length === 4);
        await settled(page);
        // Every step of the table is in the list.
        await page.waitForFunction(() => !document.querySelector('dialog'));
        await page.keyboard.press('a');
        await search.waitFor();
        const all = JSON.parse(run('help', '--json')).steps.map(({ name }) => name);
        assert.deepEqual(new Set(await page.locator('.entry b').allTextContents()), new Set(all));
        // Escape closes the list, also with words in its field.
        await search.fill('talus');
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => !document.querySelector('dialog'));
        await close();
    },

    async 'the keys do what their help says'() {
        const { page, close } = await open(link(LONG.replace('1M', '100')));
        await settled(page);
        await page.locator('canvas').first().focus();
        const press = (key) => page.keyboard.press(key), look = () => page.evaluate(() => studio.session.look.name);
        await press('h');
        assert.equal(await page.locator('dialog.help-dialog').count(), 1);
        const helped = await page.locator('.keys dt').allTextContents();
        for (const key of ['H', 'Space', 'Esc', 'J', 'L', 'K', 'D', 'S', 'N', 'M', 'V', 'B', 'Q', 'T', '1', '2'])
            assert.ok(helped.includes(key), key);
        await press('h');
        await page.waitForFunction(() => !document.querySelector('dialog'));
        await press('s');
        assert.equal(await look(), 'height');
        await press('q');
        assert.equal(await look(), 'original');
        await press('q');
        assert.equal(await look(), 'natural');
        await press('d');
        assert.equal(await look(), 'water');
        await press('d');
        const wires = () => page.evaluate(() => studio.viewport.wires);
        await press('l');
        assert.equal(await wires(), 2);
        await press('k');
        assert.equal(await wires(), 1);
        await press('k');
        await press('1');
        assert.equal(await page.locator('.meter').isVisible(), true);
        await press('1');
        await press('2');
        for (const [key, kind] of [['b', /\.png$/], ['t', /\.obj$/]]) {
            const [download] = await Promise.all([page.waitForEvent('download'), press(key)]);
            assert.match(download.suggestedFilename(), kind);
        }
        await page.evaluate(() => { // tells when something has been filmed
            const { start } = MediaRecorder.prototype;
            MediaRecorder.prototype.start = function (...given) {
                this.addEventListener('dataavailable', ({ data }) => { window.isFilmed ||= data.size > 0; });
                start.apply(this, given);
            };
        });
        await press('v');
        await page.waitForFunction(() => window.isFilmed);
        const [film] = await Promise.all([page.waitForEvent('download'), press('v')]);
        const bytes = await readFile(await film.path());
        assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3); // as WebM begins
        const time = () => page.evaluate(() => studio.session.store.doc.items[2].values.time);
        await page.locator('.step', { hasText: 'pipes' }).locator('.pick').click();
        await page.locator('canvas').first().focus();
        await press('m');
        assert.equal(await time(), '200');
        await press('n');
        assert.equal(await time(), '100');
        await settled(page);
        await page.evaluate(() => studio.session.store.edit((doc) => { doc.items[2].values.time = '1M'; }));
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 2);
        await press('j');
        await until(page, ['held']);
        await press('j');
        await press('Space');
        await until(page, ['running']);
        await press('Escape');
        await until(page, ['cancelled']);
        await close();
    },

    async 'an engine that dies is started again, and goes on from the last land that was saved'() {
        const { page, close } = await open(link(SMALL));
        await settled(page);
        const hash = await shown(page);
        await page.evaluate(() => { studio.session.land = null; studio.session.engine.die('killed'); });
        await page.waitForFunction(() => document.querySelector('.toast')?.textContent.includes('started again'));
        await page.waitForFunction(() => studio.session.land);
        await settled(page);
        assert.equal(await shown(page), hash);
        // Of a fault in the worker itself, too.
        await page.evaluate(() => {
            const { session } = studio;
            session.land = null;
            document.querySelectorAll('.toast').forEach((toast) => toast.remove());
            session.engine.worker.postMessage({ id: 1e6, kind: 'run', run: session.run, steps: null, live: {} }); // no list
        });
        await page.waitForFunction(() => document.querySelector('.toast')?.textContent.includes('started again'));
        await page.waitForFunction(() => studio.session.land);
        await settled(page);
        assert.equal(await shown(page), hash);
        // In the middle of a run: what was done before is not done again.
        await page.evaluate((text) => { studio.session.rescueEvery = 0; return studio.session.openText('long', text); }, SLOWER);
        await running(page, 3);
        const places = await startsOf(page);
        await page.evaluate(() => studio.session.engine.die('killed'));
        await settled(page);
        assert.deepEqual(await places(), [3]);
        await writeFile(join(work, 'slow.rv'), SLOWER);
        assert.equal(await shown(page), hashOf('slow.rv'));
        await close();
    },

    async 'what a step requires and does not get ends the run, and is told'() {
        const { page, close } = await open(link('terrain size=64\nnoise seed=2\nlevel\nmeasure require=river_checks:5\nthermal\n'));
        await page.waitForFunction(() => /river check/.test(document.querySelector('.toast.wrong')?.textContent));
        assert.equal(await state(page), 'failed');
        assert.ok(await page.evaluate(() => studio.session.figures.length) > 5);
        assert.equal(await page.evaluate(() => studio.session.place), 4);
        await page.locator('.step[data-state=failed] .name', { hasText: 'measure' }).waitFor(); // not the one after it
        // This land is higher than wide, and all of it is in sight.
        await page.waitForFunction(() => studio.viewport.frame && !studio.viewport.frame.isLive);
        assert.ok(await page.evaluate(() => {
            const { view } = studio.viewport, { width, height } = view.land.grid, box = view.canvas.getBoundingClientRect();
            return [[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1], [width / 2, height / 2]].map(([x, y]) => view.project(x, y))
                .every(({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom);
        }));
        await close();
    },

    async 'a hostile link and a corrupt file give a sentence'() {
        for (const hash of ['#%00%ff', '#AAAA', link('terrain nosie=1'), link('terrain size=64\n<img src=x onerror=alert(1)>'),
            '#' + deflateRawSync(Buffer.alloc(40 << 20)).toString('base64url').slice(0, 90000)]) {
            const { page, close } = await open(hash);
            await page.waitForFunction(() => document.querySelector('.toast.wrong')?.textContent.includes('cannot be opened'));
            await page.waitForFunction(() => studio.session.store.doc.items.length === 5); // the first land is there
            await close();
        }
        const { page, close } = await open(link(SMALL));
        await settled(page);
        const toast = (text) => page.waitForFunction((words) => [...document.querySelectorAll('.toast.wrong')].some((each) => each.textContent.includes(words)), text);
        await drop(page, 'bad.png', Buffer.from('no picture'));
        await toast('not a PNG');
        run('terrain', 'size=40', 'noise', 'save', 'cut.png');
        await drop(page, 'cut.png', (await readFile(join(work, 'cut.png'))).subarray(0, 900));
        await toast('cut.png');
        await drop(page, 'bad.rv', Buffer.from('terrain dropplets'));
        await toast('droplets'); // the nearest word
        await drop(page, 'bad.exe', Buffer.from('x'));
        await toast('opens');
        await drop(page, 'land.exr', Buffer.from('x'));
        await toast('cannot read .exr');
        await drop(page, 'bad.npy', Buffer.from('no array'));
        await toast('bad.npy');
        for (const name of ['cut.tif', 'cut.npz']) {
            run('terrain', 'size=40', 'noise', 'save', name);
            await drop(page, name, (await readFile(join(work, name))).subarray(0, 900));
            await toast(name);
        }
        await close();
    },

    async 'scenes run in the page'() {
        const { page, close } = await open(link(SMALL), { colorScheme: 'dark' });
        await settled(page);
        await page.keyboard.press('a');
        await page.keyboard.press('Escape');
        await page.keyboard.press('e'); // no key is lost after a dialog
        await page.locator('.brush').waitFor();
        await page.getByRole('button', { name: 'Gallery' }).click();
        assert.equal(await page.locator('.card').count(), 15);
        await picture(page, 'gallery');
        await page.locator('.card', { hasText: 'winding river bed' }).click();
        await page.waitForFunction(() => studio.session.scene?.frame?.frame >= 3);
        await page.locator('.params p', { hasText: /winding river bed.*Worn rock is red/i }).waitFor(); // what the gallery says of it
        await page.keyboard.press('e');
        assert.ok(await page.locator('.brush').isHidden()); // it is for lands
        await page.keyboard.press('Escape');
        await until(page, ['cancelled', 'done']); // it is short
        await page.waitForFunction(() => !studio.viewport.nextFrame);
        // All of the scene is seen again, not the land behind it, on which nobody walks now.
        const eye = () => page.evaluate(() => studio.viewport.view.camera.position.toArray().map((each) => Number(each.toFixed(3))));
        const stood = await eye();
        await page.keyboard.press('w');
        await page.keyboard.press('f');
        assert.deepEqual(await eye(), stood);
        assert.ok(await page.getByRole('button', { name: 'Walk (W)' }).isHidden());
        const { frame, hash } = await page.evaluate(() => studio.session.scene.frame);
        const lines = run('--json', '--threads', '1', 'scene', 'river', `frames=${frame}`, 'run.every=1', 'save=none.obj').trim().split('\n');
        assert.ok(lines.some((line) => line.includes(hash)), `frame ${frame} has another hash`);
        // What was worn lies where there is water, and is little beside the rock.
        const worn = await page.evaluate(() => {
            const { high, low } = studio.session.scene.frame, { lost } = studio.viewport.solid;
            return { most: Math.max(...lost), share: lost.filter((depth) => Math.abs(depth) > 1e-5 * (high[0] - low[0])).length / lost.length, side: high[0] - low[0] };
        });
        assert.ok(worn.share < 0.2 && worn.most < 0.1 * worn.side, JSON.stringify(worn));
        // Water as a surface, as particles or not at all: each looks other than the others.
        const ways = new Map();
        for (const way of ['surface', 'speed', 'particles', 'none']) {
            assert.equal(await page.locator(`[data-way=${way}]`).getAttribute('aria-pressed'), 'true');
            ways.set(way, await page.evaluate(() => {
                studio.viewport.view.render();
                const canvas = new OffscreenCanvas(240, 150), paint = canvas.getContext('2d');
                paint.drawImage(studio.viewport.view.canvas, 0, 0, 240, 150);
                return [...paint.getImageData(0, 0, 240, 150).data];
            }));
            await page.locator('canvas').first().focus();
            await page.keyboard.press('d');
        }
        for (const [way, pixels] of ways)
            for (const [other, its] of ways)
                assert.ok(way === other || pixels.filter((value, i) => Math.abs(value - its[i]) > 8).length > 60, `${way} looks as ${other} does`);
        // Water on a closed mesh of one's own.
        run('terrain', 'size=16', 'cell=10', 'noise', 'seed=3', 'relief=30', 'save', 'own.obj', 'solid=20');
        await drop(page, 'own.obj', await readFile(join(work, 'own.obj')));
        await page.waitForFunction(() => studio.session.scene?.name === 'own' && studio.session.scene.frame?.frame >= 2 && studio.session.scene.frame.particles > 0);
        await page.getByRole('button', { name: 'Back to the land' }).click();
        await settled(page);
        await close();
    },

    async 'on this machine: the same page, the same hash from both engines'() {
        if (!run('help').includes('ravine studio')) {
            console.log('    left out: this program has no studio');
            return;
        }
        await writeFile(join(work, 'given.rv'), SMALL);
        const program = spawn(ravine, ['studio', 'given.rv', '--no-open'], { cwd: work, env: { ...process.env, RAVINE_STUDIO: folder }, stdio: ['ignore', 'pipe', 'inherit'] });
        try {
            const address = await new Promise((resolve, reject) => {
                program.stdout.on('data', (data) => resolve(/http\S+/.exec(String(data))[0]));
                program.on('exit', () => reject(new Error('ravine studio has ended')));
            });
            const { page, wrong, context } = await openPage(browser, address.replace(/\?.*/, ''), { hash: /\?.*/.exec(address)[0] });
            await settled(page);
            assert.equal(await page.evaluate(() => studio.session.about.engine), 'machine');
            assert.equal(await shown(page), hashOf('given.rv'));
            assert.ok(!page.url().includes('token'));
            // The page makes it, too, and shows both hashes.
            const facts = page.locator('.facts'), same = hashOf('given.rv');
            await facts.getByText('the same land from both').waitFor();
            assert.equal((await facts.textContent()).split(same).length, 3);
            // A file where the user says; one that is there is replaced only when that was asked.
            await page.getByRole('button', { name: 'Export' }).click();
            const path = page.getByLabel('File on this machine'), said = page.locator('.said-here'), store = page.locator('[data-store]');
            const asks = async (name, button, sentence) => {
                await path.fill(name);
                assert.equal(await store.textContent(), 'Save');
                await store.click();
                await page.waitForFunction((text) => document.querySelector('.said-here').textContent.includes(text), sentence);
                assert.equal(await store.textContent(), button);
            };
            await asks('here.npy', 'Save', `Saved as ${await realpath(work)}/here.npy`);
            run('given.rv', 'save', 'there.npy');
            assert.deepEqual(await readFile(join(work, 'here.npy')), await readFile(join(work, 'there.npy')));
            await writeFile(join(work, 'here.npy'), 'mine');
            await asks('here.npy', 'Replace', 'here.npy is there already.');
            assert.equal(await readFile(join(work, 'here.npy'), 'utf8'), 'mine');
            await store.click();
            await page.waitForFunction(() => document.querySelector('.said-here').textContent.startsWith('Saved'));
            assert.deepEqual(await readFile(join(work, 'here.npy')), await readFile(join(work, 'there.npy')));
            // No key does that, and consent holds for the name that was asked about.
            const whole = `${await realpath(work)}/whole.npy`, mine = (name) => readFile(join(work, name), 'utf8');
            await asks(whole, 'Save', `Saved as ${whole}`);
            for (const name of ['one.npy', 'two.npy'])
                await writeFile(join(work, name), 'mine');
            for (const target of [path, store]) {
                await path.fill('one.npy');
                await target.focus();
                for (let i = 0; i < 8; i++) { // a key held down
                    await page.keyboard.down('Enter');
                    await page.waitForFunction(() => !document.querySelector('[data-store]').disabled);
                }
                await page.keyboard.up('Enter');
                assert.equal(await store.textContent(), 'Replace');
                assert.equal(await mine('one.npy'), 'mine');
            }
            await path.focus();
            await page.keyboard.press('Enter');
            await page.evaluate(() => {
                const field = document.querySelector('.path'), type = (name) => { field.value = name; field.dispatchEvent(new Event('input')); };
                type('one.npy');
                document.querySelector('[data-store]').click();
                type('two.npy');
            });
            await page.waitForFunction(() => !document.querySelector('[data-store]').disabled);
            assert.equal(await store.textContent(), 'Save');
            await store.click();
            await page.waitForFunction(() => document.querySelector('.said-here').textContent.includes('two.npy is there already.'));
            assert.deepEqual([await mine('one.npy'), await mine('two.npy')], ['mine', 'mine']);
            await asks('../here.npy', 'Save', 'is no place for a file in the folder');
            await asks('none/here.npy', 'Save', 'is no place for a file in the folder');
            await asks('here.xyz', 'Save', 'here.xyz');
            assert.match(await said.textContent(), /^[^\n]+\.$/);
            await page.keyboard.press('Escape');
            // The other engines.
            const choose = async (name) => {
                await page.locator('.pill').click();
                await page.locator('.engine-choice').filter({ has: page.locator('b', { hasText: name }) }).click();
            };
            await choose(/^This page$/);
            await page.waitForFunction(() => studio.session.about.engine === 'page' && studio.session.state === 'done');
            assert.equal(await shown(page), same);
            await facts.getByText('the same land from both').waitFor();
            await choose(/^This machine$/);
            await page.waitForFunction(() => studio.session.about.engine === 'machine' && studio.session.state === 'done');
            const devices = await page.evaluate(() => studio.session.about.devices);
            if (devices.length > 0) {
                await choose(devices[0].name);
                await page.waitForFunction(() => studio.session.about.device === 1);
                await page.locator('.pill', { hasText: devices[0].name }).waitFor();
                await page.getByRole('button', { name: 'Run' }).click();
                await settled(page);
                assert.equal(await shown(page), same);
                await choose(/^This machine$/);
                await page.waitForFunction(() => studio.session.about.device === 0);
            }
            await page.evaluate((text) => studio.session.openText('long', text), LONG);
            await running(page, 2);
            // In the midst of a run: another device takes it over, a file is saved when it is over.
            assert.match(await page.evaluate(() => studio.session.choose('machine', 99).catch(({ message }) => message)), /99/);
            await running(page, 2);
            if (devices.length > 0) {
                await choose(devices[0].name);
                await page.waitForFunction(() => studio.session.about.device === 1);
                await running(page, 2);
                await choose(/^This machine$/);
                await page.waitForFunction(() => studio.session.about.device === 0);
                await running(page, 2);
            }
            await page.evaluate(() => studio.session.control('pause'));
            await until(page, ['held']);
            await page.getByRole('button', { name: 'Export' }).click();
            await asks('late.npy', 'Save', 'when this run is over');
            await page.evaluate(() => studio.session.control('keep'));
            await until(page, ['kept']);
            await page.waitForFunction(() => document.querySelector('.said-here').textContent.startsWith('Saved'));
            await page.keyboard.press('Escape');
            await page.waitForFunction(() => studio.viewport.frame?.land?.hash === studio.session.land.hash);
            const late = (await readFile(join(work, 'late.npy'))).subarray(-4 * 96 * 96); // the land that was kept
            assert.deepEqual(Array.from({ length: 4096 }, (_, i) => late.readFloatLE(4 * i)), await heights(page));
            makeFiles();
            await opensAll(page);
            // A file of the folder, which the page does not have and does not try to open.
            await page.evaluate(() => studio.session.openText('folder', 'open there.npy'));
            await settled(page);
            await page.waitForFunction(() => !studio.session.isChecking);
            assert.deepEqual(await page.locator('.toast.wrong').allTextContents(), []);
            try {
                run('terrain', 'size=40', 'noise', 'save', 'kind.exr');
            } catch {
                console.log('    left out: this program has no OpenEXR');
            }
            if (existsSync(join(work, 'kind.exr'))) {
                await drop(page, 'kind.exr', await readFile(join(work, 'kind.exr')));
                await page.waitForFunction(() => studio.session.store.doc.items[0]?.values.file === 'kind.exr');
                await settled(page);
                await page.waitForFunction(() => !studio.session.isChecking); // the page cannot, and nobody asked it to
                assert.deepEqual(await page.locator('.toast.wrong').allTextContents(), []);
            }
            // The program is killed in the middle of a run: the page goes on by itself, from where it was.
            await page.waitForFunction(() => studio.session.spare);
            await page.evaluate((text) => { studio.session.rescueEvery = 0; return studio.session.openText('slow', text); }, SLOWER);
            await running(page, 3);
            const places = await startsOf(page);
            await page.evaluate((steps) => { // also where the page is making a land to compare, which takes for ever
                const { session } = studio;
                session.checked = session.run;
                return session.spare.engine.ask({ kind: 'run', run: session.run, steps, live: { fields: [], rate: 1, every: 4096, last: [], slices: false, rescue: 1e300 } });
            }, LONG.trim().split('\n').slice(0, 3));
            program.kill('SIGKILL');
            await page.waitForFunction(() => document.querySelector('.toast.wrong')?.textContent.includes('has ended'));
            await settled(page);
            assert.equal(await page.evaluate(() => studio.session.about.engine), 'page');
            assert.deepEqual(await places(), [3]);
            await writeFile(join(work, 'slow.rv'), SLOWER);
            assert.equal(await shown(page), hashOf('slow.rv'));
            assert.ok(page.url().includes('#'));
            await context.close();
            assert.deepEqual(wrong.filter((text) => !text.includes('ERR_')), []); // that the server is gone, the browser notes
        } finally {
            program.kill('SIGKILL');
        }
    },

    async 'pictures of the manual'() {
        if (!pictures)
            return;
        const opened = await open(link((await readFile(new URL('../../recipes/alps.rv', import.meta.url), 'utf8')).replace('size=1032', 'size=516')), { colorScheme: 'dark' });
        await until(opened.page, ['done'], 600000);
        await settled(opened.page);
        await opened.page.evaluate(() => studio.session.measure());
        await picture(opened.page, 'page');
        await opened.page.evaluate(() => studio.session.startScene('river', 'preset name=river run frames=260'));
        await until(opened.page, ['done'], 300000);
        await picture(opened.page, 'scene');
        await opened.close();
    },

    async 'no serious fault for people who use other means; dark, light and on a phone'() {
        const { page, close } = await open(link(SMALL), { width: 390, height: 844, hasTouch: true, colorScheme: 'dark' });
        await settled(page);
        const faults = async () => {
            await page.evaluate(() => document.querySelectorAll('.toast').forEach((toast) => toast.remove()));
            const { violations } = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
            return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
                .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target.join(' '))}`);
        };
        // By evaluation, which the policy of the page does not forbid to the one who tests.
        await page.evaluate(await readFile(axeSource, 'utf8') + ';0');
        assert.deepEqual(await faults(), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
        for (const sheet of ['Parameters', 'Land', 'Steps']) {
            await page.getByRole('tab', { name: sheet }).click();
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, sheet);
        }
        await picture(page, 'phone');
        await page.setViewportSize({ width: 1440, height: 900 });
        for (const theme of ['dark', 'light']) {
            await page.evaluate((name) => { document.documentElement.dataset.theme = name; }, theme);
            assert.deepEqual(await faults(), [], theme);
        }
        for (const name of ['Gallery', 'Export', 'Keys (H)']) {
            await page.getByRole('button', { name }).click();
            assert.deepEqual(await faults(), [], name);
            await page.keyboard.press('Escape');
        }
        // By keyboard alone: everything that acts can be reached.
        const reached = new Set();
        await page.evaluate(() => document.querySelector('.doc-name').focus());
        for (let i = 0; i < 150 && reached.size < 6; i++) {
            await page.keyboard.press('Tab');
            reached.add(await page.evaluate(() => document.activeElement?.closest('header, .stack, .view, .side, .time')?.className));
        }
        for (const part of ['top', 'stack', 'view', 'side', 'time'])
            assert.ok([...reached].includes(part), `${part} is not reached by the keyboard`);
        await close();
    },
};

const timed = ['eroded land is there', 'a run is held', 'the view follows', 'while a slider is dragged'];
const isTimed = (name) => timed.some((words) => name.startsWith(words)), others = Object.keys(tests).filter((name) => !isTimed(name));
const [, part, parts] = /^(\d+)\/(\d+)$/.exec(only ?? '') ?? [];
const isWanted = (name) => !only || (only === 'timed' ? isTimed(name) : part ? !isTimed(name) && others.indexOf(name) % parts === part - 1 : name.includes(only));

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    if (!isWanted(name))
        continue;
    const start = performance.now();
    try {
        await test();
        console.log(`ok: ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failed++;
        console.log(`not ok: ${name}\n${error.stack ?? error}`);
    }
}
await browser.close();
server.close();
plain.close();
process.exitCode = failed ? 1 : 0;
