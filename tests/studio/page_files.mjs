// page_files.mjs: files that are opened and saved, good and bad.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { settled } from './harness.mjs';
import { drop, exported, hashOf, levels, link, makeFiles, open, opensAll, run, shown, SMALL, work } from './page_context.mjs';

export const tests = {
    async 'a dropped PNG is opened, and what is saved equals what ravine saves'() {
        run('terrain', 'size=80', 'cell=30', 'noise', 'seed=9', 'relief=800', 'save', 'given.png');
        execFileSync('rm', ['-f', join(work, 'given.png.ravine.json')]); // as from another program
        const { page, close } = await open(link(SMALL));
        await settled(page);
        await drop(page, 'given.png', await readFile(join(work, 'given.png')));
        await page.waitForFunction(() => studio.session.store.doc.items[0]?.step === 'open');
        await settled(page);
        const words = ['open', 'given.png', 'droplets', 'seed=3'];
        assert.equal(await shown(page), hashOf(...words));
        run(...words, 'save', 'given.npy', 'save', 'same.png', 'save', 'given.obj', 'error=1', 'save', 'given.r16', 'save', 'given.glb', 'error=1');
        for (const kind of ['NPY', 'OBJ', 'GLB']) {
            const { name, bytes } = await exported(page, kind);
            assert.ok(bytes.equals(await readFile(join(work, name))), `${name} has other bytes`);
        }
        const png = await exported(page, 'PNG, 16 bit');
        assert.ok(levels(png.bytes).equals(levels(await readFile(join(work, 'same.png')))), 'the PNG has other pixels');
        const view = await exported(page, 'Picture');
        assert.equal(view.bytes.readUInt32BE(16), 1920);
        await close();
    },

    async 'every kind of file is opened as ravine opens it'() {
        makeFiles();
        const { page, close } = await open(link(SMALL));
        await settled(page);
        await opensAll(page);
        // By the button, too.
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Open', exact: true }).click()]);
        await chooser.setFiles(join(work, 'alone', 'kind.npz'));
        await page.waitForFunction(() => studio.session.store.doc.items[0]?.values.file === 'kind.npz');
        await settled(page);
        await close();
    },

    async 'a hostile link and a corrupt file give a sentence'() {
        for (const hash of ['#%00%ff', '#AAAA', link('terrain nosie=1'), link('terrain size=64\n<img src=x onerror=alert(1)>'),
            '#' + deflateRawSync(Buffer.alloc(40 << 20)).toString('base64url').slice(0, 90000)]) {
            const { page, close } = await open(hash);
            await page.waitForFunction(() => document.querySelector('.toast.wrong')?.textContent.includes('cannot be opened'));
            await page.waitForFunction(() => studio.session.store.doc.items.length === 5); // the first land is there
            await close();
        }
        const { page, close } = await open(link(SMALL));
        await settled(page);
        const many = await open(link('terrain\n'.repeat(20000)));
        await many.page.waitForFunction(() => document.querySelector('.toast.wrong')?.textContent.includes('20000 steps'));
        await settled(many.page);
        await many.close();
        const toast = (text) => page.waitForFunction((words) => [...document.querySelectorAll('.toast.wrong')].some((each) => each.textContent.includes(words)), text);
        await drop(page, 'bad.png', Buffer.from('no picture'));
        await toast('not a PNG');
        run('terrain', 'size=40', 'noise', 'save', 'cut.png');
        await drop(page, 'cut.png', (await readFile(join(work, 'cut.png'))).subarray(0, 900));
        await toast('cut.png');
        await drop(page, 'bad.rv', Buffer.from('terrain dropplets'));
        await toast('droplets'); // the nearest word
        await drop(page, 'bad.exe', Buffer.from('x'));
        await toast('opens');
        await drop(page, 'land.exr', Buffer.from('x'));
        await toast('cannot read .exr');
        await drop(page, 'flat.obj', Buffer.from('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')); // no solid: back to the land
        await toast('not the surface of a solid');
        await page.waitForFunction(() => !studio.session.scene && studio.session.state === 'done');
        await drop(page, 'bad.npy', Buffer.from('no array'));
        await toast('open: bad.npy');
        for (const name of ['cut.tif', 'cut.npz']) {
            run('terrain', 'size=40', 'noise', 'save', name);
            await drop(page, name, (await readFile(join(work, name))).subarray(0, 900));
            await toast(name);
        }
        await close();
    },

    async 'a link whose file is not here says so, and goes on when it comes'() {
        run('terrain', 'size=40', 'noise', 'seed=4', 'save', 'far.npy');
        const { page, close } = await open(link('open file=far.npy\nstroke path=100/100 radius=50 height=40\ndroplets\n'));
        await page.locator('.loading.wrong', { hasText: 'open: the file far.npy is not in this page. Drop it here' }).waitFor(); // no land, but words
        await page.locator('.step[data-state=failed] .pick', { hasText: 'open' }).click();
        await page.locator('.params .wrong', { hasText: 'far.npy' }).waitFor();
        await drop(page, 'far.npy', await readFile(join(work, 'far.npy')));
        await settled(page);
        assert.equal(await page.evaluate(() => studio.session.items.map(({ step }) => step).join(' ')), 'open stroke droplets');
        assert.equal(await shown(page), hashOf('open', 'far.npy', 'stroke', 'path=100/100', 'radius=50', 'height=40', 'droplets'));
        assert.ok(await page.locator('.loading').isHidden() && await page.locator('.params .wrong').isHidden());
        await close();
    },
};
