// ravine.mjs: calls of ravine.wasm from JavaScript. The functions of ravine.h are members of `rv`; addresses
// are numbers, 64-bit numbers are BigInt, and a struct goes by its address.
import { Wasi } from './wasi.mjs';

export class Ravine {
    constructor(wasi) {
        this.wasi = wasi;
        this.rv = wasi.exports;
    }

    static async load(bytes) {
        const wasi = new Wasi();
        await wasi.start(bytes);
        return new Ravine(wasi);
    }

    get files() { return this.wasi.files; }
    // Memory moves when it grows: look at it anew after each call.
    get buffer() { return this.wasi.memory.buffer; }
    get view() { return new DataView(this.buffer); }
    floats(at, count) { return new Float32Array(this.buffer, at, count); }

    /** The text at an address. */
    text(at) {
        const bytes = new Uint8Array(this.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    }

    /** Calls fn with the addresses of texts, which are gone afterwards. */
    with(texts, fn) {
        const places = texts.map((text) => {
            const bytes = new TextEncoder().encode(text + '\0');
            const at = this.rv.malloc(bytes.length);
            new Uint8Array(this.buffer, at).set(bytes);
            return at;
        });
        try {
            return fn(...places);
        } finally {
            places.forEach((at) => this.rv.free(at));
        }
    }

    /** Calls fn with the address of a pointer; gives the status and the pointer. */
    made(fn) {
        const at = this.rv.malloc(4);
        this.view.setUint32(at, 0, true);
        const status = fn(at);
        const pointer = this.view.getUint32(at, true);
        this.rv.free(at);
        return { status, pointer };
    }

    /** A function pointer for C. `result` and `args` are of i32, i64, f32, f64. Only functions of WebAssembly
     *  may enter the table, so a module of a few bytes hands the call on. suspends: fn may give a promise. */
    callback(fn, args, result, suspends = false) {
        const codes = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c };
        const section = (id, ...bytes) => [id, bytes.length, ...bytes];
        const name = (letter) => [1, letter.charCodeAt(0)];
        const type = [0x60, args.length, ...args.map((arg) => codes[arg]), ...(result ? [1, codes[result]] : [0])];
        const module = new Uint8Array([
            0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
            ...section(1, 1, ...type),
            ...section(2, 1, ...name('m'), ...name('f'), 0, 0), // import
            ...section(7, 1, ...name('f'), 0, 0), // export
        ]);
        const instance = new WebAssembly.Instance(new WebAssembly.Module(module), { m: { f: suspends ? new WebAssembly.Suspending(fn) : fn } });
        const table = this.rv.__indirect_function_table;
        const index = table.grow(1);
        table.set(index, instance.exports.f);
        return index;
    }

    /** A context; `progress(now)` gets the address of an rv_progress and gives 1 to go on, 0 to stop.
     *  `log(line)` gets what steps have to say. */
    context(layout, progress, log) {
        const desc = this.rv.malloc(layout['rv_context_desc']);
        this.rv.rv_context_desc_default(desc);
        if (progress) {
            const pointer = this.callback((user, now) => progress(now), ['i32', 'i32'], 'i32');
            this.asks = pointer;
            this.view.setUint32(desc + layout['rv_context_desc.progress'], pointer, true);
        }
        if (log) {
            const pointer = this.callback((user, line) => log(this.text(line)), ['i32', 'i32']);
            this.view.setUint32(desc + layout['rv_context_desc.log'], pointer, true);
        }
        const { status, pointer } = this.made((out) =>
            this.rv.rv_context_open(layout['rv_abi'], desc, out));
        this.rv.free(desc);
        if (status !== 0)
            throw new Error(this.text(this.rv.rv_status_text(status)));
        return pointer;
    }

    /** A way to call functions in which `progress` may give a promise; the call then waits for it. Only where the
     *  browser can suspend WebAssembly. */
    suspending(progress) {
        const table = this.rv.__indirect_function_table, asks = this.asks;
        const waits = table.get(this.callback((user, now) => progress(now), ['i32', 'i32'], 'i32', true));
        return async (fn, ...args) => {
            const plain = table.get(asks);
            table.set(asks, waits);
            try {
                return await WebAssembly.promising(fn)(...args);
            } finally {
                table.set(asks, plain);
            }
        };
    }

    /** Runs a recipe: its status and the terrain. */
    run(ctx, recipe) {
        const { status, pointer } = this.made((out) =>
            this.with([recipe], (text) => this.rv.rv_recipe_run_text(ctx, text, 0, out)));
        return { status, land: pointer };
    }

    field(land, name) {
        const at = this.with([name], (text) => this.rv.rv_terrain_field(land, text));
        return at && this.floats(at, this.rv.rv_terrain_width(land) * this.rv.rv_terrain_height(land));
    }

    hash(land) { return BigInt.asUintN(64, this.rv.rv_terrain_hash(land)).toString(16).padStart(16, '0'); }
}

/** What layout.wasm prints, by name. */
export async function readLayout(bytes) {
    let printed = '';
    await new Wasi((fd, text) => (printed += text)).start(bytes);
    return Object.fromEntries(printed.trim().split('\n').map((line) => line.split(' ')).map(([n, v]) => [n, +v]));
}
