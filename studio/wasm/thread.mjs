// thread.mjs: a worker that is one thread of a module: see threads.mjs. It gets {module, memory, stack}, answers when
// it is lent, and then works for the module until it is terminated.
import { Wasi } from './wasi.mjs';

const node = globalThis.process?.versions?.node ? await import('node:worker_threads') : null;
const port = node ? node.parentPort : globalThis;

async function lend({ module, memory, stack }) {
    const wasi = new Wasi((fd, text) => console.error(text));
    await wasi.instantiate(module, memory);
    const rv = wasi.exports;
    rv.__stack_pointer.value = stack;
    const number = rv.rvi_thread_lend();
    if (number < 0)
        throw new Error('the module takes no more threads');
    port.postMessage('lent');
    try {
        rv.rvi_thread_work(number);
    } catch (trap) {
        rv.rvi_thread_fail();
        throw trap;
    }
}

if (node)
    port.on('message', lend);
else
    port.onmessage = ({ data }) => lend(data);
