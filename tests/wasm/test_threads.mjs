// test_threads.mjs TREE TABLE THREADS_TREE ...: threads that are lent to ravine-threads.wasm: contexts share them out,
// a run can be stopped, and one that fails ends the run instead of leaving it to wait.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { readLayout } from '../../studio/wasm/ravine.mjs';
import { startThreads } from '../../studio/wasm/threads.mjs';
import { Wasi } from '../../studio/wasm/wasi.mjs';
import { loadThreads } from './node_threads.mjs';

const [tree, tablePath, threadsTree] = process.argv.slice(2);
const CANCELLED = 1;
const table = new Map((await readFile(tablePath, 'utf8')).trim().split('\n').map((line) => line.split(' ')));
const layout = await readLayout(await readFile(`${tree}/layout.wasm`));
const module = await readFile(`${threadsTree}/ravine-threads.wasm`);
const HILLS = 'terrain width=97 height=130 cell=10 noise seed=7 frequency=2 relief=300 ';

{
    const { ravine, workers } = await loadThreads(module, 3), { rv } = ravine;
    const all = ravine.context(layout), none = ravine.context(layout);
    assert.equal(rv.rv_context_threads(all), 3);
    assert.equal(rv.rv_context_threads(none), 1); // the others are taken
    for (const ctx of [all, none, all]) {
        const { status, land } = ravine.run(ctx, HILLS + 'pipes time=20');
        assert.equal(status, 0, ravine.text(rv.rv_context_error(ctx)));
        assert.equal(ravine.hash(land), table.get('pipes'));
        rv.rv_terrain_destroy(land);
    }
    rv.rv_context_destroy(all);
    rv.rv_context_destroy(none);
    console.log('ok: two contexts share out the threads, and give the hash of the table');

    for (let i = 0; i < 200; i++) { // threads come and go
        const ctx = ravine.context(layout);
        assert.equal(rv.rv_context_threads(ctx), 3);
        const { land } = ravine.run(ctx, HILLS);
        rv.rv_terrain_destroy(land);
        rv.rv_context_destroy(ctx);
    }
    console.log('ok: contexts give threads back');

    let asked = 0; // for progress
    const ctx = ravine.context(layout, () => (++asked < 5 ? 1 : 0));
    const stopped = ravine.run(ctx, 'terrain size=128 noise pipes time=1M');
    assert.equal(stopped.status, CANCELLED);
    assert.equal(ravine.text(rv.rv_context_error(ctx)), 'Stopped in pipes.');
    rv.rv_terrain_destroy(stopped.land);
    console.log('ok: a run on several threads stops');

    asked = -1000000;
    // A function of JavaScript is in the table of one instance only: other threads trap where they call it.
    const { land } = ravine.run(ctx, 'terrain size=256 noise');
    const factor = ravine.callback(() => 1, ['i32', 'f32', 'f32', 'f32'], 'f32');
    rv.rv_terrain_hardness(land, factor, 0);
    const pipes = ravine.with(['pipes'], (name) => rv.rv_step_find(name));
    const id = ravine.view.getUint32(pipes + layout['rv_step_info.id'], true);
    assert.throws(() => rv.rv_step_run(land, id, 0, 0), WebAssembly.RuntimeError);
    workers.forEach((worker) => worker.terminate());
    console.log('ok: a thread that fails ends the run');
}

// A worker that cannot be started is an error, not a wait without end.
const broken = new URL('data:text/javascript,throw new Error("no thread here")');
await assert.rejects(startThreads(new Wasi(), module, 1, () => new Worker(broken)), /no thread here/);
console.log('ok: a worker that cannot start is told');
