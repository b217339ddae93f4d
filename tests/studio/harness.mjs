// harness.mjs: the built page on a server of its own, in Debian's chromium without a screen.
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../studio/package.json', import.meta.url));
export const { chromium } = require('playwright-core');
export const axeSource = require.resolve('axe-core/axe.min.js');

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars', '--disable-dev-shm-usage'],
    });
}

/** A page that notes what should not happen: errors, and requests to elsewhere. It is no larger than its panels ask for:
 *  without a GPU most of the time of the tests is for its pixels. */
export async function openPage(browser, address, { hash = '', width = 1200, height = 600, ...more } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true, ...more });
    context.setDefaultTimeout(120000); // on a machine with much else to do
    const page = await context.newPage();
    const wrong = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('request', (request) => !/^(blob|data):/.test(request.url()) && !request.url().startsWith(address) && wrong.push(`asks ${request.url()}`));
    await page.goto(address + hash);
    return { page, wrong, context };
}

export const state = (page) => page.evaluate(() => studio.session.state);
export const until = (page, states, timeout = 120000) =>
    page.waitForFunction((wanted) => wanted.includes(studio.session.state), states, { timeout, polling: 20 });
/** The run is over and its land is shown. */
export async function settled(page) {
    await until(page, ['done']);
    await page.waitForFunction(() => studio.viewport.frame && !studio.viewport.frame.isLive && studio.viewport.frame.land?.hash === studio.session.land?.hash, null, { polling: 20 });
}

/** In the page: what frames of the land that is shown cost, the most of each: milliseconds of the page's own thread (the
 *  middle of them), draw calls, triangles, bytes to the GPU; while the camera turns, close to the ground, and while the
 *  land changes. onePixel: draws no more of each frame, which makes no difference to what goes to the GPU. */
export async function measureFrames([frames, onePixel]) {
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
    // How often a pixel is shaded, as a mean and at most: each fragment that passes the test of depth adds one level.
    const shaded = () => {
        const meshes = [];
        land.scene.traverse((mesh) => mesh.material && meshes.push(mesh));
        const own = meshes.map(({ material }) => material);
        for (const mesh of meshes) {
            const { constructor: Material, glslVersion, uniforms, vertexShader, fragmentShader, depthWrite } = mesh.material;
            mesh.material = new Material({ glslVersion, uniforms, vertexShader, depthWrite, transparent: true, // each adds up: own blending, one and one
                fragmentShader: fragmentShader.replace(/\}\s*$/, '    colour = vec4(8.0 / 255.0);\n}\n'),
                blending: 5, blendEquation: 100, blendSrc: 201, blendDst: 201, blendSrcAlpha: 201, blendDstAlpha: 201 });
        }
        renderer.setClearColor(0, 0);
        view.render();
        const { width: w, height: h } = renderer.domElement, pixels = new Uint8Array(4 * w * h);
        gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        meshes.forEach((mesh, i) => { mesh.material.dispose(); mesh.material = own[i]; });
        let sum = 0, most = 0;
        for (let i = 0; i < pixels.length; i += 4) {
            sum += pixels[i] / 8;
            most = Math.max(most, pixels[i] / 8);
        }
        return { mean: sum / (w * h), most };
    };
    renderer.setScissorTest(onePixel);
    renderer.setScissor(0, 0, 1, 1);
    const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    const over = (count, place) => {
        const ms = [], calls = [], triangles = [], sent = [];
        for (let i = 0; i < count; i++) {
            place(i / count);
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
        return { ms: middle(ms), worst: ms.at(-1), calls: Math.max(...calls), triangles: Math.max(...triangles), bytes: Math.max(...sent) };
    };
    const { width, height, cell } = land.grid, extent = width * cell, x = extent / 2, z = (height * cell) / 2;
    const turned = (part, radius, rise) => {
        const a = 2 * Math.PI * part;
        camera.position.set(x + radius * Math.cos(a), rise, z + radius * Math.sin(a));
        camera.lookAt(x, land.span.y / 2, z);
    };
    // Only where pixels are drawn at all: of a smaller picture, in which there are as many layers.
    renderer.setScissorTest(false);
    renderer.setPixelRatio(0.25);
    turned(0.1, extent, 0.5 * extent);
    const far = shaded();
    turned(0.1, 0.02 * extent, land.span.y * 1.1);
    const near = shaded();
    view.finest();
    renderer.setScissorTest(onePixel);
    const around = over(frames, (part) => turned(part, extent, 0.5 * extent));
    const close = over(frames, (part) => turned(part, 0.02 * extent, land.span.y * 1.1));
    // A slice of a run: every second cell of so large a land.
    const half = width > 1024 ? 2 : 1, w = Math.floor((width - 1) / half) + 1;
    const slices = [];
    const slice = () => {
        const heights = new Float32Array(w * w).map(() => 1000 * Math.random());
        const start = performance.now();
        studio.viewport.show({ width: w, height: w, cell: cell * half, fields: new Map([['height', heights]]), land: null, isLive: true, isPreview: false });
        slices.push(performance.now() - start);
    };
    const live = over(frames / 2, slice);
    return { around, close, live: { ...live, ms: live.ms + middle(slices) }, layers: { far, near } };
}
