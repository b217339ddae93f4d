// wasi.mjs: as much of WASI as Ravine's modules ask for, with files in memory: in Node as in a browser.
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
const SUCCESS = 0, BADF = 8, EXIST = 20, INVAL = 28, NOENT = 44;
const DIRECTORY = 3, REGULAR = 4, CHARACTER = 2;
const CREATE = 1, EXCLUSIVE = 4, TRUNCATE = 8; // of path_open
const ROOT = 3; // the one folder; 0, 1 and 2 are the standard streams

/** What ended a program that called exit(). */
export class Exit extends Error {
    constructor(code) {
        super(`exit code ${code}`);
        this.code = code;
    }
}

/** A system of its own for each instance: `files` maps names to Uint8Array, `print(fd, text)` gets what
 *  is written to the streams 1 and 2. */
export class Wasi {
    constructor(print = () => {}) {
        this.files = new Map();
        this.folders = new Set(); // beside the root; the files in them have their names before their own
        this.print = print;
        this.open = new Map([[ROOT, { name: '' }]]);
        this.texts = new Map([[1, new TextDecoder()], [2, new TextDecoder()]]);
    }

    /** Compiles and starts a module: a program runs to its end and gives its exit code, a library is made
     *  ready for calls. */
    async start(bytes) {
        await this.instantiate(await WebAssembly.compile(bytes));
        if (this.exports._start)
            return this.run(() => this.exports._start());
        this.exports._initialize();
        return 0;
    }

    /** Makes `exports`; `memory` is for a module that has none of its own. */
    async instantiate(module, memory) {
        const calls = {};
        for (const name of Object.getOwnPropertyNames(Wasi.prototype))
            if (/^(clock|fd|path|proc|args|environ)_/.test(name))
                calls[name] = (...args) => this[name](...args);
        const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: calls, env: { memory } });
        this.exports = instance.exports;
        this.memory = memory ?? this.exports.memory;
    }

    /** Calls fn to its end, or to that of the program; gives the exit code. */
    run(fn) {
        try {
            fn();
        } catch (end) {
            if (!(end instanceof Exit))
                throw end;
            return end.code;
        }
        return 0;
    }

    // ---- memory ----

    get view() { return new DataView(this.memory.buffer); }
    bytes(at, size) { return new Uint8Array(this.memory.buffer, at, size); }
    // A copy: shared memory may not be decoded.
    path(at, size) { return new TextDecoder().decode(this.bytes(at, size).slice()).replace(/^(\.?\/)+/, ''); }

    /** Buffers as readv and writev take them. */
    *buffers(at, count) {
        for (let i = 0; i < count; i++)
            yield this.bytes(this.view.getUint32(at + 8 * i, true), this.view.getUint32(at + 8 * i + 4, true));
    }

    // ---- the program ----

    proc_exit(code) { throw new Exit(code); }
    args_sizes_get(count, size) { return this.nothing(count, size); }
    environ_sizes_get(count, size) { return this.nothing(count, size); }
    args_get() { return SUCCESS; }
    environ_get() { return SUCCESS; }
    nothing(count, size) {
        this.view.setUint32(count, 0, true);
        this.view.setUint32(size, 0, true);
        return SUCCESS;
    }

    clock_time_get(id, precision, out) {
        let ms = id === 0 ? Date.now() : performance.now();
        if (id === 2 && globalThis.process) // time of the processor, which a page is not told
            ms = (process.cpuUsage().user + process.cpuUsage().system) / 1000;
        this.view.setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
        return SUCCESS;
    }

    // ---- files ----

    fd_prestat_get(fd, out) {
        if (fd !== ROOT)
            return BADF;
        this.view.setUint32(out, 0, true);
        this.view.setUint32(out + 4, 1, true);
        return SUCCESS;
    }

    fd_prestat_dir_name(fd, at) {
        this.bytes(at, 1)[0] = '.'.charCodeAt(0);
        return SUCCESS;
    }

    type(fd) { return fd < ROOT ? CHARACTER : this.open.get(fd).name === '' ? DIRECTORY : REGULAR; }

    fd_fdstat_get(fd, out) {
        if (fd >= ROOT && !this.open.has(fd))
            return BADF;
        this.bytes(out, 24).fill(0);
        this.view.setUint8(out, this.type(fd));
        this.view.setBigUint64(out + 8, ~0n, true); // all rights
        this.view.setBigUint64(out + 16, ~0n, true);
        return SUCCESS;
    }

    fd_fdstat_set_flags() { return INVAL; } // nothing here appends

    stat(type, size, out) {
        this.bytes(out, 64).fill(0);
        this.view.setUint8(out + 16, type);
        this.view.setBigUint64(out + 24, 1n, true);
        this.view.setBigUint64(out + 32, BigInt(size), true);
        return SUCCESS;
    }

    fd_filestat_get(fd, out) {
        if (fd >= ROOT && !this.open.has(fd))
            return BADF;
        const type = this.type(fd);
        return this.stat(type, type === REGULAR ? this.files.get(this.open.get(fd).name).length : 0, out);
    }

    path_filestat_get(fd, flags, at, size, out) {
        const name = this.path(at, size);
        if (name === '' || name === '.' || this.folders.has(name))
            return this.stat(DIRECTORY, 0, out);
        return this.files.has(name) ? this.stat(REGULAR, this.files.get(name).length, out) : NOENT;
    }

    path_open(fd, look, at, size, how, rights, inherited, flags, out) {
        let name = this.path(at, size);
        if (name === '.')
            name = '';
        const there = name === '' || this.files.has(name);
        if (!there && !(how & CREATE))
            return NOENT;
        if (there && how & EXCLUSIVE)
            return EXIST;
        if (!there || how & TRUNCATE)
            this.files.set(name, new Uint8Array(0));
        let fresh = ROOT + 1;
        while (this.open.has(fresh))
            fresh++;
        this.open.set(fresh, { name, at: 0 });
        this.view.setUint32(out, fresh, true);
        return SUCCESS;
    }

    fd_close(fd) { return this.open.delete(fd) ? SUCCESS : BADF; }
    fd_sync(fd) { return this.open.has(fd) ? SUCCESS : BADF; }

    fd_seek(fd, offset, whence, out) {
        const file = this.open.get(fd);
        if (!file || this.type(fd) !== REGULAR)
            return file || fd < ROOT ? INVAL : BADF;
        const from = [0, file.at, this.files.get(file.name).length][whence];
        file.at = from + Number(offset);
        this.view.setBigUint64(out, BigInt(file.at), true);
        return SUCCESS;
    }

    fd_read(fd, buffers, count, out) {
        const file = this.open.get(fd);
        if (!file || this.type(fd) !== REGULAR)
            return BADF;
        const data = this.files.get(file.name);
        let read = 0;
        for (const to of this.buffers(buffers, count)) {
            const part = data.subarray(file.at, file.at + to.length);
            to.set(part);
            file.at += part.length;
            read += part.length;
        }
        this.view.setUint32(out, read, true);
        return SUCCESS;
    }

    /** A file as long as it must be to hold `end` bytes. */
    grow(name, end) {
        const data = this.files.get(name);
        if (data.length >= end)
            return data;
        // Room beyond its end, so that many small writes do not copy it each time.
        const room = data.buffer.byteLength >= end ? data.buffer : new ArrayBuffer(Math.max(2 * end, 4096));
        const longer = new Uint8Array(room, 0, end);
        if (room !== data.buffer)
            longer.set(data);
        this.files.set(name, longer);
        return longer;
    }

    fd_write(fd, buffers, count, out) {
        const file = this.open.get(fd);
        if (!this.texts.has(fd) && (!file || this.type(fd) !== REGULAR))
            return BADF;
        let written = 0;
        for (const from of this.buffers(buffers, count)) {
            if (file) {
                this.grow(file.name, file.at + from.length).set(from, file.at);
                file.at += from.length;
            } else
                this.print(fd, this.texts.get(fd).decode(from.slice(), { stream: true }));
            written += from.length;
        }
        this.view.setUint32(out, written, true);
        return SUCCESS;
    }

    path_rename(fd, from, fromSize, toFd, to, toSize) {
        const name = this.path(from, fromSize);
        if (!this.files.has(name))
            return NOENT;
        this.files.set(this.path(to, toSize), this.files.get(name));
        this.files.delete(name);
        return SUCCESS;
    }

    path_unlink_file(fd, at, size) { return this.files.delete(this.path(at, size)) ? SUCCESS : NOENT; }

    path_create_directory(fd, at, size) {
        const name = this.path(at, size);
        if (this.folders.has(name) || this.files.has(name))
            return EXIST;
        this.folders.add(name);
        return SUCCESS;
    }

    path_remove_directory(fd, at, size) { return this.folders.delete(this.path(at, size)) ? SUCCESS : NOENT; }

    /** Entries of 24 bytes and a name each, from number `from` on, until there is no room. */
    fd_readdir(fd, at, room, from, out) {
        if (!this.open.has(fd) || this.type(fd) !== DIRECTORY)
            return BADF;
        const names = [...this.files.keys()].filter((name) => name !== '');
        let size = 0;
        for (let i = Number(from); i < names.length && size < room; i++) {
            const name = new TextEncoder().encode(names[i]);
            const entry = new Uint8Array(24 + name.length), view = new DataView(entry.buffer);
            view.setBigUint64(0, BigInt(i + 1), true);
            view.setUint32(16, name.length, true);
            view.setUint8(20, REGULAR);
            entry.set(name, 24);
            const part = entry.subarray(0, room - size); // the last may be cut off
            this.bytes(at + size, part.length).set(part);
            size += part.length;
        }
        this.view.setUint32(out, size, true);
        return SUCCESS;
    }

    path_readlink(fd, at, size) { return this.files.has(this.path(at, size)) ? INVAL : NOENT; } // no links
}
