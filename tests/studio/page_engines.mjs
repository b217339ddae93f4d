// page_engines.mjs: threads, engines that die, and the engine of this machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { openPage, settled, until } from './harness.mjs';
import { browser, drop, folder, hashOf, heights, link, LONG, makeFiles, open, opensAll, plain, ravine, run, running, server, shown, SLOWER, SMALL, startsOf, work } from './page_context.mjs';

export const tests = {
    async 'the page has the threads of the machine where memory is shared, one elsewhere, and the same hash'() {
        const text = SMALL + 'pipes time=60\nrivers steps=2\nthermal\n';
        await writeFile(join(work, 'threads.rv'), text);
        const hash = hashOf('threads.rv');
        const at = async (address, threads, prepare) => {
            const { page, wrong, context } = await openPage(browser, 'about:blank');
            await prepare?.(page);
            await page.goto(address + link(text));
            await settled(page);
            assert.equal(await page.evaluate(() => studio.session.about.threads), threads);
            await page.waitForFunction((words) => document.querySelector('.pill').textContent.startsWith(words), `This page, ${threads} thread`);
            assert.equal(await shown(page), hash);
            await context.close();
            assert.deepEqual(wrong.filter((line) => !line.startsWith('asks')), []);
        };
        await at(server.address, Math.min(cpus().length, 16));
        await at(plain.address, 1);
        // Where the module with threads cannot be started, the other one is.
        await at(server.address, 1, (page) => page.route('**/ravine-threads*', (route) => route.fulfill({ body: 'no module' })));
    },

    async 'an engine that dies is started again, and goes on from the last land that was saved'() {
        const { page, close } = await open(link(SMALL));
        await settled(page);
        const hash = await shown(page);
        await page.evaluate(() => { studio.session.land = null; studio.session.engine.die('killed'); });
        await page.waitForFunction(() => document.querySelector('.toast')?.textContent.includes('started again'));
        await page.waitForFunction(() => studio.session.land);
        await settled(page);
        assert.equal(await shown(page), hash);
        // Of a fault in the worker itself, too.
        await page.evaluate(() => {
            const { session } = studio;
            session.land = null;
            document.querySelectorAll('.toast').forEach((toast) => toast.remove());
            session.engine.worker.postMessage({ id: 1e6, kind: 'run', run: session.run, steps: null, live: {} }); // no list
        });
        await page.waitForFunction(() => document.querySelector('.toast')?.textContent.includes('started again'));
        await page.waitForFunction(() => studio.session.land);
        await settled(page);
        assert.equal(await shown(page), hash);
        // In the middle of a run: what was done before is not done again.
        await page.evaluate((text) => { studio.session.rescueEvery = 0; return studio.session.openText('long', text); }, SLOWER);
        await running(page, 3);
        const places = await startsOf(page);
        await page.evaluate(() => studio.session.engine.die('killed'));
        await settled(page);
        assert.deepEqual(await places(), [3]);
        await writeFile(join(work, 'slow.rv'), SLOWER);
        assert.equal(await shown(page), hashOf('slow.rv'));
        await close();
    },

    async 'on this machine: the same page, the same hash from both engines'() {
        if (!run('help').includes('ravine studio')) {
            console.log('    left out: this program has no studio');
            return;
        }
        await writeFile(join(work, 'given.rv'), SMALL);
        const program = spawn(ravine, ['studio', 'given.rv', '--no-open'], { cwd: work, env: { ...process.env, RAVINE_STUDIO: folder }, stdio: ['ignore', 'pipe', 'inherit'] });
        try {
            const address = await new Promise((resolve, reject) => {
                program.stdout.on('data', (data) => resolve(/http\S+/.exec(String(data))[0]));
                program.on('exit', () => reject(new Error('ravine studio has ended')));
            });
            const { page, wrong, context } = await openPage(browser, address.replace(/\?.*/, ''), { hash: /\?.*/.exec(address)[0] });
            await settled(page);
            assert.equal(await page.evaluate(() => studio.session.about.engine), 'machine');
            assert.equal(await shown(page), hashOf('given.rv'));
            assert.ok(!page.url().includes('token'));
            // The page makes it, too, and shows both hashes.
            const facts = page.locator('.facts'), same = hashOf('given.rv');
            await facts.getByText('the same land from both').waitFor();
            assert.equal((await facts.textContent()).split(same).length, 3);
            // A file where the user says; one that is there is replaced only when that was asked.
            await page.getByRole('button', { name: 'Export' }).click();
            const path = page.getByLabel('File on this machine'), said = page.locator('.said-here'), store = page.locator('[data-store]');
            const asks = async (name, button, sentence) => {
                await path.fill(name);
                assert.equal(await store.textContent(), 'Save');
                await store.click();
                await page.waitForFunction((text) => document.querySelector('.said-here').textContent.includes(text), sentence);
                assert.equal(await store.textContent(), button);
            };
            await asks('here.npy', 'Save', `Saved as ${await realpath(work)}/here.npy`);
            run('given.rv', 'save', 'there.npy');
            assert.deepEqual(await readFile(join(work, 'here.npy')), await readFile(join(work, 'there.npy')));
            await writeFile(join(work, 'here.npy'), 'mine');
            await asks('here.npy', 'Replace', 'here.npy is there already.');
            assert.equal(await readFile(join(work, 'here.npy'), 'utf8'), 'mine');
            await store.click();
            await page.waitForFunction(() => document.querySelector('.said-here').textContent.startsWith('Saved'));
            assert.deepEqual(await readFile(join(work, 'here.npy')), await readFile(join(work, 'there.npy')));
            // No key does that, and consent holds for the name that was asked about.
            const whole = `${await realpath(work)}/whole.npy`, mine = (name) => readFile(join(work, name), 'utf8');
            await asks(whole, 'Save', `Saved as ${whole}`);
            for (const name of ['one.npy', 'two.npy'])
                await writeFile(join(work, name), 'mine');
            for (const target of [path, store]) {
                await path.fill('one.npy');
                await target.focus();
                for (let i = 0; i < 8; i++) { // a key held down
                    await page.keyboard.down('Enter');
                    await page.waitForFunction(() => !document.querySelector('[data-store]').disabled);
                }
                await page.keyboard.up('Enter');
                assert.equal(await store.textContent(), 'Replace');
                assert.equal(await mine('one.npy'), 'mine');
            }
            await path.focus();
            await page.keyboard.press('Enter');
            await page.evaluate(() => {
                const field = document.querySelector('.path'), type = (name) => { field.value = name; field.dispatchEvent(new Event('input')); };
                type('one.npy');
                document.querySelector('[data-store]').click();
                type('two.npy');
            });
            await page.waitForFunction(() => !document.querySelector('[data-store]').disabled);
            assert.equal(await store.textContent(), 'Save');
            await store.click();
            await page.waitForFunction(() => document.querySelector('.said-here').textContent.includes('two.npy is there already.'));
            assert.deepEqual([await mine('one.npy'), await mine('two.npy')], ['mine', 'mine']);
            await asks('../here.npy', 'Save', 'is no place for a file in the folder');
            await asks('none/here.npy', 'Save', 'is no place for a file in the folder');
            await asks('here.xyz', 'Save', 'here.xyz');
            assert.match(await said.textContent(), /^[^\n]+\.$/);
            await page.keyboard.press('Escape');
            // The other engines.
            const choose = async (name) => {
                await page.locator('.pill').click();
                await page.locator('.engine-choice').filter({ has: page.locator('b', { hasText: name }) }).click();
            };
            await choose(/^This page$/);
            await page.waitForFunction(() => studio.session.about.engine === 'page' && studio.session.state === 'done');
            assert.equal(await shown(page), same);
            await facts.getByText('the same land from both').waitFor();
            await choose(/^This machine$/);
            await page.waitForFunction(() => studio.session.about.engine === 'machine' && studio.session.state === 'done');
            const devices = await page.evaluate(() => studio.session.about.devices);
            if (devices.length > 0) {
                await choose(devices[0].name);
                await page.waitForFunction(() => studio.session.about.device === 1);
                await page.locator('.pill', { hasText: devices[0].name }).waitFor();
                await page.getByRole('button', { name: 'Run' }).click();
                await settled(page);
                assert.equal(await shown(page), same);
                await choose(/^This machine$/);
                await page.waitForFunction(() => studio.session.about.device === 0);
            }
            await page.evaluate((text) => studio.session.openText('long', text), LONG);
            await running(page, 2);
            // In the midst of a run: another device takes it over, a file is saved when it is over.
            assert.match(await page.evaluate(() => studio.session.choose('machine', 99).catch(({ message }) => message)), /99/);
            await running(page, 2);
            if (devices.length > 0) {
                await choose(devices[0].name);
                await page.waitForFunction(() => studio.session.about.device === 1);
                await running(page, 2);
                await choose(/^This machine$/);
                await page.waitForFunction(() => studio.session.about.device === 0);
                await running(page, 2);
            }
            await page.evaluate(() => studio.session.control('pause'));
            await until(page, ['held']);
            await page.getByRole('button', { name: 'Export' }).click();
            await asks('late.npy', 'Save', 'when this run is over');
            await page.evaluate(() => studio.session.control('keep'));
            await until(page, ['kept']);
            await page.waitForFunction(() => document.querySelector('.said-here').textContent.startsWith('Saved'));
            await page.keyboard.press('Escape');
            await page.waitForFunction(() => studio.viewport.frame?.land?.hash === studio.session.land.hash);
            const late = (await readFile(join(work, 'late.npy'))).subarray(-4 * 96 * 96); // the land that was kept
            assert.deepEqual(Array.from({ length: 4096 }, (_, i) => late.readFloatLE(4 * i)), await heights(page));
            makeFiles();
            await opensAll(page);
            // A file of the folder, which the page does not have and does not try to open.
            await page.evaluate(() => studio.session.openText('folder', 'open there.npy'));
            await settled(page);
            await page.waitForFunction(() => !studio.session.isChecking);
            assert.deepEqual(await page.locator('.toast.wrong').allTextContents(), []);
            try {
                run('terrain', 'size=40', 'noise', 'save', 'kind.exr');
            } catch {
                console.log('    left out: this program has no OpenEXR');
            }
            if (existsSync(join(work, 'kind.exr'))) {
                await drop(page, 'kind.exr', await readFile(join(work, 'kind.exr')));
                await page.waitForFunction(() => studio.session.store.doc.items[0]?.values.file === 'kind.exr');
                await settled(page);
                await page.waitForFunction(() => !studio.session.isChecking); // the page cannot, and nobody asked it to
                assert.deepEqual(await page.locator('.toast.wrong').allTextContents(), []);
            }
            // The program is killed in the middle of a run: the page goes on by itself, from where it was.
            await page.waitForFunction(() => studio.session.spare);
            await page.evaluate((text) => { studio.session.rescueEvery = 0; return studio.session.openText('slow', text); }, SLOWER);
            await running(page, 3);
            const places = await startsOf(page);
            await page.evaluate((steps) => { // also where the page is making a land to compare, which takes for ever
                const { session } = studio;
                session.checked = session.run;
                return session.spare.engine.ask({ kind: 'run', run: session.run, steps, live: { fields: [], rate: 1, every: 4096, last: [], slices: false, rescue: 1e300 } });
            }, LONG.trim().split('\n').slice(0, 3));
            program.kill('SIGKILL');
            await page.waitForFunction(() => document.querySelector('.toast.wrong')?.textContent.includes('has ended'));
            await settled(page);
            assert.equal(await page.evaluate(() => studio.session.about.engine), 'page');
            assert.deepEqual(await places(), [3]);
            await writeFile(join(work, 'slow.rv'), SLOWER);
            assert.equal(await shown(page), hashOf('slow.rv'));
            assert.ok(page.url().includes('#'));
            await context.close();
            assert.deepEqual(wrong.filter((text) => !text.includes('ERR_')), []); // that the server is gone, the browser notes
        } finally {
            program.kill('SIGKILL');
        }
    },
};
