// grain.ts: the noise of the shaders as one small texture that repeats without a seam.
import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RGFormat, RepeatWrapping, UnsignedByteType } from 'three';

const SIDE = 256;

/** A random number of a place, from 0 to 1. */
function random(x: number, y: number, salt: number): number {
    let n = Math.imul(x, 374761393) + Math.imul(y, 668265263) + Math.imul(salt, 1274126177);
    n = Math.imul(n ^ (n >>> 13), 1274126177);
    return ((n ^ (n >>> 16)) >>> 0) / 4294967296;
}

/** Value noise of `cells` humps along the side. */
function octave(cells: number, salt: number): Float32Array {
    const out = new Float32Array(SIDE * SIDE), step = cells / SIDE, smooth = (f: number) => f * f * (3 - 2 * f);
    for (let y = 0; y < SIDE; y++)
        for (let x = 0; x < SIDE; x++) {
            const px = x * step, py = y * step, i = Math.floor(px), j = Math.floor(py), f = smooth(px - i), g = smooth(py - j);
            const at = (a: number, b: number) => random((i + a) % cells, (j + b) % cells, salt);
            out[y * SIDE + x] = (at(0, 0) * (1 - f) + at(1, 0) * f) * (1 - g) + (at(0, 1) * (1 - f) + at(1, 1) * f) * g;
        }
    return out;
}

export function grainTexture(): DataTexture {
    const octaves = [16, 32, 64, 128].map((cells, salt) => octave(cells, salt)), fine = octave(64, 9);
    const bytes = new Uint8Array(2 * SIDE * SIDE);
    for (let i = 0; i < SIDE * SIDE; i++) {
        bytes[2 * i] = 255 * octaves.reduce((sum, one, k) => sum + one[i] / 2 ** (k + 1), 0);
        bytes[2 * i + 1] = 255 * fine[i];
    }
    const texture = new DataTexture(bytes, SIDE, SIDE, RGFormat, UnsignedByteType);
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.magFilter = LinearFilter;
    texture.generateMipmaps = true;
    texture.needsUpdate = true;
    return texture;
}
