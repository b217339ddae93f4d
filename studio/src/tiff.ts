// tiff.ts: a TIFF that is packed by deflate as one that is not, which the library reads in the page, too. What else may
// be wrong with the file, the library says.

const COMPRESSION = 259, PREDICTOR = 317;
const [STRIPS, STRIP_SIZES, TILES, TILE_SIZES] = [273, 279, 324, 325];
const LONG = 4, SIZES: Record<number, number> = { 1: 1, 3: 2, 4: 4 }; // bytes of a value, by type
const MOST = 1 << 30;

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
    try {
        return new Uint8Array(await new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());
    } catch {
        throw new Error('The TIFF is damaged.');
    }
}

/** Undoes what makes rows pack better: 2, each value less the one before; 3, the same of the bytes of floats, those of
 *  the same weight together. */
function unpredict(data: Uint8Array, row: number, samples: number, wide: number, predictor: number, isLittle: boolean): void {
    const held = new Uint8Array(row), view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (let at = 0; at + row <= data.length; at += row) {
        if (predictor === 3) {
            for (let i = samples; i < row; i++)
                data[at + i] += data[at + i - samples];
            held.set(data.subarray(at, at + row));
            for (let i = 0, count = row / wide; i < count; i++)
                for (let k = 0; k < wide; k++)
                    data[at + i * wide + (isLittle ? wide - 1 - k : k)] = held[k * count + i];
        } else
            for (let i = samples; i < row / wide; i++) {
                const here = at + i * wide, before = here - samples * wide;
                if (wide === 1)
                    data[here] += data[before];
                else if (wide === 2)
                    view.setUint16(here, view.getUint16(here, isLittle) + view.getUint16(before, isLittle), isLittle);
                else
                    view.setUint32(here, view.getUint32(here, isLittle) + view.getUint32(before, isLittle), isLittle);
            }
    }
}

export async function plainTiff(bytes: ArrayBuffer): Promise<ArrayBuffer> {
    const view = new DataView(bytes), isLittle = bytes.byteLength > 8 && view.getUint16(0) === 0x4949;
    if (bytes.byteLength < 16 || view.getUint16(2, isLittle) !== 42)
        return bytes; // a BigTIFF, or none
    const list = view.getUint32(4, isLittle), fields = new Map<number, number>();
    if (list + 2 > bytes.byteLength || list + 2 + 12 * view.getUint16(list, isLittle) > bytes.byteLength)
        return bytes;
    for (let i = 0; i < view.getUint16(list, isLittle); i++)
        fields.set(view.getUint16(list + 2 + 12 * i, isLittle), list + 2 + 12 * i);
    const values = (tag: number): number[] => {
        const at = fields.get(tag);
        if (at === undefined)
            return [];
        const size = SIZES[view.getUint16(at + 2, isLittle)], count = view.getUint32(at + 4, isLittle);
        const from = size * count > 4 ? view.getUint32(at + 8, isLittle) : at + 8;
        if (!size || from + size * count > bytes.byteLength)
            throw new Error('The TIFF is damaged.');
        return Array.from({ length: count }, (_, i) => (size === 1 ? view.getUint8(from + i) : size === 2 ? view.getUint16(from + 2 * i, isLittle) : view.getUint32(from + 4 * i, isLittle)));
    };
    const one = (tag: number, otherwise: number) => values(tag)[0] ?? otherwise;
    if (![8, 32946].includes(one(COMPRESSION, 1)))
        return bytes;
    const isTiled = fields.has(TILES), offsets = values(isTiled ? TILES : STRIPS), sizes = values(isTiled ? TILE_SIZES : STRIP_SIZES);
    const wide = one(258, 1) / 8, predictor = one(PREDICTOR, 1), samples = one(284, 1) === 2 ? 1 : one(277, 1);
    const row = one(isTiled ? 322 : 256, 0) * samples * wide;
    if (![1, 2, 4, 8].includes(wide) || row < 1 || offsets.length !== sizes.length)
        return bytes;
    const parts: Uint8Array[] = [], places: number[] = [];
    let end = bytes.byteLength + (bytes.byteLength % 2);
    for (let i = 0; i < offsets.length; i++) {
        const part = await inflate(new Uint8Array(bytes).subarray(offsets[i], offsets[i] + sizes[i]));
        if (predictor > 1)
            unpredict(part, row, samples, wide, predictor, isLittle);
        parts.push(part);
        places.push(end);
        end += part.length + (part.length % 2);
        if (end > MOST)
            throw new Error('The TIFF is larger than the page can open.');
    }
    const out = new Uint8Array(end + 8 * offsets.length), to = new DataView(out.buffer);
    out.set(new Uint8Array(bytes));
    parts.forEach((part, i) => out.set(part, places[i]));
    const setList = (tag: number, numbers: number[], at: number) => {
        const entry = fields.get(tag)!;
        to.setUint16(entry + 2, LONG, isLittle);
        if (numbers.length === 1)
            return to.setUint32(entry + 8, numbers[0], isLittle);
        to.setUint32(entry + 8, at, isLittle);
        numbers.forEach((value, i) => to.setUint32(at + 4 * i, value, isLittle));
    };
    setList(isTiled ? TILES : STRIPS, places, end);
    setList(isTiled ? TILE_SIZES : STRIP_SIZES, parts.map((part) => part.length), end + 4 * offsets.length);
    to.setUint16(fields.get(COMPRESSION)! + 8, 1, isLittle);
    if (fields.has(PREDICTOR))
        to.setUint16(fields.get(PREDICTOR)! + 8, 1, isLittle);
    return out.buffer;
}
