// page_context.mjs: what tests of the page have in common: the servers and the browser, the program, lands, files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, inflateSync } from 'node:zlib';
import { serve } from '../../studio/serve.mjs';
import { launch, openPage, settled } from './harness.mjs';

export const [folder, ravine, only] = process.argv.slice(2);
export const work = await mkdtemp(join(tmpdir(), 'studio-'));
export const pictures = process.env.STUDIO_PICTURES;
/** Limits of time hold on a machine that has nothing else to do. Elsewhere they are longer by as much as this program has
 *  less of a core, now and in the last minute, and some more, since what the page needs is several processes. */
export function patience() {
    const start = performance.now(), before = process.cpuUsage();
    while (performance.now() - start < 100);
    const { user, system } = process.cpuUsage(before), share = Math.min(1, (user + system) / 1000 / (performance.now() - start));
    const crowd = loadavg()[0] / cpus().length;
    return share > 0.9 && crowd < 1 ? 1 : 3 * Math.max(1 / share, crowd, 1);
}

export const run = (...words) => execFileSync(ravine, words, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
export const hashOf = (...words) => /"hash":"([0-9a-f]{16})"(?![\s\S]*"hash")/.exec(run('--json', '--threads', '1', ...words))[1];
export const link = (text) => '#' + deflateRawSync(text).toString('base64url');
export const shown = (page) => page.evaluate(() => studio.session.land.hash);
export const heights = (page) => page.evaluate(() => [...studio.viewport.frame.fields.get('height').slice(0, 4096)]);

export const SMALL = 'terrain size=64 cell=40\nnoise seed=5 frequency=0.4 relief=900\ndroplets seed=3\n';
export const LONG = 'terrain size=96 cell=20\nnoise seed=5 relief=300\npipes time=1M\nthermal talus=10 rounds=3\n';

export const SLOW = 'terrain size=128 cell=20\nnoise seed=5 relief=600\ndroplets drops=3k\npipes time=4000\nthermal rounds=3\n';
/** So long that an engine can be ended in its midst, on a busy machine, too. */
export const SLOWER = SLOW.replace('time=4000', 'time=12000');

export const running = (page, place) => page.waitForFunction((at) => studio.session.state === 'running' && studio.session.place === at && studio.session.done > 0, place);

/** Gives, when it is called, the places at which runs have started since. */
export async function startsOf(page) {
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

export async function picture(page, name) {
    if (!pictures)
        return;
    await page.mouse.move(720, 5);
    await page.evaluate(() => studio.viewport.view.finest());
    await page.waitForTimeout(3000);
    await page.screenshot({ path: join(pictures, `studio-${name}.png`) });
}

/** Drops a file on the page, as a hand would, or several. */
export async function drop(page, name, bytes, ...more) {
    const given = await page.evaluateHandle((files) => {
        const transfer = new DataTransfer();
        for (let i = 0; i < files.length; i += 2)
            transfer.items.add(new File([Uint8Array.from(atob(files[i + 1]), (c) => c.charCodeAt(0))], files[i]));
        return transfer;
    }, [name, bytes, ...more].map((each, i) => (i % 2 ? Buffer.from(each).toString('base64') : each)));
    await page.dispatchEvent('#app', 'drop', { dataTransfer: given });
}

/** The same land in every kind of file; in the folder `alone` without sidecars. */
export function makeFiles() {
    const kinds = ['png', 'r16', 'r32', 'npy', 'npz', 'tif', 'asc'];
    run('terrain', 'size=40', 'cell=30', 'noise', 'seed=9', 'relief=800', 'layer', 'name=sand', ...kinds.flatMap((kind) => ['save', `kind.${kind}`]),
        'save', 'plain.tif', 'tiff=plain');
    execFileSync('sh', ['-c', 'mkdir -p alone && cp kind.* plain.* alone && rm alone/*.json'], { cwd: work });
}

/** Drops each of them on the page. */
export async function opensAll(page) {
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

export async function exported(page, label) {
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-export="${label}"]`).click()]);
    const bytes = await readFile(await download.path());
    await page.keyboard.press('Escape');
    return { name: download.suggestedFilename(), bytes };
}

/** The levels of a 16-bit grey PNG whose rows are stored as they are or less the row above. */
export function levels(png) {
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

export const server = await serve(folder), plain = await serve(folder, false);
export const browser = await launch();
export const open = async (hash, more) => {
    const opened = await openPage(browser, server.address, { hash, ...(pictures && { width: 1440, height: 900 }), ...more });
    return { ...opened, async close() {
        await opened.context.close();
        assert.deepEqual(opened.wrong, []);
    } };
};
