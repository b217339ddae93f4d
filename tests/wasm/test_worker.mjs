// test_worker.mjs TREE TABLE: the library runs in a worker, shows the land as it changes, and stops when asked.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { readLayout } from '../../studio/wasm/ravine.mjs';

const [tree, tablePath] = process.argv.slice(2);
const CANCELLED = 1;
const module = await readFile(`${tree}/ravine.wasm`);
const layout = await readLayout(await readFile(`${tree}/layout.wasm`));
const table = await readFile(tablePath, 'utf8');

/** Runs a recipe in a worker of its own; `look(message, stop)` sees what it posts meanwhile. Gives its last
 *  message. */
function run(recipe, look) {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL('./worker.mjs', import.meta.url),
        { workerData: { module, layout, recipe, stop } });
    return new Promise((resolve, reject) => {
        worker.on('error', reject);
        worker.on('message', (message) => ('status' in message ? resolve(message) : look(message, stop)));
    }).finally(() => worker.terminate());
}

const HILLS = 'terrain width=97 height=130 cell=10 noise seed=7 frequency=2 relief=300 ';
const whole = await run(HILLS + 'pipes time=20', () => {});
assert.equal(whole.status, 0);
assert.ok(table.includes(`\npipes ${whole.hash}\n`), whole.hash);
console.log('ok: a worker gives the hash of the table');

// A run of minutes; the land changes between two looks, and after some it is stopped.
const seen = [];
const stopped = await run('terrain size=128 noise pipes time=1M', ({ step, heights, total }, stop) => {
    seen.push({ step, heights, total });
    if (seen.length === 5)
        Atomics.store(stop, 0, 1);
});
assert.equal(stopped.status, CANCELLED);
assert.equal(stopped.sentence, 'Stopped in pipes.');
const worn = seen.filter(({ step }) => step === 'pipes');
assert.ok(worn.length >= 2 && worn.every(({ heights }) => heights.length === 128 * 128));
assert.notDeepEqual(worn[worn.length - 1].heights, worn[0].heights);
console.log('ok: a worker shows the land and stops');
