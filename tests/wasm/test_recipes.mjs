// test_recipes.mjs TREE TABLE THREADS_TREE PROGRAM SOURCE: every recipe of recipes/, smaller, and every scene, for 30
// frames, has the hash that the program gives: in ravine.wasm, and in ravine-threads.wasm with four threads.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Ravine, readLayout } from '../../studio/wasm/ravine.mjs';
import { loadThreads } from './node_threads.mjs';

const [tree, , threadsTree, program, source] = process.argv.slice(2);
const layout = await readLayout(await readFile(`${tree}/layout.wasm`));
const one = await Ravine.load(await readFile(`${tree}/ravine.wasm`));
const { ravine: four, workers } = await loadThreads(await readFile(`${threadsTree}/ravine-threads.wasm`), 4);
const FRAMES = 30;

function lastHash(...words) {
    const lines = execFileSync(program, [...words, '--json', '--quiet'], { encoding: 'utf8' }).trim().split('\n');
    return JSON.parse(lines[lines.length - 1]).hash;
}

// Pictures need libpng, which is not there for WebAssembly; they leave the land as it is.
function smaller(recipe) {
    return recipe.replace(/^(terrain +size=)\d+( +cell=)(\d+)/m, (all, size, cell, metres) => `${size}128${cell}${2 * metres}`)
        .replace(/^(resize +size=)\d+/m, '$1192')
        .replace(/^(save|render|hillshade|map|film) .*$/mg, '');
}

function runRecipe(ravine, recipe, threads) {
    const ctx = ravine.context(layout);
    assert.equal(ravine.rv.rv_context_threads(ctx), threads);
    const { status, land } = ravine.run(ctx, recipe);
    assert.equal(status, 0, ravine.text(ravine.rv.rv_context_error(ctx)));
    const hash = ravine.hash(land), width = ravine.rv.rv_terrain_width(land);
    assert.ok(width > 150 && width <= 192, `${width} cells`); // some cut off their edges
    ravine.rv.rv_terrain_destroy(land);
    ravine.rv.rv_context_destroy(ctx);
    return hash;
}

function runScene(ravine, preset) {
    const { rv } = ravine, ctx = ravine.context(layout);
    const { pointer: scene } = ravine.made((out) => ravine.with([preset], (name) => rv.rv_scene_create(ctx, name, out)));
    for (let i = 0; i < FRAMES; i++)
        assert.equal(rv.rv_scene_step(scene), 0, ravine.text(rv.rv_context_error(ctx)));
    const frame = rv.malloc(layout['rv_frame']);
    assert.equal(rv.rv_scene_info(scene, frame), 0);
    const hash = ravine.view.getBigUint64(frame + layout['rv_frame.hash'], true).toString(16).padStart(16, '0');
    rv.free(frame);
    rv.rv_scene_destroy(scene);
    rv.rv_context_destroy(ctx);
    return hash;
}

const recipes = (await readdir(`${source}/recipes`)).filter((name) => name.endsWith('.rv'));
assert.ok(recipes.length >= 6);
for (const name of recipes) {
    const recipe = smaller(await readFile(`${source}/recipes/${name}`, 'utf8'));
    await writeFile(name, recipe);
    const expected = lastHash(name);
    assert.equal(runRecipe(one, recipe, 1), expected, `${name} with one thread`);
    assert.equal(runRecipe(four, recipe, 4), expected, `${name} with four threads`);
    console.log(`ok: ${name} ${expected}`);
}

const presets = one.rv.rv_scene_preset_count();
assert.ok(presets >= 8);
for (let i = 0; i < presets; i++) {
    const name = one.text(one.rv.rv_scene_preset_name(i));
    const expected = lastHash('scene', name, `frames=${FRAMES}`);
    assert.equal(runScene(one, name), expected, `${name} with one thread`);
    assert.equal(runScene(four, name), expected, `${name} with four threads`);
    console.log(`ok: scene ${name} ${expected}`);
}
workers.forEach((worker) => worker.terminate());
