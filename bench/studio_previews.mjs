// studio_previews.mjs PAGE [RECIPE...]: how soon the studio shows a change while a slider is dragged, for the step of
// each recipe that takes longest: milliseconds from the change to the first picture of it, and to the whole preview at
// 256 cells, the middle and the longest of eight changes. The first change also makes the land before that step.
// Needs chromium and studio/node_modules: `make studio` builds the page, into build/studio.
import { readFile, readdir } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { serve } from '../studio/serve.mjs';
import { launch, openPage, settled } from '../tests/studio/harness.mjs';

const [folder, ...only] = process.argv.slice(2);
const recipes = new URL('../recipes/', import.meta.url);
const server = await serve(resolve(folder)), browser = await launch();
const whole = (n) => String(Math.round(n)).padStart(6);

console.log(`${'recipe'.padEnd(16)} ${'slider'.padEnd(28)}  first: picture  whole   then: picture  longest   whole  longest, in ms`);
for (const file of (await readdir(recipes)).filter((name) => name.endsWith('.rv')).sort()) {
    const name = file.replace('.rv', '');
    if (only.length > 0 && !only.includes(name))
        continue;
    // A little larger than previews are: how large makes no difference to them.
    const given = await readFile(new URL(file, recipes), 'utf8'), by = 320 / Math.max(...[...given.matchAll(/\bsize=(\d+)/g)].map(([, size]) => Number(size)));
    const text = given.replace(/\bsize=(\d+)/g, (_, size) => `size=${Math.round(size * by)}`).replace(/\bcell=([\d.]+)/g, (_, cell) => `cell=${cell / by}`);
    const hash = '#' + deflateRawSync(text).toString('base64url');
    const { page, context } = await openPage(browser, server.address, { hash });
    page.setDefaultTimeout(900000);
    await page.waitForFunction(() => studio.session.state === 'done');
    await settled(page);
    const measured = await page.evaluate(async () => {
        const { session, viewport } = studio;
        const time = (place) => session.result(place + 1)?.ms ?? 0;
        const step = session.items.reduce((best, item, i) => (time(i) > best.ms ? { item, ms: time(i) } : best), { item: null, ms: -1 });
        session.select(step.item.id);
        while (document.querySelector('.params h1')?.textContent !== step.item.step)
            await new Promise((resolve) => setTimeout(resolve, 20));
        const row = [...document.querySelectorAll('.params .p')].find((each) => each.querySelector('input[type=range]:not(.auto)'));
        const slider = row.querySelector('input[type=range]'), at = Number(slider.value);
        const show = viewport.show.bind(viewport);
        let seen = null;
        viewport.show = (frame) => { show(frame); seen?.(frame); };
        const change = async (to) => {
            const start = performance.now();
            let picture = 0;
            const last = session.run;
            const end = new Promise((resolve) => {
                seen = (frame) => {
                    if (session.run === last)
                        return;
                    picture ||= performance.now() - start;
                    if (!frame.isLive)
                        resolve(performance.now() - start);
                };
            });
            slider.value = String(to);
            slider.dispatchEvent(new Event('input'));
            return { whole: await end, picture };
        };
        const took = [];
        for (let i = 1; i <= 9; i++)
            took.push(await change(at + (at < 500 ? 12 : -12) * i));
        slider.dispatchEvent(new Event('change'));
        return { slider: `${step.item.step} ${row.querySelector('label').textContent}`, took };
    });
    const [first, ...rest] = measured.took, sorted = (key) => rest.map((each) => each[key]).sort((a, b) => a - b);
    const pictures = sorted('picture'), ends = sorted('whole');
    console.log(`${name.padEnd(16)} ${measured.slider.padEnd(28)}         ${whole(first.picture)} ${whole(first.whole)}        ${whole(pictures[4])} ${whole(pictures.at(-1))}   ${whole(ends[4])} ${whole(ends.at(-1))}`);
    await context.close();
}
console.log(`${cpus().length} cores, at a load of ${loadavg()[0].toFixed(1)}`);
await browser.close();
server.close();
