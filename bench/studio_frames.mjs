// studio_frames.mjs PAGE [SIDE]: what a frame of the studio costs at SIDE x SIDE cells (2048): the time of the page's own
// thread, draw calls, triangles, and bytes that go to the GPU, while the camera turns, close to the ground, and while
// the land changes. Frames a second need a GPU, which a test machine may not have; these figures do not.
// Needs chromium and studio/node_modules: `make studio` builds the page, into build/studio.
import { resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { serve } from '../studio/serve.mjs';
import { launch, openPage, settled } from '../tests/studio/harness.mjs';

const [folder, side = '2048'] = process.argv.slice(2);
const server = await serve(resolve(folder)), browser = await launch();
const recipe = `terrain size=${side} cell=10\nnoise seed=5 relief=1500\n`;
const { page } = await openPage(browser, server.address,
    { hash: '#' + deflateRawSync(recipe).toString('base64url'), width: 1920, height: 1080 });
page.setDefaultTimeout(600000);
await settled(page);

const figures = await page.evaluate(async () => {
    const { view } = studio.viewport, { renderer, camera, land } = view, gl = renderer.getContext();
    let bytes = 0;
    const pixel = new Uint8Array(4);
    for (const [name, size] of [['bufferSubData', (args) => (args[4] ?? args[2].length) * args[2].BYTES_PER_ELEMENT], ['bufferData', (args) => args[1].byteLength ?? 0],
        ['texSubImage2D', (args) => args.at(-1)?.byteLength ?? 0], ['texImage2D', (args) => args.at(-1)?.byteLength ?? 0]]) {
        const call = gl[name].bind(gl);
        gl[name] = (...args) => {
            bytes += size(args) || 0;
            return call(...args);
        };
    }
    view.finest();
    const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    const over = (frames, place) => {
        const ms = [], calls = [], triangles = [], sent = [];
        for (let i = 0; i < frames; i++) {
            place(i / frames);
            bytes = 0;
            renderer.info.autoReset = false;
            renderer.info.reset();
            const start = performance.now();
            view.render();
            ms.push(performance.now() - start);
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // what waits is drawn before the next is timed
            calls.push(renderer.info.render.calls);
            triangles.push(renderer.info.render.triangles);
            sent.push(bytes);
        }
        return { ms: middle(ms), worst: ms.at(-1), calls: Math.max(...calls), triangles: Math.max(...triangles), bytes: middle(sent) };
    };
    const { width, height, cell } = land.grid, extent = width * cell, x = extent / 2, z = (height * cell) / 2;
    const turned = (part, radius, rise) => {
        const a = 2 * Math.PI * part;
        camera.position.set(x + radius * Math.cos(a), rise, z + radius * Math.sin(a));
        camera.lookAt(x, land.span.y / 2, z);
    };
    const around = over(24, (part) => turned(part, extent, 0.5 * extent));
    const close = over(24, (part) => turned(part, 0.02 * extent, land.span.y * 1.1));
    // A slice of a run: every second cell of so large a land.
    const half = width > 1024 ? 2 : 1, w = Math.floor((width - 1) / half) + 1;
    const slices = [];
    const slice = () => {
        const heights = new Float32Array(w * w).map(() => 1000 * Math.random());
        const start = performance.now();
        studio.viewport.show({ width: w, height: w, cell: cell * half, fields: new Map([['height', heights]]), land: null, isLive: true, isPreview: false });
        slices.push(performance.now() - start);
    };
    const live = over(12, slice);
    return { around, close, live: { ...live, ms: live.ms + middle(slices) } };
});
const line = (name, { ms, calls, triangles, bytes }) => console.log(
    `${name.padEnd(28)} ${ms.toFixed(1).padStart(6)} ms  ${String(calls).padStart(3)} calls  ${String(Math.round(triangles / 1000)).padStart(5)} k triangles  ${(bytes / 1e6).toFixed(2).padStart(6)} MB to the GPU`);
console.log(`${side} x ${side} cells at 1920 x 1080, of a frame on the page's thread:`);
line('camera turns, all in sight', figures.around);
line('camera close to the ground', figures.close);
line('land changes (a slice)', figures.live);
await browser.close();
server.close();
