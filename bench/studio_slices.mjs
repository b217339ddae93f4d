// studio_slices.mjs PAGE [WORD...]: how often a second the studio shows land that a step is changing: slices that the
// engine sends where nothing is drawn, and pictures of new land where all is. WORD: only steps with this in their line.
// Needs chromium and studio/node_modules: `make studio` builds the page, into build/studio.
import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { serve } from '../studio/serve.mjs';
import { launch, openPage } from '../tests/studio/harness.mjs';

const [folder, ...words] = process.argv.slice(2);
const server = await serve(resolve(folder)), browser = await launch();
const steps = [[256, 'droplets drops=4M'], [512, 'droplets drops=4M'], [1024, 'droplets drops=4M'], [256, 'droplets drops=4M order=batch'],
    [256, 'particles drops=4M'], [512, 'particles drops=4M'], [256, 'pipes time=4000'], [512, 'pipes time=4000'], [1024, 'pipes time=4000'], [256, 'rivers time=1M steps=400'],
    [512, 'rivers time=1M steps=400'], [512, 'runoff rounds=400'], [512, 'thermal rounds=4000']];

/** In the page: for so many milliseconds from when the step has begun. */
async function count([place, ms, isDrawn]) {
    const { session, viewport } = studio, { view } = viewport, hear = session.hear.bind(session), show = viewport.show.bind(viewport), render = view.render.bind(view);
    let isNew = false;
    const slices = [], pictures = [];
    const rest = () => ['done', 'failed'].includes(session.state);
    viewport.show = (frame) => { isNew = isDrawn; if (isDrawn) show(frame); };
    view.render = () => {
        if (isDrawn)
            render();
        if (isNew)
            pictures.push(performance.now());
        isNew = false;
    };
    session.hear = (event) => {
        if (event.kind === 'slice' && event.run === session.run && event.place === place)
            slices.push(performance.now());
        hear(event);
    };
    while (slices.length === 0 && !rest())
        await new Promise((go) => setTimeout(go, 5));
    const start = performance.now();
    while (performance.now() - start < ms && !rest())
        await new Promise((go) => setTimeout(go, 5));
    const took = performance.now() - start, gaps = slices.slice(1).map((at, i) => at - slices[i]).sort((a, b) => a - b);
    return { rate: (1000 * (slices.length - 1)) / took, worst: gaps[Math.floor(0.95 * gaps.length)] ?? Infinity, pictures: (1000 * pictures.length) / took, took };
}

console.log('cells  step                               slices a second  gap p95, ms    with drawing: slices  pictures a second');
for (const [size, step] of steps.filter(([, line]) => words.every((word) => line.includes(word)))) {
    const found = [];
    for (const isDrawn of [false, true]) {
        const hash = '#' + deflateRawSync(`terrain size=${size} cell=${2560 / size}\nnoise seed=5 relief=600\n${step}\n`).toString('base64url');
        const { page, context } = await openPage(browser, server.address, { hash, width: 1440, height: 900 });
        await page.waitForFunction(() => window.studio?.session.state === 'running', null, { polling: 10 });
        found.push(await page.evaluate(count, [2, 3000, isDrawn]));
        await context.close();
    }
    const [alone, drawn] = found, number = (n, width) => n.toFixed(1).padStart(width);
    console.log(`${String(size).padStart(5)}  ${step.padEnd(34)} ${number(alone.rate, 15)} ${number(alone.worst, 12)} ${number(drawn.rate, 23)} ${number(drawn.pictures, 18)}${alone.took < 1000 ? `   (${Math.round(alone.took)} ms in all)` : ''}`);
}
console.log(`${cpus().length} cores, at a load of ${loadavg()[0].toFixed(1)}`);
await browser.close();
server.close();
