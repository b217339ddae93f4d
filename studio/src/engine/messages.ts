// messages.ts: what the page and an engine say to each other. An engine is the library as WebAssembly in a
// worker, or `ravine studio` on this machine. Every message is a plain JSON object; where it carries data in
// bulk, `buffers` has them beside it. Over postMessage the buffers are moved. Over HTTP a message is
//
//     4 bytes        length of the JSON text, little-endian
//     JSON, UTF-8    the message, where `buffers` is the list of their lengths in bytes
//     the buffers    one after the other
//
// POST /message takes one request and answers with its reply. GET /events is one long answer in which the
// events of this page follow each other, each with that head. Grids are little-endian floats, row 0 north.
//
// A land is made by a list of steps, each as a recipe has it: "droplets drops=400k capacity=1". The engine
// keeps snapshots between steps and starts from the last one that a new list shares with an old one, so to
// change a parameter is to run the changed list. A run counts its places from 0 (the flat land before the
// first step) to steps.length; a repeat and its end are places, too.

/** From the page. Each gets one reply with its `id`. */
export type Request = { id: number } & (
    | { kind: 'hello' }
    /** Makes a file that steps such as open, mask and hardness read; its bytes are buffers[0]. */
    | { kind: 'put'; name: string; buffers?: ArrayBuffer[] }
    /** Runs the list; a run or scene that still goes is cancelled first. The reply comes when it has begun. */
    | { kind: 'run'; run: number; steps: string[]; live: Live }
    /** Goes on after `keep`: the land as it is takes the place of the step that was stopped. */
    | { kind: 'continue'; run: number; live: Live }
    /** To the run, scene or work in idle time of this number: what it says to another is not heard. pause, resume,
     *  slice: hold; go on; one slice further and hold again. keep: end the step here and keep the land. cancel: end
     *  the run; the land of the last finished step is what there is. */
    | { kind: 'control'; run: number; do: Control }
    /** Fields of the land at a place of the last list ("height", "flow" ..., "layer 1"): buffers in their order,
     *  those that are not there have length 0. */
    | { kind: 'look'; place: number; fields: string[] }
    /** Measures the land at a place: checks and figures of the step measure. */
    | { kind: 'measure'; place: number }
    /** Runs a step that writes files ("save land.r16") on the land at a place: buffers in the order of `files`. */
    | { kind: 'save'; place: number; step: string }
    /** This machine: runs a step that writes one file (save, hillshade, paint, render) so that it is kept, below the folder
     *  that `ready` names; the reply `files` has its whole path. One that is there already is replaced only where `replace`
     *  says so; else the reply is `exists`. */
    | { kind: 'store'; place: number; step: string; replace: boolean }
    /** This machine: the device for steps that begin from now on; 0: none. The reply is `ready`. */
    | { kind: 'device'; device: number }
    /** In idle time: makes the lands of a list, so that runs which begin with the same steps need not. Its number is one
     *  of those that runs have. It ends when anything else is asked, or with `cancel`. The reply is `prepared`; where the last
     *  land is there, it has these fields of it. */
    | { kind: 'prepare'; run: number; steps: string[]; fields: string[] }
    /** The recipe as the library prints it, or its sentence about what is wrong. Runs nothing. */
    | { kind: 'read'; text: string }
    /** The land that the first `steps` of a list make, as a `rescue` had it in buffers[0]: a run goes on from there. */
    | { kind: 'revive'; steps: string[]; buffers?: ArrayBuffer[] }
    /** A scene in its words ("preset river run frames=200"), shown every frame until it is over. */
    | { kind: 'scene'; run: number; words: string; live: Live }
);

export type Control = 'pause' | 'resume' | 'slice' | 'keep' | 'cancel';

/** What the page wants to see while it runs: fields, at most so many times a second, every so many cells. */
export interface Live {
    fields: string[];
    rate: number;
    every: number;
    /** What comes with the end of a run that has finished, as `look` would give it: nobody waits for another reply. */
    last: string[];
    /** Hold after each slice. */
    slices: boolean;
    /** Send the land to the page after a step when so many milliseconds of work would be lost without. */
    rescue: number;
}

export interface Land {
    width: number;
    height: number;
    cell: number;
    /** Their names, "height" first. */
    fields: string[];
    layers: Layer[];
    hash: string;
    volume: number;
}

export interface Layer {
    name: string;
    erodibility: number;
    talus: number;
    /** 0xffRRGGBB; 0: none of its own. */
    colour: number;
}

/** Cubic metres, as rv_ledger. */
export interface Ledger {
    eroded: number;
    deposited: number;
    left_map: number;
    suspended: number;
    raised: number;
    before: number;
}

/** Cubic metres, as rv_water. */
export interface Water {
    before: number;
    rained: number;
    evaporated: number;
    absorbed: number;
    left_map: number;
    standing: number;
}

/** As rv_figure; numbers that are not defined are null. */
export interface Figure {
    name: string;
    label: string;
    unit: string;
    value: number | null;
    min: number | null;
    max: number | null;
}

/** To the page: the reply to a request. */
export type Reply = { id: number } & (
    | { kind: 'ready'; engine: 'page' | 'machine'; version: string; threads: number; memory: number; pauses: boolean;
        /** This machine: where files go, and the recipe that it was started with. */
        folder?: string; name?: string; recipe?: string;
        /** Its devices for computing, such as GPUs, and the number of the one in use; 0: none. */
        device?: number; devices?: { number: number; name: string }[] }
    | { kind: 'ok' }
    /** What went wrong, in a sentence of the library. `status` as rv_status counts. */
    | { kind: 'wrong'; status: number; sentence: string }
    | { kind: 'fields'; land: Land; fields: string[]; buffers: ArrayBuffer[] }
    | { kind: 'figures'; figures: Figure[] }
    | { kind: 'files'; files: string[]; buffers: ArrayBuffer[] }
    | { kind: 'exists'; file: string }
    | { kind: 'recipe'; text: string; steps: string[] }
    /** How long each step took; of a repeat, all of it at its end. null: its land is not there. failed: a step
     *  cannot be made so. */
    | { kind: 'prepared'; ms: (number | null)[]; failed: boolean; width?: number; height?: number; cell?: number; fields: string[]; buffers: ArrayBuffer[] }
);

/** To the page, at any time; `run` says of which run it tells. Events of older runs are to be ignored. */
export type Event =
    /** The list was found to be right; it starts at `place`, whose land was still there. */
    | { kind: 'started'; run: number; place: number; places: number }
    | { kind: 'step'; run: number; place: number; turn: number; turns: number }
    /** How far: `done` of the step, from 0 to 1, and the land as it is where it may be looked at. */
    | { kind: 'slice'; run: number; place: number; done: number; width: number; height: number; cell: number;
        every: number; fields: string[]; buffers: ArrayBuffer[] }
    | { kind: 'held'; run: number; place: number; done: number }
    | { kind: 'done_step'; run: number; place: number; turn: number; turns: number; ms: number; land: Land;
        ledger: Ledger; water: Water; drop_steps: number; figures: Figure[] }
    /** The land at a place, as a land file (.npz): for a new engine, if this one dies. */
    | { kind: 'rescue'; run: number; place: number; buffers: ArrayBuffer[] }
    /** The run is over. kept: it was stopped in a step whose land was kept. finished: `fields` are those that were
     *  wanted, of the land as it is. */
    | { kind: 'ended'; run: number; how: 'finished' | 'kept' | 'cancelled' | 'failed'; place: number; ms: number;
        land: Land | null; status: number; sentence: string; fields?: string[]; buffers?: ArrayBuffer[] }
    /** A frame of a scene: points and faces of the rock (floats; whole numbers), then x, y, z and speed of the
     *  particles. */
    | { kind: 'frame'; run: number; frame: number; frames: number; time: number; ms: number; particles: number;
        low: number[]; high: number[]; spacing: number; ledger: Ledger; hash: string; buffers: ArrayBuffer[] }
    | { kind: 'log'; line: string };

/** Either way, as bytes for HTTP. */
export function pack(message: { buffers?: ArrayBuffer[] }): Blob {
    const buffers = message.buffers ?? [];
    const text = new TextEncoder().encode(JSON.stringify({ ...message, buffers: buffers.map((b) => b.byteLength) }));
    const head = new DataView(new ArrayBuffer(4));
    head.setUint32(0, text.length, true);
    return new Blob([head.buffer, text, ...buffers]);
}

/** How many bytes the message has that these bytes begin with; 0: not to be said yet. */
export function packedLength(bytes: Uint8Array): number {
    if (bytes.length < 4)
        return 0;
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    if (bytes.length < 4 + length)
        return 0;
    const message = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    return (message.buffers ?? []).reduce((sum: number, size: number) => sum + size, 4 + length);
}

export function unpack<T>(bytes: Uint8Array): T {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const message = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    let at = 4 + length;
    message.buffers = (message.buffers ?? []).map((size: number) => bytes.slice(at, (at += size)).buffer);
    return message as T;
}
