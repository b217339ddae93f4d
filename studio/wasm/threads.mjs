// threads.mjs: a module with several threads (the preset wasm-threads), in Node as in a browser. Threads are
// workers that JavaScript starts beforehand and lends to the module: see cmake/wasm/pthread_lent.c. Who calls the
// module may sleep until they are done, so that in a browser it must be a worker, too, of a page that is isolated
// (https://developer.mozilla.org/docs/Web/API/Window/crossOriginIsolated).
import { Wasi } from './wasi.mjs';

const PAGE = 65536, STACK = 1 << 20; // of each thread
const LEAST = 4194304 / PAGE, MOST = 4294967296 / PAGE; // as cmake/wasm.cmake says

/** Shared memory, of as many addresses as the browser grants. */
function shareMemory() {
    for (let most = MOST; ; most /= 2)
        try {
            return new WebAssembly.Memory({ initial: LEAST, maximum: most, shared: true });
        } catch (refused) {
            if (most / 2 < LEAST)
                throw refused;
        }
}

/** Makes `wasi.exports` of the bytes of a module, and lends it `count` threads. `spawn()` gives a worker that runs
 *  thread.mjs; only there, and in who knows the number of cores, do Node and browsers differ. Gives the workers:
 *  whoever has done with the module terminates them. */
export async function startThreads(wasi, bytes, count, spawn, cores = globalThis.navigator?.hardwareConcurrency ?? count + 1) {
    const module = await WebAssembly.compile(bytes), memory = shareMemory();
    await wasi.instantiate(module, memory);
    wasi.exports._initialize();
    wasi.exports.rvi_thread_cores(cores);
    // Stacks at multiples of their size, by which threads are told apart.
    const room = count > 0 ? wasi.exports.malloc((count + 1) * STACK) : 0;
    const stacks = Math.ceil(room / STACK) * STACK;
    const workers = Array.from({ length: count }, () => spawn());
    try {
        await Promise.all(workers.map((worker, i) => new Promise((resolve, reject) => {
            const listen = worker.on ?? ((event, fn) => worker.addEventListener(event, fn));
            listen.call(worker, 'message', resolve);
            listen.call(worker, 'error', reject);
            worker.postMessage({ module, memory, stack: stacks + (i + 1) * STACK });
        })));
    } catch (failed) {
        workers.forEach((worker) => worker.terminate());
        throw failed;
    }
    return workers;
}
