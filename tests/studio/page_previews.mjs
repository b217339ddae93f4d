// page_previews.mjs: what a dragged slider shows, and what idle time makes for it.
import assert from 'node:assert/strict';
import { openPage, settled, until } from './harness.mjs';
import { browser, link, LONG, open, plain, server, SLOW, SMALL, startsOf } from './page_context.mjs';

export const tests = {
    async 'while a slider is dragged, each preview runs long enough to be seen'() {
        const { page, close } = await open(link(SLOW.replace('size=128', 'size=300')));
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 3);
        await page.locator('.step', { hasText: 'pipes' }).locator('.pick').click();
        await page.waitForFunction(() => document.querySelector('.params h1')?.textContent === 'pipes');
        const drag = await page.evaluate(async () => {
            const slider = document.querySelector('.params .p.changed input[type=range]'), { session } = studio;
            const start = performance.now(), first = session.run, begun = session.begun.bind(session);
            let changes = 0, shortest = Infinity, wasFiner = false; // what ends was; the session tells of what begins
            session.begun = (...given) => { // only one that shows again what was seen already may end sooner
                if (session.isPreview && session.state === 'running' && !wasFiner)
                    shortest = Math.min(shortest, performance.now() - session.started);
                wasFiner = session.isFiner;
                begun(...given);
            };
            for (; performance.now() - start < 1000 || changes < 30; changes++) {
                slider.value = String(Number(slider.value) - 1);
                slider.dispatchEvent(new Event('input'));
                await new Promise((resolve) => setTimeout(resolve, 5));
            }
            return { changes, runs: session.run - first, shortest, isPreview: session.isPreview };
        });
        assert.ok(drag.isPreview && drag.runs >= 2 && drag.shortest >= 79, JSON.stringify(drag));
        // The last change is not lost.
        await page.waitForFunction(() => studio.session.steps[3].includes(`time=${studio.session.store.doc.items[3].values.time}`));
        await close();
    },

    async 'what a slow step makes is shown coarser first'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=300')));
        await settled(page);
        await page.waitForFunction(() => studio.session.isPrepared);
        await page.locator('.step', { hasText: 'noise' }).locator('.pick').click();
        await page.waitForFunction(() => document.querySelector('.params h1')?.textContent === 'noise');
        const drag = (ms) => page.evaluate(async (given) => {
            const { session, viewport } = studio, shown = [], show = viewport.show.bind(viewport);
            for (const side of [32, 64, 128, 256]) // as if the steps had taken so long
                session.costs.note(side, session.small(side).lines, [0, 0, given * (side / 64) ** 2]);
            viewport.show = (frame) => { shown.push([frame.made, frame.isLive]); show(frame); };
            const slider = document.querySelector('.params .p.changed input[type=range]');
            slider.value = String(Number(slider.value) + 20);
            slider.dispatchEvent(new Event('input'));
            while (shown.at(-1)?.[0] !== 256 || shown.at(-1)[1])
                await new Promise((go) => setTimeout(go, 10));
            viewport.show = show;
            return shown;
        }, ms);
        const whole = (shown) => shown.filter(([, isLive]) => !isLive).map(([width]) => width);
        assert.deepEqual(await drag(50), [[64, false], [128, false], [256, false]]); // no slice between them
        // The times of the steps and the buttons of the run are those of the land itself: nothing flickers.
        assert.ok(!(await page.locator('.step .t').allTextContents()).some((text) => text.includes('%') || text === ''));
        assert.equal(await page.locator('.time .run').textContent(), 'Runspace');
        assert.deepEqual(await drag(1), [[256, false]]);
        assert.deepEqual(await drag(10), [[128, false], [256, false]]);
        assert.deepEqual(whole(await drag(5000)), [32, 64, 128, 256]); // with slices of the step that is slow, and of no other
        // When the slider is let go, the size that was chosen.
        await page.evaluate(() => document.querySelector('.params .p.changed input[type=range]').dispatchEvent(new Event('change')));
        await page.waitForFunction(() => studio.session.state === 'done' && !studio.session.isPreview && studio.viewport.frame.width === 300);
        await close();
    },

    async 'a coarse preview has the detail of the land before it'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=256')));
        await settled(page);
        await page.waitForFunction(() => studio.session.isPrepared);
        // Of the first picture of a change, what it was made of, and the land itself: how far both are from that, as a mean.
        const change = (step, name, value) => page.evaluate(async ([given, key, to]) => {
            const { session, viewport } = studio, refine = session.fine.refine.bind(session.fine);
            const before = { ...session.store.doc.items.find((item) => item.step === given).values };
            const first = await new Promise((go) => {
                session.fine.refine = (side, steps, frame, own) => {
                    const fine = refine(side, steps, frame, own);
                    if (!frame.isLive)
                        go({ frame, fine });
                    return fine;
                };
                for (const side of [32, 64, 128, 256]) // as if the steps had taken so long, however quick this machine is
                    session.costs.note(side, session.small(side).lines, [0, 0, 50 * (side / 64) ** 2]);
                session.store.drag((doc) => { doc.items.find((item) => item.step === given).values[key] = to; });
            });
            session.fine.refine = refine;
            session.store.edit(() => {});
            while (session.state !== 'done' || session.isPreview || viewport.frame.isLive || viewport.frame.isPreview)
                await new Promise((go) => setTimeout(go, 20));
            const { width, fields } = viewport.frame, { frame, fine } = first, want = fields.get('height');
            const off = (grid) => {
                const h = grid.fields.get('height'), w = grid.width, scale = fine.cell / grid.cell;
                let sum = 0;
                for (let y = 0; y < 240; y++)
                    for (let x = 0; x < 240; x++) { // the mean of the four cells around, by how near they are
                        const i = Math.floor(x * scale), j = Math.floor(y * scale), f = x * scale - i, g = y * scale - j, k = j * w + i;
                        const here = (h[k] * (1 - f) + h[k + 1] * f) * (1 - g) + (h[k + w] * (1 - f) + h[k + w + 1] * f) * g;
                        sum += (here - want[y * width + x]) ** 2;
                    }
                return Math.sqrt(sum) / 240;
            };
            session.store.edit((doc) => { doc.items.find((item) => item.step === given).values = before; });
            return { cells: fine.width, made: fine.made, fine: off(fine), coarse: off(frame) };
        }, [step, name, value]);
        const little = await change('droplets', 'capacity', '9');
        assert.ok(little.cells === 256 && little.made < 256 && little.fine < 0.5 * little.coarse, JSON.stringify(little));
        await until(page, ['done']);
        await page.waitForFunction(() => studio.session.isPrepared);
        const other = await change('noise', 'seed', '77'); // nothing of the old detail is right
        assert.ok(other.cells === 256 && other.made < 256 && other.fine < 1.05 * other.coarse, JSON.stringify(other));
        await until(page, ['done']);
        await page.waitForFunction(() => studio.session.isPrepared);
        // After a change of the view, too; what is no height is as soft as it was made.
        await page.evaluate(() => studio.session.setLook('eroded'));
        await page.waitForFunction(() => studio.viewport.frame.fields.has('eroded'));
        const shown = (capacity) => page.evaluate((to) => new Promise((go) => {
            const { session, viewport } = studio, show = viewport.show.bind(viewport);
            viewport.show = (frame) => {
                show(frame);
                if (frame.isLive)
                    return;
                viewport.show = show;
                go({ width: frame.width, made: frame.made, eroded: frame.fields.get('eroded').length });
            };
            for (const side of [32, 64, 128, 256])
                session.costs.note(side, session.small(side).lines, [0, 0, 200 * (side / 64) ** 2]);
            session.store.drag((doc) => { doc.items.find((item) => item.step === 'droplets').values.capacity = to; });
        }), capacity);
        const soft = await shown('7');
        assert.ok(soft.width === 256 && soft.made < 256 && soft.eroded === 256 * 256, JSON.stringify(soft));
        // While the slider goes on, detail is that of the finest preview so far: what was made of it is not lost.
        await page.waitForFunction(() => studio.viewport.frame.made === 256 && !studio.viewport.frame.isLive);
        assert.ok(await page.evaluate(() => studio.session.fine.land.heights.every((h, i) => h === studio.viewport.frame.fields.get('height')[i])));
        assert.ok(await page.evaluate(() => [...studio.session.fine.pairs.values()].every(({ land }) => land === studio.session.fine.land)));
        await close();
    },

    async 'what previews begin with is made in idle time, which ends when something is asked'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=300') + 'thermal talus=30 rounds=3\n'));
        await settled(page);
        await page.waitForFunction(() => studio.session.isPrepared);
        await page.locator('.step', { hasText: 'thermal' }).locator('.pick').click();
        await page.waitForFunction(() => document.querySelector('.params h1')?.textContent === 'thermal');
        const places = await startsOf(page);
        await page.evaluate(() => {
            const slider = document.querySelector('.params .p.changed input[type=range]');
            slider.value = String(Number(slider.value) + 20);
            slider.dispatchEvent(new Event('input'));
        });
        await page.waitForFunction(() => studio.viewport.frame.made === 256 && !studio.viewport.frame.isLive);
        assert.deepEqual([...new Set(await places())], [3]); // only the step that is dragged has run
        await close();
        // An engine that makes something for ever, where memory is shared and where it is not.
        for (const { address } of [server, plain]) {
            const other = await openPage(browser, address, { hash: link(SMALL) });
            await settled(other.page);
            for (const ask of ['look', 'cancel', 'run'])
                assert.deepEqual(await other.page.evaluate(async ([steps, what]) => {
                    const { session } = studio;
                    await session.engine.ask({ kind: 'prepare', run: ++session.numbers, steps: steps.slice(0, 2), fields: [] }); // these are there
                    const run = ++session.numbers, reply = session.engine.ask({ kind: 'prepare', run, steps, fields: [] });
                    await new Promise((go) => setTimeout(go, 150));
                    if (what === 'look')
                        await session.show();
                    else if (what === 'cancel')
                        session.engine.control(run, 'cancel');
                    else
                        session.start();
                    return (await reply).ms.map((ms) => ms !== null);
                }, [LONG.trim().split('\n'), ask]), [true, true, false, false], ask);
            await settled(other.page);
            // What was wished of that, and comes late, is not done to the run that follows; what comes early is not lost.
            const wished = await other.page.evaluate(async (steps) => {
                const { session } = studio, { items } = session, late = session.run, hear = session.hear.bind(session), heard = [];
                const turn = () => new Promise((go) => setTimeout(go, 5));
                session.hear = (event) => { heard.push(event.kind); hear(event); };
                session.begun(steps, items, 0);
                while (!heard.includes('slice'))
                    await turn();
                ['cancel', 'keep', 'pause'].forEach((wish) => session.engine.control(late, wish));
                heard.length = 0;
                while (heard.filter((kind) => kind === 'slice').length < 3 && session.state === 'running')
                    await turn();
                const goes = session.state;
                session.control('cancel');
                while (session.state === 'running')
                    await turn();
                const ended = session.state;
                session.engine.control(session.numbers + 1, 'cancel');
                session.begun(steps, items, 0);
                while (session.state === 'running')
                    await turn();
                return [goes, ended, session.state];
            }, LONG.trim().split('\n').slice(0, 3));
            assert.deepEqual(wished, ['running', 'cancelled', 'cancelled']);
            await other.context.close();
            assert.deepEqual(other.wrong, []);
        }
        // Where a coarse one cannot be made, the next finer one is the first.
        const narrow = await open(link('terrain size=107 cell=18\nnoise seed=5\ncrop margin=48cells\nresize size=320\nblur radius=30\n'));
        await settled(narrow.page);
        await narrow.page.waitForFunction(() => studio.session.isPrepared);
        assert.equal(await narrow.page.evaluate(() => {
            const { costs, sides } = studio.session;
            return costs.firstOf(sides, () => ['another list']); // of which nothing is known
        }), 128);
        await narrow.close();
        // A telephone makes the coarse ones alone.
        const phone = await open(link(SMALL.replace('size=64', 'size=300')), { width: 390, height: 844, hasTouch: true, isMobile: true });
        await settled(phone.page);
        const known = (side) => phone.page.evaluate((of) => studio.session.costs.has(of, studio.session.small(of).lines), side);
        await phone.page.waitForFunction(() => studio.session.costs.has(128, studio.session.small(128).lines) && !studio.session.preparing);
        await phone.page.waitForTimeout(300);
        assert.deepEqual([await known(64), await known(128), await known(256)], [true, true, false]);
        await phone.close();
    },

    async 'the slider shows a preview, then the size that was chosen'() {
        const { page, close } = await open(link('terrain size=384 cell=10\nnoise seed=5\nblur radius=30\n'));
        await settled(page);
        await page.locator('.step', { hasText: 'blur' }).locator('.pick').click();
        const slider = page.getByLabel('radius, slider'), box = await slider.boundingBox();
        const wide = () => page.evaluate(() => studio.viewport.frame.width);
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 3 });
        await page.waitForFunction(() => studio.viewport.frame.width === 256);
        await page.mouse.up();
        await page.waitForFunction(() => studio.viewport.frame.width === 384);
        await settled(page);
        assert.equal(await wide(), 384);
        await page.keyboard.press('Control+z');
        await page.waitForFunction(() => !studio.session.store.canUndo);
        assert.equal(await page.evaluate(() => studio.session.store.doc.items[2].values.radius), '30');
        await close();
    },
};
