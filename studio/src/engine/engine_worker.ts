// engine_worker.ts: the worker that holds the library. Its first message has the module, the layout of structs and
// the shared memory of the gate; requests follow.
import { Ravine } from '../../wasm/ravine.mjs';
import { startThreads } from '../../wasm/threads.mjs';
import { Wasi } from '../../wasm/wasi.mjs';
import { Gate } from './gate';
import { LandEngine, Wrong } from './land_engine';
import { runScene } from './scene_engine';
import type { Event, Reply, Request } from './messages';

export interface Start {
    module: ArrayBuffer;
    layout: Record<string, number>;
    shared: Int32Array | null;
    /** More than one: the module is the one with threads. */
    threads: number;
}

let gate: Gate;
let ravine: Ravine;
let layout: Record<string, number>;
let engine: LandEngine;
/** What runs; the next run waits until it is over. */
let running: Promise<void> = Promise.resolve();

function send(message: (Reply | Event) & { buffers?: ArrayBuffer[] }): void {
    postMessage(message, { transfer: message.buffers ?? [] });
}

function emit(event: Event): void {
    if (event.kind === 'slice')
        gate.sent();
    send(event);
}

/** Its workers end with this one. */
async function loadThreads({ module, threads }: Start): Promise<Ravine> {
    const wasi = new Wasi();
    await startThreads(wasi, module, threads - 1,
        () => new Worker(new URL('../../wasm/thread.mjs', import.meta.url), { type: 'module', name: 'ravine thread' }));
    return new Ravine(wasi);
}

async function start(first: Start): Promise<void> {
    gate = new Gate(first.shared);
    layout = first.layout;
    ravine = first.threads > 1 ? await loadThreads(first) : await Ravine.load(first.module);
    engine = new LandEngine(ravine, layout, emit, gate);
}

function after(work: () => Promise<void>): void {
    running = running.then(work).catch((error) => {
        setTimeout(() => { throw error; }); // a fault of the program: the page hears of it
    });
}

async function answer(request: Request): Promise<void> {
    const { id } = request;
    if (id > gate.asked)
        gate.asked = id;
    try {
        switch (request.kind) {
        case 'hello':
            return send({ id, kind: 'ready', engine: 'page', version: ravine.text(ravine.rv.rv_version()),
                threads: ravine.rv.rv_context_threads(engine.ctx),
                memory: ravine.rv.rv_context_memory_limit(engine.ctx) >>> 0, pauses: gate.pauses });
        case 'control':
            gate.tell(request.run, request.do);
            return send({ id, kind: 'ok' });
        case 'run':
            gate.newest = request.run;
            after(() => engine.run(request.run, request.steps, request.live));
            return send({ id, kind: 'ok' });
        case 'continue':
            gate.newest = request.run;
            after(() => engine.continue(request.run, request.live));
            return send({ id, kind: 'ok' });
        case 'scene':
            gate.newest = request.run;
            after(() => {
                engine.attend(request.run);
                return runScene(ravine, layout, engine.ctx, gate, request, emit);
            });
            return send({ id, kind: 'ok' });
        case 'prepare':
            return await new Promise((resolve, reject) => after(() =>
                engine.prepare(id, request).then((reply) => resolve(send({ id, ...reply } as Reply)), reject)));
        default:
            await running; // the land is looked at when it is done
            return send({ id, ...(await engine.answer(request)) } as Reply);
        }
    } catch (error) {
        if (!(error instanceof Wrong))
            throw error;
        send({ id, kind: 'wrong', status: error.status, sentence: error.message });
    }
}

let begun: Promise<void> | null = null;
onmessage = ({ data }: MessageEvent<Start | Request>) => {
    if (!begun) {
        begun = start(data as Start);
        begun.catch((error) => setTimeout(() => { throw error; }));
        return;
    }
    void begun.then(() => answer(data as Request)).catch((error) => setTimeout(() => { throw error; }));
};
