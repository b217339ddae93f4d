// run.mjs MODULE: runs a program that is WebAssembly to its end. Its files are in memory.
import { readFile } from 'node:fs/promises';
import { Wasi } from './wasi.mjs';

const wasi = new Wasi((fd, text) => (fd === 1 ? process.stdout : process.stderr).write(text));
process.exitCode = await wasi.start(await readFile(process.argv[2]));
