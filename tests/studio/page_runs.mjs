// page_runs.mjs: what is made, held, kept, stopped and opened instead.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPage, settled, state, until } from './harness.mjs';
import { browser, drop, exported, hashOf, heights, link, LONG, open, patience, plain, run, running, shown, SMALL, work } from './page_context.mjs';

export const tests = {
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

    async 'the view follows the water, and drops and particles of which a round takes longer'() {
        for (const text of [LONG.replace('size=96', 'size=64'), 'terrain size=512 cell=5\nnoise seed=5 relief=600\ndroplets drops=4M\n',
            'terrain size=256 cell=10\nnoise seed=5 relief=600\nparticles drops=4M\n']) {
            const { page, close } = await open(link(text));
            await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 2 && studio.session.done > 0);
            const { rate, rounds } = await page.evaluate(async () => {
                let slices = 0;
                const { session, viewport } = studio, hear = session.hear.bind(session), done = new Set();
                viewport.show = () => {}; // what is drawn without a GPU takes the cores from the engine
                session.hear = (event) => {
                    if (event.kind === 'slice') {
                        slices++;
                        done.add(event.done);
                    }
                    hear(event);
                };
                const start = performance.now();
                await new Promise((resolve) => setTimeout(resolve, 2000));
                return { rate: (1000 * slices) / (performance.now() - start), rounds: (1000 * done.size) / (performance.now() - start) };
            });
            console.log(`    ${text.split('\n')[2]}: ${rate.toFixed(0)} slices a second, ${rounds.toFixed(0)} of them with a new share that is done`);
            assert.ok(rate >= 20 / patience(), `${text}: ${rate} slices a second`);
            assert.ok(!/drops/.test(text) || rate > rounds, `${text}: ${rate} slices a second in ${rounds} rounds`);
            await close();
        }
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

    async 'repeats draw the random numbers that ravine draws'() {
        const text = 'terrain size=48 cell=30\nnoise seed=5\nrepeat 2\ndroplets drops=500\nrepeat 2\nthermal rounds=2\nparticles drops=300\nend\nend\nblur radius=40\n';
        const { page, close } = await open(link(text));
        await settled(page);
        await writeFile(join(work, 'repeat.rv'), text);
        assert.equal(await shown(page), hashOf('repeat.rv'));
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
        // Nothing is said of it once it is mended.
        await page.evaluate(() => studio.session.store.edit((doc) => doc.items.splice(3, 1)));
        await settled(page);
        await page.locator('.toast.wrong').waitFor({ state: 'detached', timeout: 5000 });
        await close();
    },
};
