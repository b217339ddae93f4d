// page_edits.mjs: edits by hand: brush, steps, keys, undo.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { openPage, settled, until } from './harness.mjs';
import { browser, exported, hashOf, link, LONG, open, run, server, shown, SMALL, startsOf, work } from './page_context.mjs';

export const tests = {
    async 'a stroke of the brush is a step of the recipe, and is undone'() {
        const { page, close } = await open(link(SMALL));
        await settled(page);
        const first = await shown(page);
        await page.getByRole('button', { name: /^Shape and paint/ }).click();
        assert.equal(await page.locator('#brush-strength').inputValue(), '25'); // of what it could raise: a touch is no mountain
        const at = (x, y) => page.evaluate(([px, py]) => studio.viewport.view.project(px, py), [x, y]);
        const steps = () => page.evaluate(() => studio.session.store.doc.items.map(({ step }) => step));
        const before = ['terrain', 'noise', 'droplets'];
        for (const [act, wanted] of [['raise', [...before, 'stroke']], ['lower', [...before, 'stroke']], ['smooth', [...before, 'stroke']],
            ['mask', ['terrain', 'noise', 'stroke', 'droplets']], ['hardness', ['terrain', 'noise', 'stroke', 'droplets']],
            ['rain', ['terrain', 'noise', 'stroke', 'droplets']], ['spring', [...before, 'pipes']]]) {
            await page.locator(`.brush [data-act=${act}]`).click();
            const from = await at(20, 30), to = await at(45, 36);
            await page.mouse.move(from.x, from.y);
            await page.mouse.down();
            await page.mouse.move(to.x, to.y, { steps: 12 });
            await page.mouse.up();
            await page.waitForFunction((was) => studio.session.state === 'done' && studio.session.land.hash !== was && !studio.session.isPreview, first);
            assert.deepEqual(await steps(), wanted, act);
            const { name, look } = await page.evaluate(() => ({ name: studio.session.store.item.step, look: studio.session.look.name }));
            assert.equal(name, wanted.find((step) => !before.includes(step)), `${act} chooses its step`);
            if (['mask', 'hardness', 'rain'].includes(act))
                assert.equal(look, act);
            // The program makes the same land of the recipe.
            const recipe = await exported(page, 'Recipe');
            await writeFile(join(work, 'brushed.rv'), recipe.bytes);
            assert.equal(await shown(page), hashOf('brushed.rv'), act);
            await page.keyboard.press('Control+z'); // the whole stroke
            await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, first);
            assert.deepEqual(await steps(), before, act);
        }
        // A second spring is one of the same pipes.
        for (const [x, y] of [[20, 20], [40, 40]]) {
            const { x: px, y: py } = await at(x, y);
            await page.mouse.click(px, py);
        }
        assert.equal(await page.evaluate(() => studio.session.store.doc.items[3].values.springs.split(' ').length), 2);
        await close();
    },

    async 'a press acts where it began: nothing moves under the hand'() {
        const { page, close } = await open(link(SMALL.replace('relief=900', 'relief=900 gain=0.5')));
        await settled(page);
        await page.locator('.step', { hasText: 'noise' }).locator('.pick').click();
        const row = (name) => page.locator('.p', { has: page.locator(`label:text-is("${name}")`) });
        await row('octaves').locator('input[type=range]').focus();
        assert.match(await page.locator('.param-note').innerText(), /octaves|\(1 to /i); // what it is
        const { x, y } = await row('relief').locator('.dot').boundingBox();
        await page.mouse.move(x + 6, y + 10);
        await page.mouse.down();
        await page.waitForTimeout(200);
        await page.mouse.up();
        assert.equal((await row('relief').locator('.dot').boundingBox()).y, y);
        assert.equal(await page.evaluate(() => studio.session.store.item.values.relief), undefined);
        await settled(page);
        await close();
    },

    async 'a step that is dragged lands where the line is, and Esc leaves it'() {
        const { page, close } = await open(link(SMALL + 'thermal\n'));
        await settled(page);
        const names = () => page.locator('.step .name').allInnerTexts(), boxOf = (i) => page.locator('.step').nth(i).boundingBox();
        const dragTo = async (from, to, share) => {
            const a = await boxOf(from), b = await boxOf(to);
            await page.mouse.move(a.x + 60, a.y + a.height / 2);
            await page.mouse.down();
            await page.mouse.move(b.x + 60, b.y + share * b.height, { steps: 5 });
        };
        await dragTo(3, 1, 0.2);
        await page.keyboard.press('Escape');
        await page.mouse.up();
        assert.deepEqual(await names(), ['terrain', 'noise', 'droplets', 'thermal']);
        await dragTo(3, 1, 0.2);
        const line = await page.locator('.step.over').boundingBox(); // above the second
        assert.equal(line.y, (await boxOf(1)).y);
        await page.mouse.up();
        await page.waitForFunction(() => document.querySelectorAll('.step .name')[1].textContent === 'thermal');
        await settled(page);
        await dragTo(1, 3, 0.8); // below the last
        await page.mouse.up();
        await page.waitForFunction(() => document.querySelectorAll('.step .name')[3].textContent === 'thermal');
        assert.deepEqual(await names(), ['terrain', 'noise', 'droplets', 'thermal']);
        await settled(page);
        await close();
    },

    async 'a view whose field is gone gives way to the natural one'() {
        const { page, close } = await open(link(SMALL + 'stroke act=rain path=900/900 radius=300 value=1\n'));
        await settled(page);
        await page.keyboard.press('e');
        const look = () => page.evaluate(() => studio.session.look.name);
        await page.locator('.brush [data-act=rain]').click();
        assert.equal(await look(), 'rain');
        await page.locator('.brush [data-act=lower]').click(); // which is not seen there
        assert.equal(await look(), 'natural');
        assert.match(await page.locator('label[for=brush-strength]').innerText(), /^Depth\s*[\d,]+ m$/); // how deep: above 0
        await page.locator('.brush [data-act=rain]').click();
        await page.keyboard.press('e');
        await page.evaluate(() => studio.session.store.edit((doc) => doc.items.pop()));
        await page.waitForFunction(() => studio.session.look.name === 'natural' && studio.viewport.element.dataset.painted === 'natural');
        await page.keyboard.press('d'); // nor is there water
        await page.locator('.toast', { hasText: 'no water' }).waitFor();
        assert.equal(await look(), 'natural');
        await close();
    },

    async 'a stroke is seen while the hand moves'() {
        const { page, close } = await open(link(SMALL.replace('size=64', 'size=300')));
        await settled(page);
        const first = await shown(page), total = () => page.evaluate(() => studio.viewport.frame.fields.get('height').reduce((a, b) => a + b, 0));
        const sum = await total();
        await page.getByRole('button', { name: /^Shape and paint/ }).click();
        const at = (x, y) => page.evaluate(([px, py]) => studio.viewport.view.project(px, py), [x, y]);
        const from = await at(100, 120), to = await at(200, 150);
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(to.x, to.y, { steps: 5 });
        await page.waitForFunction((was) => studio.viewport.frame.width === 300 && studio.viewport.frame.fields.get('height').reduce((a, b) => a + b, 0) > was + 1000, sum);
        await page.mouse.up();
        await page.waitForFunction((was) => studio.session.state === 'done' && studio.session.land.hash !== was, first);
        await page.keyboard.press('Control+z'); // one edit
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, first);
        await close();
    },

    async 'edits are undone, a changed step starts the run where it stands, a reload restores'() {
        const { page, context, close } = await open(link(SMALL + 'thermal talus=30\n'));
        await settled(page);
        const first = await shown(page);
        const places = await startsOf(page);
        await page.locator('.step', { hasText: 'thermal' }).locator('.pick').click();
        await page.getByLabel('talus', { exact: true }).fill('20');
        await page.keyboard.press('Enter');
        await page.waitForFunction((was) => studio.session.state === 'done' && studio.session.land.hash !== was, first);
        assert.deepEqual(await places(), [3]); // droplets did not run again
        const second = await shown(page);
        await page.getByRole('button', { name: /^Undo/ }).click();
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, first);
        await page.getByRole('button', { name: /^Redo/ }).click();
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, second);
        // Off, on, copied, moved, removed: each is an edit.
        const step = page.locator('.step', { hasText: 'thermal' }).first();
        await step.hover();
        await step.getByRole('button', { name: 'Switch thermal off' }).click();
        await settled(page);
        assert.equal(await page.evaluate(() => studio.session.steps.length), 3);
        await page.locator('.step', { hasText: 'droplets' }).hover();
        await page.getByRole('button', { name: 'Duplicate droplets' }).click();
        await page.waitForFunction(() => document.querySelectorAll('.step').length === 5);
        await page.locator('.step .pick').nth(1).focus();
        await page.keyboard.press('Alt+ArrowDown');
        assert.deepEqual(await page.evaluate(() => studio.session.store.doc.items.map(({ step: name }) => name)),
            ['terrain', 'droplets', 'noise', 'droplets', 'thermal']);
        for (let i = 0; i < 3; i++)
            await page.keyboard.press('Control+z');
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, second);
        // The dot sets a parameter back; a slider that is dragged shows a preview, and the edit is one.
        await page.locator('.step', { hasText: 'thermal' }).locator('.pick').click();
        await page.getByRole('button', { name: 'Set talus back to auto' }).click();
        await settled(page);
        await page.getByRole('button', { name: /^Undo/ }).click();
        await page.waitForFunction((hash) => studio.session.state === 'done' && studio.session.land.hash === hash, second);
        while (inflateRawSync(Buffer.from(page.url().split('#')[1] ?? '', 'base64url')).toString() !== await page.evaluate(() => studio.session.text)) // it is written a little later
            await page.waitForTimeout(20);
        const address = page.url();
        await page.reload();
        await settled(page);
        assert.equal(await shown(page), second);
        await page.goto('about:blank');
        await page.goto(server.address); // without the address: what was saved
        await settled(page);
        assert.equal(await shown(page), second);
        // Elsewhere the link makes the same land.
        const other = await openPage(browser, server.address, { hash: address.slice(address.indexOf('#')) });
        await settled(other.page);
        assert.equal(await shown(other.page), second);
        await other.context.close();
        await context.close();
        await close().catch((error) => { if (!/closed/.test(String(error))) throw error; });
    },

    async 'steps are found by the words of people'() {
        const { page, close } = await open(link(SMALL));
        await settled(page);
        await page.locator('canvas').first().focus();
        await page.keyboard.press('a');
        const search = page.getByRole('combobox', { name: 'Search steps' });
        const found = async (words) => {
            await search.fill(words);
            return page.locator('.entry b').allTextContents();
        };
        assert.deepEqual((await found('stream power')).slice(0, 1), ['rivers']);
        const hydraulic = await found('hydraulic erosion');
        for (const name of ['droplets', 'pipes', 'runoff', 'particles'])
            assert.ok(hydraulic.includes(name), name);
        assert.deepEqual(await found('no such thing'), []);
        await search.fill('talus');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => studio.session.store.doc.items.length === 4);
        await settled(page);
        // Every step of the table is in the list.
        await page.waitForFunction(() => !document.querySelector('dialog'));
        await page.keyboard.press('a');
        await search.waitFor();
        const all = JSON.parse(run('help', '--json')).steps.map(({ name }) => name);
        assert.deepEqual(new Set(await page.locator('.entry b').allTextContents()), new Set(all));
        // Escape closes the list, also with words in its field.
        await search.fill('talus');
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => !document.querySelector('dialog'));
        await close();
    },

    async 'the keys do what their help says'() {
        const { page, close } = await open(link(LONG.replace('1M', '100')));
        await settled(page);
        await page.locator('canvas').first().focus();
        const press = (key) => page.keyboard.press(key), look = () => page.evaluate(() => studio.session.look.name);
        await press('h');
        assert.equal(await page.locator('dialog.help-dialog').count(), 1);
        const helped = await page.locator('.keys dt').allTextContents();
        for (const key of ['H', 'Space', 'Esc', 'J', 'L', 'K', 'D', 'S', 'N', 'M', 'V', 'B', 'Q', 'T', '1', '2'])
            assert.ok(helped.includes(key), key);
        await press('h');
        await page.waitForFunction(() => !document.querySelector('dialog'));
        await press('s');
        assert.equal(await look(), 'height');
        await press('q');
        assert.equal(await look(), 'original');
        await press('q');
        assert.equal(await look(), 'natural');
        await press('d');
        assert.equal(await look(), 'water');
        await press('d');
        const wires = () => page.evaluate(() => studio.viewport.wires);
        await press('l');
        assert.equal(await wires(), 2);
        await press('k');
        assert.equal(await wires(), 1);
        await press('k');
        await press('1');
        assert.equal(await page.locator('.meter').isVisible(), true);
        await press('1');
        await press('2');
        for (const [key, kind] of [['b', /\.png$/], ['t', /\.obj$/]]) {
            const [download] = await Promise.all([page.waitForEvent('download'), press(key)]);
            assert.match(download.suggestedFilename(), kind);
        }
        await page.evaluate(() => { // tells when something has been filmed
            const { start } = MediaRecorder.prototype;
            MediaRecorder.prototype.start = function (...given) {
                this.addEventListener('dataavailable', ({ data }) => { window.isFilmed ||= data.size > 0; });
                start.apply(this, given);
            };
        });
        await press('v');
        await page.waitForFunction(() => window.isFilmed);
        const [film] = await Promise.all([page.waitForEvent('download'), press('v')]);
        const bytes = await readFile(await film.path());
        assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3); // as WebM begins
        const time = () => page.evaluate(() => studio.session.store.doc.items[2].values.time);
        await page.locator('.step', { hasText: 'pipes' }).locator('.pick').click();
        await page.locator('canvas').first().focus();
        await press('m');
        assert.equal(await time(), '200');
        await press('n');
        assert.equal(await time(), '100');
        await settled(page);
        await page.evaluate(() => studio.session.store.edit((doc) => { doc.items[2].values.time = '1M'; }));
        await page.waitForFunction(() => studio.session.state === 'running' && studio.session.place === 2);
        await press('j');
        await until(page, ['held']);
        await press('j');
        await press('Space');
        await until(page, ['running']);
        await press('Escape');
        await until(page, ['cancelled']);
        await close();
    },
};
