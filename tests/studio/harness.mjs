// harness.mjs: the built page on a server of its own, in Debian's chromium without a screen.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const require = createRequire(new URL('../../studio/package.json', import.meta.url));
export const { chromium } = require('playwright-core');
export const axeSource = require.resolve('axe-core/axe.min.js');

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png' };
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
    "img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves a folder on 127.0.0.1 with a strict policy; isolated: with the headers that give shared memory. */
export async function serve(folder, isolated = true) {
    const server = createServer(async (request, response) => {
        const path = normalize(new URL(request.url, 'http://x').pathname);
        try {
            const body = await readFile(join(folder, path === '/' ? 'index.html' : path));
            const type = TYPES[extname(path) || '.html'] ?? 'application/octet-stream';
            const headers = { 'Content-Type': type, 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff' };
            if (isolated)
                Object.assign(headers, { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' });
            const packs = /text|svg/.test(type);
            if (packs)
                headers['Content-Encoding'] = 'gzip';
            response.writeHead(200, headers).end(packs ? gzipSync(body) : body);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars', '--disable-dev-shm-usage'],
    });
}

/** A page that notes what should not happen: errors, and requests to elsewhere. */
export async function openPage(browser, address, { hash = '', width = 1440, height = 900, ...more } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true, ...more });
    const page = await context.newPage();
    const wrong = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('request', (request) => !/^(blob|data):/.test(request.url()) && !request.url().startsWith(address) && wrong.push(`asks ${request.url()}`));
    await page.goto(address + hash);
    return { page, wrong, context };
}

export const state = (page) => page.evaluate(() => studio.session.state);
export const until = (page, states, timeout = 60000) =>
    page.waitForFunction((wanted) => wanted.includes(studio.session.state), states, { timeout, polling: 20 });
/** The run is over and its land is shown. */
export async function settled(page) {
    await until(page, ['done']);
    await page.waitForFunction(() => studio.viewport.frame && !studio.viewport.frame.isLive && studio.viewport.frame.land?.hash === studio.session.land?.hash, null, { polling: 20 });
}
