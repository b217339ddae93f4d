// The page is built from the table of steps, the layout of structs and the modules that `build.sh` made:
//     STUDIO_TABLE     what `ravine help --json` prints
//     STUDIO_LAYOUT    what layout.wasm prints
//     STUDIO_MODULE    ravine.wasm
//     STUDIO_THREADS   ravine-threads.wasm
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

function given(name: string): Buffer {
    const path = process.env[name];
    if (!path)
        throw new Error(`${name} is not set: build the page with studio/build.sh`);
    return readFileSync(path);
}

/** `virtual:table`, `virtual:layout`, and the modules as packed files that the page unpacks itself, so that they
 *  are small from any server. A page loads one of them. */
function ravine(): Plugin {
    const makers: Record<string, () => string> = {
        'virtual:table': () => given('STUDIO_TABLE').toString(),
        'virtual:layout': () => JSON.stringify(Object.fromEntries(
            given('STUDIO_LAYOUT').toString().trim().split('\n').map((line) => line.split(' ')).map(([n, v]) => [n, +v]))),
    };
    return {
        name: 'ravine',
        resolveId: (id) => (id in makers ? `\0${id}` : null),
        load(id) {
            const maker = makers[id.slice(1)];
            return maker ? `export default ${maker()};` : null;
        },
        generateBundle() {
            const modules = { 'ravine.wasm.packed': 'STUDIO_MODULE', 'ravine-threads.wasm.packed': 'STUDIO_THREADS' };
            for (const [fileName, name] of Object.entries(modules))
                this.emitFile({ type: 'asset', fileName, source: gzipSync(given(name), { level: 9 }) });
        },
    };
}

export default defineConfig({
    base: './',
    plugins: [ravine()],
    worker: { format: 'es' },
    build: {
        target: 'es2022',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 1000,
    },
});
