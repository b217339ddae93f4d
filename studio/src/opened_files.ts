// opened_files.ts: files that were opened in the page, and what steps that read them say to an engine: it may have them
// under another name, with other parameters of `open`.
import { readPng, toR16 } from './files';
import { itemWords, type Item } from './recipe';
import { findStep } from './table';
import { plainTiff } from './tiff';

/** Its name in an engine, its bytes as they were opened, and the parameters of `open` that go with it there. */
interface OpenedFile {
    name: string;
    bytes: ArrayBuffer;
    values: Record<string, string>;
}

export class OpenedFiles {
    private readonly files = new Map<string, OpenedFile>();

    [Symbol.iterator](): Iterator<[string, OpenedFile]> { return this.files[Symbol.iterator](); }

    has(name: string): boolean { return this.files.has(name); }

    /** Is it this very file that was opened under the name? */
    isSame(name: string, bytes: ArrayBuffer): boolean { return this.files.get(name)?.bytes === bytes; }

    /** Notes a file as an engine gets it, which is returned: that of the page gets heights of a PNG as raw levels. */
    async add(engine: 'page' | 'machine', name: string, bytes: ArrayBuffer, scales: OpenedFiles = this): Promise<{ name: string; sent: ArrayBuffer }> {
        const isPage = engine === 'page';
        if (/\.png$/i.test(name) && isPage) {
            const heights = await readPng(new Uint8Array(bytes)), raw = `${name}.r16`;
            this.files.set(name, { name: raw, bytes, values: { width: String(heights.width), ...scales.scaleOf(name) } });
            return { name: raw, sent: toR16(heights) };
        }
        const copy = bytes.slice(0); // what is sent is gone here
        const sent = /\.tiff?$/i.test(name) && isPage ? await plainTiff(copy) : copy;
        this.files.set(name, { name, bytes, values: {} });
        return { name, sent };
    }

    /** What the sidecar of a heightmap says, as parameters of `open`. */
    private scaleOf(name: string): Record<string, string> {
        try {
            const { min_m, max_m, cell_m, curve } = JSON.parse(new TextDecoder().decode(this.files.get(`${name}.ravine.json`)?.bytes));
            return Object.fromEntries(Object.entries({ low: min_m, high: max_m, cell: cell_m, curve })
                .filter(([, value]) => value !== undefined).map(([key, value]) => [key, String(value)]));
        } catch {
            return {}; // there is none, or none that can be read: heights are then as `open` says
        }
    }

    /** The words of a step for the engine, where files may have other names. */
    words(item: Item): string {
        const values = { ...item.values };
        for (const param of findStep(item.step)?.parameters ?? []) {
            const file = param.type === 'file' ? this.files.get(values[param.name] ?? '') : undefined;
            if (!file || file.name === values[param.name])
                continue;
            values[param.name] = file.name;
            if (item.step === 'open')
                Object.assign(values, { ...file.values, ...values });
        }
        return itemWords({ ...item, values });
    }

    /** Is there what the step reads? Not where that lies only in the folder of the program. */
    hasThoseOf(item: Item): boolean { return this.missing(item).length === 0; }

    /** The files that it reads and that were not opened. */
    missing(item: Item): string[] {
        return (findStep(item.step)?.parameters ?? []).filter(({ name, type, writes }) =>
            type === 'file' && !writes && item.values[name] && !this.has(item.values[name])).map(({ name }) => item.values[name]);
    }
}
