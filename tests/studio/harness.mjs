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
