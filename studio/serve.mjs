// serve.mjs PAGE [--no-open]: serves the built page to this machine alone, with the headers that give it shared
// memory, prints its address and opens the browser.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png' };
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
    "img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** isolated: with the headers for shared memory. Gives the address and a way to end it. */
export async function serve(folder, isolated = true, port = 0) {
    const server = createServer(async (request, response) => {
        try {
            const path = normalize(new URL(request.url, 'http://x').pathname);
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
    await new Promise((resolve, reject) => server.on('error', reject).listen(port, '127.0.0.1', resolve));
    return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
    const [folder, option] = process.argv.slice(2);
    const { address } = await serve(folder);
    console.log(`The studio is at ${address} (Ctrl-C ends it)`);
    if (option !== '--no-open')
        spawn('xdg-open', [address], { stdio: 'ignore', detached: true }).on('error', () => console.log('Open it in a browser.'));
}
