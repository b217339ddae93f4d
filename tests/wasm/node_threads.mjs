// node_threads.mjs: a module with several threads in Node.
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { Ravine } from '../../studio/wasm/ravine.mjs';
import { startThreads } from '../../studio/wasm/threads.mjs';
import { Wasi } from '../../studio/wasm/wasi.mjs';

export const spawn = () => new Worker(new URL('../../studio/wasm/thread.mjs', import.meta.url));

/** The library with `threads` of them, the caller's among them, and the workers that are the others. */
export async function loadThreads(bytes, threads) {
    const wasi = new Wasi();
    const workers = await startThreads(wasi, bytes, threads - 1, spawn, os.availableParallelism?.() ?? os.cpus().length);
    return { ravine: new Ravine(wasi), workers };
}
