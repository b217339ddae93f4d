// files.ts: files that people drop on the page. Heights in a PNG become an .r16, which the library reads without
// libpng; the levels are the same.

export interface Heights { width: number; height: number; bits: 8 | 16; levels: Uint16Array }

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** The levels of a PNG with 8 or 16 bits: of its grey, or its luminance as the library weighs it. Browsers alone
 *  would give 8 bits. */
export async function readPng(bytes: Uint8Array): Promise<Heights> {
    if (!SIGNATURE.every((value, i) => bytes[i] === value))
        throw new Error('This is not a PNG.');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const packed: Uint8Array[] = [];
    let head: { width: number; height: number; bits: number; colour: number; interlaced: boolean } | null = null;
    for (let at = 8; at + 12 <= bytes.length;) {
        const size = view.getUint32(at), name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
        if (at + 12 + size > bytes.length)
            throw new Error('The PNG is cut off.');
        if (name === 'IHDR')
            head = { width: view.getUint32(at + 8), height: view.getUint32(at + 12), bits: bytes[at + 16],
                colour: bytes[at + 17], interlaced: bytes[at + 20] !== 0 };
        if (name === 'IDAT')
            packed.push(bytes.subarray(at + 8, at + 8 + size));
        if (name === 'IEND')
            break;
        at += 12 + size;
    }
    if (!head || packed.length === 0)
        throw new Error('The PNG has no picture in it.');
    const channels = CHANNELS[head.colour];
    if (!channels || (head.bits !== 8 && head.bits !== 16) || head.interlaced)
        throw new Error('The page reads PNG files with 8 or 16 bits of grey or colour, not interlaced. `ravine` reads all.');
    if (head.width * head.height > 4096 * 4096)
        throw new Error(`The PNG has ${head.width} x ${head.height} cells; the page takes at most 4096 x 4096.`);
    let raw: Uint8Array;
    try {
        raw = new Uint8Array(await new Response(new Blob(packed as BlobPart[]).stream()
            .pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());
    } catch {
        throw new Error('The PNG is damaged.');
    }
    return levelsOf(raw, { ...head, channels });
}

function levelsOf(raw: Uint8Array, head: { width: number; height: number; bits: number; channels: number }): Heights {
    const { width, height, channels } = head, wide = head.bits / 8, pixel = channels * wide, row = width * pixel;
    if (raw.length < height * (row + 1))
        throw new Error('The PNG is cut off.');
    const levels = new Uint16Array(width * height);
    let before = new Uint8Array(row), now = new Uint8Array(row);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (row + 1)], from = y * (row + 1) + 1;
        for (let i = 0; i < row; i++) {
            const a = i >= pixel ? now[i - pixel] : 0, b = before[i], c = i >= pixel ? before[i - pixel] : 0;
            now[i] = raw[from + i] + guess(filter, a, b, c);
        }
        for (let x = 0; x < width; x++) {
            const sample = (k: number) => (wide === 2 ? now[x * pixel + 2 * k] * 256 + now[x * pixel + 2 * k + 1] : now[x * pixel + k]);
            levels[y * width + x] = channels < 3 ? sample(0)
                : Math.floor((2126 * sample(0) + 7152 * sample(1) + 722 * sample(2) + 5000) / 10000);
        }
        [before, now] = [now, before];
    }
    return { width, height, bits: head.bits as 8 | 16, levels };
}

function guess(filter: number, a: number, b: number, c: number): number {
    switch (filter) {
    case 1: return a;
    case 2: return b;
    case 3: return (a + b) >> 1;
    case 4: {
        const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    }
    default: return 0;
    }
}

/** Little-endian 16-bit levels, as an .r16 has them. Levels of 8 bits are spread over 16: 255 becomes 65535. */
export function toR16({ levels, bits }: Heights): ArrayBuffer {
    const out = new DataView(new ArrayBuffer(2 * levels.length));
    levels.forEach((level, i) => out.setUint16(2 * i, bits === 8 ? level * 257 : level, true));
    return out.buffer;
}

/** A grey PNG of 16 bits from an .r16. */
export async function r16ToPng(r16: ArrayBuffer, width: number, height: number): Promise<Blob> {
    const levels = new DataView(r16), row = 2 * width;
    const raw = new Uint8Array(height * (row + 1));
    for (let y = 0; y < height; y++) {
        raw[y * (row + 1)] = 2; // each row less the one above
        for (let i = 0; i < row; i++) {
            const at = (yy: number) => levels.getUint8(yy * row + (i ^ 1));
            raw[y * (row + 1) + 1 + i] = y > 0 ? at(y) - at(y - 1) : at(0);
        }
    }
    const packed = new Uint8Array(await new Response(new Blob([raw]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer());
    const head = new DataView(new ArrayBuffer(13));
    head.setUint32(0, width);
    head.setUint32(4, height);
    head.setUint8(8, 16);
    return new Blob([new Uint8Array(SIGNATURE), chunk('IHDR', new Uint8Array(head.buffer)), chunk('IDAT', packed), chunk('IEND', new Uint8Array(0))],
        { type: 'image/png' });
}

function chunk(name: string, data: Uint8Array): ArrayBuffer {
    const out = new Uint8Array(12 + data.length), view = new DataView(out.buffer);
    view.setUint32(0, data.length);
    for (let i = 0; i < 4; i++)
        out[4 + i] = name.charCodeAt(i);
    out.set(data, 8);
    let crc = ~0;
    for (let i = 4; i < 8 + data.length; i++) {
        crc ^= out[i];
        for (let k = 0; k < 8; k++)
            crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    view.setUint32(8 + data.length, ~crc >>> 0);
    return out.buffer;
}
