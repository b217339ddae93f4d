// run.mjs MODULE [THREADS]: runs a program that is WebAssembly to its end. Its files are in memory. A module with
// several threads is told how many; without a number it is one without.
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { startThreads } from './threads.mjs';
import { Wasi } from './wasi.mjs';

const wasi = new Wasi((fd, text) => (fd === 1 ? process.stdout : process.stderr).write(text));
const [path, threads] = process.argv.slice(2), module = await readFile(path);
if (threads) {
    const spawn = () => new Worker(new URL('thread.mjs', import.meta.url));
    const workers = await startThreads(wasi, module, threads - 1, spawn, os.availableParallelism?.() ?? os.cpus().length);
    process.exitCode = wasi.run(() => wasi.exports.exit(wasi.exports.__original_main()));
    workers.forEach((worker) => worker.terminate());
} else
    process.exitCode = await wasi.start(module);
