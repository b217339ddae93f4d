// page_engine.ts: the library in a worker of this page.
import layout from 'virtual:layout';
import { EngineError, type Answer, type Ask, type Engine, type Listener } from './engine';
import { Gate, GATE } from './gate';
import type { Control, Event, Reply } from './messages';
import type { Start } from './engine_worker';

/** More than the machine has give nothing; each has a stack of its own. */
const MOST_THREADS = 16;

/** How many threads the engine in this page may have: several only where memory can be shared. */
export function threadsHere(): number {
    return crossOriginIsolated ? Math.max(1, Math.min(navigator.hardwareConcurrency || 1, MOST_THREADS)) : 1;
}

/** Begun with the page, before anything else. */
const modules = new Map<string, Promise<ArrayBuffer>>();

export function fetchModule(threads: number): Promise<ArrayBuffer> {
    const name = threads > 1 ? 'ravine-threads.wasm.packed' : 'ravine.wasm.packed';
    let module = modules.get(name);
    if (!module) {
        module = unpackModule(name);
        modules.set(name, module);
        module.catch(() => modules.delete(name));
    }
    return module;
}

async function unpackModule(name: string): Promise<ArrayBuffer> {
    const response = await fetch(new URL(name, document.baseURI));
    if (!response.ok)
        throw new Error(`${name} could not be loaded (${response.status}).`);
    const bytes = await response.arrayBuffer();
    const isPacked = new Uint8Array(bytes)[0] === 0x1f; // else the server has unpacked it
    return isPacked ? new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer() : bytes;
}

export class PageEngine implements Engine {
    private readonly worker: Worker;
    private readonly gate: Gate;
    private waiting = new Map<number, { resolve: (reply: any) => void; reject: (error: Error) => void }>();
    private next = 1;
    private dead = false;

    constructor(bytes: ArrayBuffer, threads: number, private readonly listener: Listener) {
        const shared = crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4 * GATE)) : null;
        this.gate = new Gate(shared);
        this.worker = new Worker(new URL('./engine_worker.ts', import.meta.url), { type: 'module', name: 'ravine' });
        this.worker.onmessage = ({ data }) => this.hear(data);
        this.worker.onerror = (event) => {
            event.preventDefault();
            this.die(event.message || 'it could not be started');
        };
        this.worker.postMessage({ module: bytes, layout, shared, threads } satisfies Start);
    }

    private die(why: string): void {
        if (this.dead)
            return;
        this.end(`The engine has stopped: ${why}.`);
        this.listener.died(why);
    }

    private hear(data: Reply | Event): void {
        if (this.dead)
            return;
        if (!('id' in data))
            return this.listener.event(data);
        const waiting = this.waiting.get(data.id);
        this.waiting.delete(data.id);
        if (data.kind === 'wrong')
            waiting?.reject(new EngineError(data.sentence, data.status));
        else
            waiting?.resolve(data);
    }

    ask<Kind extends Reply['kind']>(request: Ask, buffers: ArrayBuffer[] = []): Promise<Answer<Kind>> {
        const id = this.next++;
        return new Promise((resolve, reject) => {
            if (this.dead)
                return reject(new EngineError('The engine has stopped.', 0));
            this.waiting.set(id, { resolve, reject });
            this.gate.asked = id;
            if ('live' in request)
                this.gate.newest = request.run; // what still runs ends at once
            this.worker.postMessage({ ...request, id, buffers }, buffers);
        });
    }

    control(run: number, wish: Control): void {
        this.gate.tell(run, wish);
        if (!crossOriginIsolated)
            void this.ask({ kind: 'control', run, do: wish });
    }

    seen(): void { this.gate.seen(); }

    end(why = 'The engine has stopped.'): void {
        this.dead = true;
        this.worker.terminate();
        this.waiting.forEach(({ reject }) => reject(new EngineError(why, 0)));
        this.waiting.clear();
    }
}
