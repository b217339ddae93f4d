// same_bits.mjs MODULE: runs the driver of the table of hashes as WebAssembly; prints what it prints.
import { readFile } from 'node:fs/promises';
import { Wasi } from './wasi.mjs';

const wasi = new Wasi((fd, text) => (fd === 1 ? process.stdout : process.stderr).write(text));
process.exitCode = await wasi.start(await readFile(process.argv[2]));
