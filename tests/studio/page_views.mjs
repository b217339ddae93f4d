// page_views.mjs: what is drawn: views, scenes, themes, a phone.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { axeSource, measureFrames, settled, until } from './harness.mjs';
import { drop, link, open, picture, pictures, run, SMALL, work } from './page_context.mjs';

export const tests = {
    async 'each view differs from the others and is not blank'() {
        const { page, close } = await open(link('terrain size=96 cell=20\nnoise basis=perlin seed=5 relief=400\nlayer name=sand thickness=4 slope=20\n' +
            'droplets drops=8k\npipes time=40\n'), { width: 900, height: 700 });
        await settled(page);
        await page.waitForFunction(() => !document.querySelector('button[data-look=layers]').hidden);
        const seen = new Map();
        for (const name of await page.evaluate(() => [...document.querySelectorAll('button[data-look]')].filter((tab) => !tab.hidden).map((tab) => tab.dataset.look))) {
            await page.locator(`button[data-look="${name}"]`).click();
            await page.waitForFunction((look) => studio.viewport.element.dataset.painted === look && (look !== 'original' || studio.viewport.view.original.grid), name);
            const { mean, spread } = await page.evaluate(() => {
                studio.viewport.view.render();
                const canvas = new OffscreenCanvas(48, 36), paint = canvas.getContext('2d');
                paint.drawImage(studio.viewport.view.canvas, 0, 0, 48, 36);
                const data = [...paint.getImageData(0, 0, 48, 36).data], grey = data.filter((_, i) => i % 4 !== 3);
                return { mean: grey, spread: Math.max(...grey) - Math.min(...grey) };
            });
            assert.ok(spread > 40, `${name} is blank`);
            for (const [other, its] of seen) {
                const differs = mean.reduce((sum, value, i) => sum + Math.abs(value - its[i]), 0) / mean.length;
                assert.ok(differs > 0.4, `${name} looks as ${other} does (${differs})`);
            }
            seen.set(name, mean);
        }
        // Natural land has streams where most of the water ran: most of what changes with them is bluer, some is cleared of woods.
        await page.locator('button[data-look=natural]').click();
        await page.waitForFunction(() => {
            const { element, view } = studio.viewport, { mode, much } = view.land.uniforms;
            return element.dataset.painted === 'natural' && mode.value === 0 && much.value > 0;
        });
        const streams = () => page.evaluate(() => {
            const { view } = studio.viewport, { much } = view.land.uniforms, { width, height } = view.canvas;
            const pixels = () => {
                view.render();
                const paint = new OffscreenCanvas(width, height).getContext('2d');
                paint.drawImage(view.canvas, 0, 0);
                return paint.getImageData(0, 0, width, height).data;
            };
            const own = much.value, wet = pixels();
            much.value = 0;
            const bare = pixels();
            much.value = own;
            const by = (i) => Math.abs(wet[i] - bare[i]) + Math.abs(wet[i + 1] - bare[i + 1]) + Math.abs(wet[i + 2] - bare[i + 2]);
            const any = [...wet.keys()].filter((i) => i % 4 === 0 && by(i) > 0), changed = any.filter((i) => by(i) > 40); // a little wet is darker
            return { any: any.length, share: changed.length / (width * height), bluer: changed.filter((i) => wet[i + 2] - wet[i] > bare[i + 2] - bare[i]).length / changed.length };
        });
        const drawn = await streams();
        assert.ok(drawn.share > 0.001 && drawn.share < 0.1 && drawn.bluer > 0.6, JSON.stringify(drawn));
        // It is as the picture of the recipe has it: sand, and no woods.
        await page.evaluate(() => studio.session.store.edit((doc) => doc.items.push({ id: 1e6, step: 'render', values: { file: 'a.png', look: 'desert' }, on: true })));
        await page.waitForFunction(() => studio.session.state === 'done' && studio.viewport.view.land.uniforms.dry.value === 1);
        await settled(page);
        const green = await page.evaluate(() => {
            studio.viewport.view.render();
            const canvas = new OffscreenCanvas(48, 36), paint = canvas.getContext('2d');
            paint.drawImage(studio.viewport.view.canvas, 0, 0, 48, 36);
            const data = paint.getImageData(0, 0, 48, 36).data;
            return [...data.keys()].filter((i) => i % 4 === 0 && data[i] < data[i + 1] && data[i + 2] < data[i + 1]).length;
        });
        assert.ok(green < 20, `${green} of 1728 pixels are green`);
        assert.equal((await streams()).any, 0); // nor streams
        assert.deepEqual([...seen.keys()], ['natural', 'height', 'slope', 'flow', 'eroded', 'deposited', 'water', 'sediment', 'velocity', 'layers', 'original']);
        await close();
    },

    async 'each place says what it shows, and each colour what it means'() {
        const { page, close } = await open(link('terrain size=96 cell=20\nnoise basis=perlin seed=5 relief=400\nlayer name=sand thickness=4 below=150\n' +
            'pipes time=40\nstroke path=960/960 radius=900 height=300\nstroke act=mask path=960/960 radius=300 value=0.5\nstroke act=hardness path=960/960 radius=300 value=0.5\n'), { width: 1280, height: 720 });
        await settled(page);
        assert.equal(await page.evaluate(() => studio.viewport.view.shared.brush.value.w), 0); // no ring where there is no brush
        // All views can be reached, and lie in sight.
        await page.waitForFunction(() => !document.querySelector('button[data-look=hardness]').hidden);
        assert.deepEqual(await page.evaluate(() => {
            const box = document.querySelector('.tabs').getBoundingClientRect(), sun = document.querySelector('.sun').getBoundingClientRect();
            return [...document.querySelectorAll('button[data-look]:not([hidden])')].map((tab) => tab.getBoundingClientRect())
                .filter((tab) => tab.right > box.right || tab.bottom > box.bottom || tab.right > sun.left).length;
        }), 0);
        const key = async (name) => {
            await page.locator(`button[data-look="${name}"]`).click();
            await page.waitForFunction((look) => studio.viewport.element.dataset.painted === look, name);
            return page.locator('.legend').innerText();
        };
        assert.match(await key('height'), /^-?[\d,.]+ m\s+[\d,.]+ m$/);
        assert.match(await key('slope'), /^0°\s+60°$/);
        assert.match(await key('velocity'), /north at the top.* m\/s$/);
        assert.match(await key('layers'), /bedrock\s+sand/);
        // Under the cursor is the land that is drawn there: left of the swipe the original.
        const said = async (x) => {
            const { left, top, width, height } = await page.evaluate(() => studio.viewport.view.canvas.getBoundingClientRect().toJSON());
            await page.mouse.move(left + x * width, top + 0.55 * height);
            return page.locator('.readout').innerText();
        };
        assert.match(await said(0.5), /slope.*(bedrock|sand)$/);
        await page.keyboard.press('c');
        await page.waitForFunction(() => studio.viewport.originalFrame);
        assert.doesNotMatch(await said(0.4), /sand|bedrock|flow/);
        assert.match(await said(0.6), /bedrock|sand/);
        await page.locator('button[data-look=original]').click();
        const [, east, south, high] = /([\d,]+) m E, ([\d,]+) m S\s+(-?[\d,]+) m/.exec(await said(0.55)).map((text) => +text.replace(',', ''));
        const [original, now] = await page.evaluate(([x, y]) => [studio.viewport.originalFrame, studio.viewport.frame].map(({ fields, width }) => fields.get('height')[y * width + x]),
            [east / 20, south / 20]);
        assert.ok(Math.abs(high - original) <= 0.5 && Math.abs(now - original) > 5, JSON.stringify({ high, original, now }));
        // A picture while both are shown is whole.
        const [left, right] = await page.evaluate(async () => {
            studio.session.setLook('natural');
            const { width, height } = studio.viewport.view.canvas;
            const image = await createImageBitmap(await studio.viewport.view.picture(2 * width, 2 * height));
            const paint = new OffscreenCanvas(2, 1).getContext('2d');
            paint.drawImage(image, 0, 0, 2, 1);
            const { data } = paint.getImageData(0, 0, 2, 1);
            return [[...data.slice(0, 3)], [...data.slice(4, 7)]];
        });
        assert.ok(left.every((value, c) => Math.abs(value - right[c]) < 60 && value > 40), JSON.stringify({ left, right }));
        await close();
    },

    async 'natural land looks as render draws it'() {
        const land = 'terrain size=160 cell=60\nnoise seed=7 frequency=0.12 relief=1300\nrivers time=1M steps=16 uplift=1.2 erosion=4\ndroplets drops=4k\n';
        for (const [look, words] of [['alpine', land], ['desert', land.replace('relief=1300', 'relief=900')], ['alpine', land + 'flood level=500\n']]) {
            const { page, close } = await open(link(`${words}render view.png look=${look}\n`), { reducedMotion: 'reduce' });
            await settled(page);
            await writeFile(join(work, 'view.rv'), words);
            run('view.rv', 'render', 'view.png', `look=${look}`, 'azimuth=144.5', 'elevation=45', 'sun=235', 'altitude=38', 'width=400', 'height=400', 'trees=0', 'haze=0');
            // Of the middle of both pictures, where land is all around: the mean of each colour, and how blue its bluest part is.
            const [own, drawn] = await page.evaluate(async (bytes) => {
                const { view } = studio.viewport, { grid, span } = view.land, middle = ((grid.width - 1) * grid.cell) / 2, away = 4 * middle;
                view.finest();
                view.camera.position.set(middle + away * Math.sin(0.6196) * Math.SQRT1_2, (span.x + span.y) / 2 + away * Math.SQRT1_2, middle + away * Math.cos(0.6196) * Math.SQRT1_2);
                view.camera.lookAt(middle, (span.x + span.y) / 2, middle);
                view.palette = { ...view.palette, haze: 0 };
                const middleOf = async (png) => {
                    const image = await createImageBitmap(png), paint = new OffscreenCanvas(120, 120).getContext('2d');
                    paint.drawImage(image, image.width * 0.35, image.height * 0.35, image.width * 0.3, image.height * 0.3, 0, 0, 120, 120);
                    const { data } = paint.getImageData(0, 0, 120, 120), mean = [0, 0, 0];
                    let blue = 0;
                    for (let i = 0; i < data.length; i += 4) {
                        mean.forEach((_, c) => { mean[c] += data[i + c] / 14400; });
                        blue += data[i + 2] > data[i] + 25 ? 1 / 14400 : 0;
                    }
                    return { mean, blue };
                };
                const controls = view.controls.update;
                view.controls.update = () => false; // the camera stays where it is
                const mine = await middleOf(await view.picture(400, 400));
                view.controls.update = controls;
                return [mine, await middleOf(new Blob([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))]))];
            }, (await readFile(join(work, 'view.png'))).toString('base64'));
            const said = `${look}: ${JSON.stringify({ own, drawn })}`;
            own.mean.forEach((value, c) => assert.ok(Math.abs(value - drawn.mean[c]) < 16, said));
            assert.ok(Math.abs(own.blue - drawn.blue) < 0.02 + 0.4 * drawn.blue, said); // streams, and the sea
            await close();
        }
    },

    async 'of 2048 x 2048 cells a frame has few triangles, and nothing is sent again while the camera moves'() {
        const { page, close } = await open(link(SMALL), { width: 1920, height: 1080 });
        await settled(page);
        await page.evaluate(() => {
            const side = 2048, cell = 10, heights = new Float32Array(side * side);
            for (let y = 0; y < side; y++)
                for (let x = 0; x < side; x++)
                    heights[y * side + x] = 700 * (Math.sin(x / 90) * Math.cos(y / 130) + 0.3 * Math.sin(x / 17 + y / 23));
            studio.viewport.show({ width: side, height: side, cell, fields: new Map([['height', heights]]), land: null,
                isLive: true, isPreview: false }); // as a slice is: its shadows take less time without a GPU
        });
        const { around, close: near, live, layers } = await page.evaluate(measureFrames, [4, true]);
        for (const [name, { mean, most }] of Object.entries(layers))
            assert.ok(mean >= 1 && mean < 1.3 && most < 6, `${name}: a pixel is shaded ${mean} times, at most ${most}`);
        for (const [name, { calls, triangles }] of Object.entries({ around, near, live }))
            assert.ok(calls <= 6 && triangles <= 320000, `${name}: ${calls} calls, ${triangles} triangles`);
        for (const { bytes } of [around, near])
            assert.ok(bytes <= 65536, `${bytes} bytes to the GPU a frame`);
        assert.ok(live.bytes <= 1.1 * 4 * 1024 * 1024, `${live.bytes} bytes a slice`); // every second cell, a float each
        console.log(`    a pixel is shaded ${layers.far.mean.toFixed(2)} times from afar, ${layers.near.mean.toFixed(2)} from near`);
        console.log(`    turning: ${around.calls} calls, ${around.triangles} triangles, ${around.bytes} bytes; close: ${near.triangles} triangles; a slice: ${live.bytes} bytes`);
        await close();
    },

    async 'scenes run in the page'() {
        const { page, close } = await open(link(SMALL), { colorScheme: 'dark' });
        await settled(page);
        await page.keyboard.press('a');
        await page.keyboard.press('Escape');
        await page.keyboard.press('e'); // no key is lost after a dialog
        await page.locator('.brush').waitFor();
        await page.getByRole('button', { name: 'Gallery' }).click();
        assert.equal(await page.locator('.card').count(), 15);
        await picture(page, 'gallery');
        await page.locator('.card', { hasText: 'winding river bed' }).click();
        await page.waitForFunction(() => studio.session.scene?.frame?.frame >= 3);
        await page.locator('.params p', { hasText: /winding river bed.*Worn rock is red/i }).waitFor(); // what the gallery says of it
        await page.keyboard.press('e');
        assert.ok(await page.locator('.brush').isHidden()); // it is for lands
        await page.keyboard.press('Escape');
        await until(page, ['cancelled', 'done']); // it is short
        await page.waitForFunction(() => !studio.viewport.nextFrame);
        // All of the scene is seen again, not the land behind it, on which nobody walks now.
        const eye = () => page.evaluate(() => studio.viewport.view.camera.position.toArray().map((each) => Number(each.toFixed(3))));
        const stood = await eye();
        await page.keyboard.press('w');
        await page.keyboard.press('f');
        assert.deepEqual(await eye(), stood);
        assert.ok(await page.getByRole('button', { name: 'Walk (W)' }).isHidden());
        const { frame, hash } = await page.evaluate(() => studio.session.scene.frame);
        const lines = run('--json', '--threads', '1', 'scene', 'river', `frames=${frame}`, 'run.every=1', 'save=none.obj').trim().split('\n');
        assert.ok(lines.some((line) => line.includes(hash)), `frame ${frame} has another hash`);
        // What was worn lies where there is water, and is little beside the rock.
        const worn = await page.evaluate(() => {
            const { high, low } = studio.session.scene.frame, { lost } = studio.viewport.solid;
            return { most: Math.max(...lost), share: lost.filter((depth) => Math.abs(depth) > 1e-5 * (high[0] - low[0])).length / lost.length, side: high[0] - low[0] };
        });
        assert.ok(worn.share < 0.2 && worn.most < 0.1 * worn.side, JSON.stringify(worn));
        // Water as a surface, as particles or not at all: each looks other than the others.
        const ways = new Map();
        for (const way of ['surface', 'speed', 'particles', 'none']) {
            assert.equal(await page.locator(`[data-way=${way}]`).getAttribute('aria-pressed'), 'true');
            ways.set(way, await page.evaluate(() => {
                studio.viewport.view.render();
                const canvas = new OffscreenCanvas(240, 150), paint = canvas.getContext('2d');
                paint.drawImage(studio.viewport.view.canvas, 0, 0, 240, 150);
                return [...paint.getImageData(0, 0, 240, 150).data];
            }));
            await page.locator('canvas').first().focus();
            await page.keyboard.press('d');
        }
        for (const [way, pixels] of ways)
            for (const [other, its] of ways)
                assert.ok(way === other || pixels.filter((value, i) => Math.abs(value - its[i]) > 8).length > 60, `${way} looks as ${other} does`);
        // Water on a closed mesh of one's own.
        run('terrain', 'size=16', 'cell=10', 'noise', 'seed=3', 'relief=30', 'save', 'own.obj', 'solid=20');
        await drop(page, 'own.obj', await readFile(join(work, 'own.obj')));
        await page.waitForFunction(() => studio.session.scene?.name === 'own' && studio.session.scene.frame?.frame >= 2 && studio.session.scene.frame.particles > 0);
        await page.getByRole('button', { name: 'Back to the land' }).click();
        await settled(page);
        await close();
    },

    async 'no serious fault for people who use other means; dark, light and on a phone'() {
        const { page, close } = await open(link(SMALL), { width: 390, height: 844, hasTouch: true, colorScheme: 'dark' });
        await settled(page);
        const faults = async () => {
            await page.evaluate(() => document.querySelectorAll('.toast').forEach((toast) => toast.remove()));
            const { violations } = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
            return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
                .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target.join(' '))}`);
        };
        // By evaluation, which the policy of the page does not forbid to the one who tests.
        await page.evaluate(await readFile(axeSource, 'utf8') + ';0');
        assert.deepEqual(await faults(), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
        for (const sheet of ['Parameters', 'Land', 'Steps']) {
            await page.getByRole('tab', { name: sheet }).click();
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, sheet);
        }
        await picture(page, 'phone');
        // On its side: the land beside the panels, and nothing over anything else.
        await page.setViewportSize({ width: 844, height: 390 });
        assert.deepEqual(await page.evaluate(() => {
            const boxes = ['.tabs', '.corner', '.sheets', '.stack', '.time', '.top'].map((name) => [name, document.querySelector(name).getBoundingClientRect()]);
            const view = document.querySelector('.view').getBoundingClientRect();
            const over = boxes.flatMap(([name, a], i) => boxes.slice(i + 1).filter(([other, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
                .map(([other]) => `${name} over ${other}`));
            return [over, document.documentElement.scrollWidth <= 844, view.width > 450 && view.height > 280];
        }), [[], true, true]);
        await page.waitForFunction(() => {
            const { view } = studio.viewport, { width, height } = view.land.grid, box = view.canvas.getBoundingClientRect();
            return box.width > 450 && [[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]].map(([x, y]) => view.project(x, y))
                .every(({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom);
        });
        await page.setViewportSize({ width: 390, height: 844 });
        for (const name of ['Compare', 'Share link'])
            assert.ok(await page.getByRole('button', { name, exact: true }).isVisible(), name);
        await page.setViewportSize({ width: 1440, height: 900 });
        for (const theme of ['dark', 'light']) {
            await page.evaluate((name) => { document.documentElement.dataset.theme = name; }, theme);
            assert.deepEqual(await faults(), [], theme);
        }
        for (const name of ['Gallery', 'Export', 'Keys (H)']) {
            await page.getByRole('button', { name }).click();
            assert.deepEqual(await faults(), [], name);
            await page.keyboard.press('Escape');
        }
        // By keyboard alone: everything that acts can be reached.
        const reached = new Set();
        await page.evaluate(() => document.querySelector('.doc-name').focus());
        for (let i = 0; i < 150 && reached.size < 6; i++) {
            await page.keyboard.press('Tab');
            reached.add(await page.evaluate(() => document.activeElement?.closest('header, .stack, .view, .side, .time')?.className));
        }
        for (const part of ['top', 'stack', 'view', 'side', 'time'])
            assert.ok([...reached].includes(part), `${part} is not reached by the keyboard`);
        await close();
    },

    async 'by touch one walks, sets the sun and moves steps'() {
        for (const [width, height] of [[390, 844], [844, 390]]) {
            const { page, close } = await open(link(SMALL), { width, height, hasTouch: true, isMobile: true });
            await settled(page);
            const cdp = await page.context().newCDPSession(page);
            const touch = (type, ...points) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(({ x, y }, id) => ({ x, y, id })) });
            const middle = async (locator) => {
                const { x, y, width: w, height: h } = await locator.boundingBox();
                return { x: x + w / 2, y: y + h / 2 };
            };
            const inSight = (locator) => locator.evaluate((element) => {
                const { left, right, top, bottom } = element.getBoundingClientRect(), at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
                return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && (at === element || element.contains(at));
            });
            // A pad under the thumb goes ahead, and stops when it is let go; meanwhile another finger looks around.
            const eye = () => page.evaluate(() => { const { position: p, rotation: r } = studio.viewport.view.camera; return [p.x, p.z, r.y]; });
            assert.ok(await page.locator('.pad').isHidden());
            await page.getByRole('button', { name: 'Walk (W)' }).tap();
            assert.ok(await inSight(page.locator('.pad')));
            const pad = await middle(page.locator('.pad')), ahead = { x: pad.x, y: pad.y - 40 }, sky = await middle(page.locator('.view'));
            const [x, z, yaw] = await eye();
            await touch('touchStart', pad);
            await touch('touchMove', ahead);
            await page.waitForFunction(([was, its]) => { const { x: now, z: at } = studio.viewport.view.camera.position; return Math.hypot(now - was, at - its) > 10; }, [x, z]);
            await touch('touchStart', ahead, sky);
            await touch('touchMove', ahead, { x: sky.x + 60, y: sky.y });
            await page.waitForFunction((was) => Math.abs(studio.viewport.view.camera.rotation.y - was) > 0.1, yaw);
            await touch('touchEnd');
            await page.waitForTimeout(100);
            const stood = await eye();
            await page.waitForTimeout(200);
            assert.deepEqual(await eye(), stood);
            // A finger that comes down elsewhere does not turn the head.
            await touch('touchStart', { x: sky.x - 80, y: sky.y + 30 });
            await touch('touchMove', { x: sky.x - 80, y: sky.y + 31 });
            await touch('touchEnd');
            await page.waitForTimeout(100);
            assert.ok(Math.abs((await eye())[2] - stood[2]) < 0.02);
            await page.getByRole('button', { name: 'Walk (W)' }).tap();
            assert.ok(await page.locator('.pad').isHidden());
            // The sun.
            assert.ok(await page.locator('#sun').isHidden());
            await page.getByRole('button', { name: 'Sun' }).tap();
            for (const id of ['#sun', '#sun-turn'])
                assert.ok(await inSight(page.locator(id)), id);
            const shone = await page.evaluate(() => studio.viewport.view.shared.sun.value.toArray());
            const { x: left, y: top, width: wide, height: high } = await page.locator('#sun').boundingBox();
            await page.touchscreen.tap(left + 0.9 * wide, top + high / 2);
            assert.notDeepEqual(await page.evaluate(() => studio.viewport.view.shared.sun.value.toArray()), shone);
            await page.getByRole('button', { name: 'Sun' }).tap();
            assert.ok(await page.locator('#sun').isHidden());
            // The steps.
            const names = () => page.locator('.step .name').allInnerTexts(), before = await names(), last = before.length - 1;
            const grip = await middle(page.locator('.step .grip').nth(last)), second = await page.locator('.step').nth(1).boundingBox();
            await touch('touchStart', grip);
            for (const part of [0.3, 0.6, 1])
                await touch('touchMove', { x: grip.x, y: grip.y + part * (second.y + 4 - grip.y) });
            await page.locator('.step.over').waitFor();
            await touch('touchEnd');
            await page.waitForFunction((wanted) => [...document.querySelectorAll('.step .name')].map((each) => each.textContent).join() === wanted, [before[0], before[last], ...before.slice(1, last)].join());
            await settled(page);
            await close();
        }
    },

    async 'pictures of the manual'() {
        if (!pictures)
            return;
        const opened = await open(link((await readFile(new URL('../../recipes/alps.rv', import.meta.url), 'utf8')).replace('size=1032', 'size=516')), { colorScheme: 'dark' });
        await until(opened.page, ['done'], 600000);
        await settled(opened.page);
        await opened.page.evaluate(() => studio.session.measure());
        await picture(opened.page, 'page');
        await opened.page.evaluate(() => studio.session.startScene('river', 'preset name=river run frames=260'));
        await until(opened.page, ['done'], 300000);
        await picture(opened.page, 'scene');
        await opened.close();
    },
};
