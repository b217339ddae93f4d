// studio_frames.mjs PAGE [SIDE]: what a frame of the studio costs at SIDE x SIDE cells (2048): the time of the page's own
// thread, draw calls, triangles, and bytes that go to the GPU, while the camera turns, close to the ground, and while
// the land changes. Frames a second need a GPU, which a test machine may not have; these figures do not.
// Needs chromium and studio/node_modules: `make studio` builds the page, into build/studio.
import { resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { serve } from '../studio/serve.mjs';
import { launch, measureFrames, openPage, settled } from '../tests/studio/harness.mjs';

const [folder, side = '2048'] = process.argv.slice(2);
const server = await serve(resolve(folder)), browser = await launch();
const recipe = `terrain size=${side} cell=10\nnoise seed=5 relief=1500\n`;
const { page } = await openPage(browser, server.address,
    { hash: '#' + deflateRawSync(recipe).toString('base64url'), width: 1920, height: 1080 });
page.setDefaultTimeout(600000);
await settled(page);

const figures = await page.evaluate(measureFrames, [24, false]);
const line = (name, { ms, calls, triangles, bytes }) => console.log(
    `${name.padEnd(28)} ${ms.toFixed(1).padStart(6)} ms  ${String(calls).padStart(3)} calls  ${String(Math.round(triangles / 1000)).padStart(5)} k triangles  ${(bytes / 1e6).toFixed(2).padStart(6)} MB to the GPU`);
console.log(`${side} x ${side} cells at 1920 x 1080, of a frame on the page's thread:`);
line('camera turns, all in sight', figures.around);
line('camera close to the ground', figures.close);
line('land changes (a slice)', figures.live);
for (const [name, { mean, most }] of Object.entries({ 'all in sight': figures.layers.far, 'close to the ground': figures.layers.near }))
    console.log(`${name}: a pixel is shaded ${mean.toFixed(2)} times, at most ${Math.round(most)}`);
await browser.close();
server.close();
