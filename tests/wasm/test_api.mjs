// test_api.mjs TREE TABLE: calls the functions of ravine.h in TREE/ravine.wasm from JavaScript.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ravine, readLayout } from '../../studio/wasm/ravine.mjs';

const [tree, tablePath] = process.argv.slice(2);
const CANCELLED = 1, ERROR_USAGE = 2, ERROR_INPUT = 3;
const table = new Map((await readFile(tablePath, 'utf8')).trim().split('\n').map((line) => line.split(' ')));
const layout = await readLayout(await readFile(`${tree}/layout.wasm`));
const ravine = await Ravine.load(await readFile(`${tree}/ravine.wasm`));
const { rv } = ravine;
const LAND = 'terrain width=97 height=130 cell=10 ';
const HILLS = LAND + 'noise seed=7 frequency=2 relief=300 ';

const tests = {
    'recipes give the hashes of the table'(ctx) {
        for (const [name, recipe] of [
            ['noise', LAND + 'noise'],
            ['droplets', HILLS + 'droplets drops=1500 max_path=40cells'],
            ['thermal', HILLS + 'thermal talus=30'],
            ['rivers', HILLS + 'rivers steps=10'],
            ['pipes', HILLS + 'pipes time=20'],
        ]) {
            const { status, land } = ravine.run(ctx, recipe);
            assert.equal(status, 0, ravine.text(rv.rv_context_error(ctx)));
            assert.equal(ravine.hash(land), table.get(name), name);
            rv.rv_terrain_destroy(land);
        }
    },

    'fields are seen where they lie'(ctx) {
        const { land } = ravine.run(ctx, HILLS);
        const heights = ravine.field(land, 'height');
        assert.equal(heights.length, 97 * 130);
        const volume = heights.reduce((sum, height) => sum + height, 0) * 100;
        assert.ok(Math.abs(volume - rv.rv_terrain_volume(land)) < 1e-9 * volume);
        assert.equal(ravine.field(land, 'no such field'), 0);
        // And changed: the library takes a copy.
        const values = rv.malloc(4 * heights.length);
        ravine.floats(values, heights.length).fill(0.25);
        assert.equal(ravine.with(['mask'], (name) => rv.rv_terrain_field_set(land, name, values)), 0);
        rv.free(values);
        assert.ok(ravine.field(land, 'mask').every((value) => value === 0.25));
        rv.rv_terrain_destroy(land);
    },

    'files are in memory, both ways'(ctx) {
        const saved = ravine.run(ctx, HILLS + 'save heights.npy');
        const file = ravine.files.get('heights.npy');
        const header = 10 + new DataView(file.buffer).getUint16(8, true);
        const values = new Float32Array(file.slice(header).buffer);
        assert.deepEqual(values, ravine.field(saved.land, 'height').slice());
        const fresh = file.slice();
        new DataView(fresh.buffer).setFloat32(header, 1234.5, true);
        ravine.files.set('given.npy', fresh);
        const opened = ravine.run(ctx, 'open given.npy');
        assert.equal(ravine.field(opened.land, 'height')[0], 1234.5);
        rv.rv_terrain_destroy(saved.land);
        rv.rv_terrain_destroy(opened.land);
        assert.deepEqual([...ravine.files.keys()].filter((name) => name.includes('tmp')), []);
    },

    'what goes wrong comes back as a sentence'(ctx) {
        assert.equal(ravine.run(ctx, 'terrain nosie').status, ERROR_USAGE);
        assert.match(ravine.text(rv.rv_context_error(ctx)), /noise/);
        assert.equal(ravine.run(ctx, 'open missing.npy').status, ERROR_INPUT);
        assert.match(ravine.text(rv.rv_context_error(ctx)), /missing\.npy/);
        const other = ravine.made((out) => rv.rv_context_open(layout['rv_abi'] ^ 1, 0, out));
        assert.match(ravine.text(rv.rv_status_text(other.status)), /another version/);
        // More cells than 32-bit addresses can tell apart.
        assert.notEqual(ravine.run(ctx, 'terrain width=65536 height=65536 noise').status, 0);
        assert.notEqual(ravine.run(ctx, 'terrain width=65536 height=16384 noise').status, 0);
    },

    'runs leave no memory behind'(ctx) {
        const once = () => rv.rv_terrain_destroy(ravine.run(ctx, 'terrain size=256 noise droplets drops=1k').land);
        once();
        const size = rv.memory.buffer.byteLength;
        for (let i = 0; i < 20; i++)
            once();
        assert.equal(rv.memory.buffer.byteLength, size);
    },

    'progress is told, and can stop a run'() {
        const totals = [], steps = new Set();
        let lands = 0, stopAt = 2;
        const ctx = ravine.context(layout, (now) => {
            const total = ravine.view.getFloat64(now + layout['rv_progress.total'], true);
            steps.add(ravine.text(ravine.view.getUint32(now + layout['rv_progress.step'], true)));
            const land = ravine.view.getUint32(now + layout['rv_progress.land'], true);
            lands += land !== 0 && ravine.field(land, 'height').every(Number.isFinite);
            totals.push(total);
            return total < stopAt ? 1 : 0;
        });
        const recipe = 'terrain size=128 noise pipes rounds=1000';
        const whole = ravine.run(ctx, recipe);
        assert.equal(whole.status, 0);
        assert.ok(totals.length >= 3 && lands >= 1, `${totals.length} calls, ${lands} with land`);
        assert.ok(totals.every((total, i) => total <= 1 && (i === 0 || total >= totals[i - 1])));
        assert.deepEqual([...steps], ['terrain', 'noise', 'pipes']);
        stopAt = 0.7; // pipes is the last of three steps
        const stopped = ravine.run(ctx, recipe);
        assert.equal(stopped.status, CANCELLED);
        assert.match(ravine.text(rv.rv_context_error(ctx)), /Stopped in pipes/);
        assert.ok(totals[totals.length - 1] >= 0.7);
        rv.rv_terrain_destroy(whole.land);
        rv.rv_terrain_destroy(stopped.land);
        rv.rv_context_destroy(ctx);
    },
};

for (const [name, test] of Object.entries(tests)) {
    const ctx = ravine.context(layout);
    assert.equal(rv.rv_context_threads(ctx), 1);
    test(ctx);
    rv.rv_context_destroy(ctx);
    console.log(`ok: ${name}`);
}
