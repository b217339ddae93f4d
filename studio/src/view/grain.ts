// grain.ts: the noise of the shaders as small textures that repeat without a seam.
import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RGBAFormat, RepeatWrapping, UnsignedByteType } from 'three';

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

/** Gradient noise of `cells` humps along the side, about -1 to 1, and its two slopes for each hump, three numbers a pixel: as
 *  src/picture/detail_noise.h has it. */
function bumps(cells: number, salt: number): Float32Array {
    const out = new Float32Array(3 * SIDE * SIDE), step = cells / SIDE, gx = new Float32Array(cells * cells), gy = new Float32Array(cells * cells);
    for (let i = 0; i < cells * cells; i++) {
        const angle = 2 * Math.PI * random(i % cells, Math.floor(i / cells), salt);
        gx[i] = 1.5 * Math.cos(angle);
        gy[i] = 1.5 * Math.sin(angle);
    }
    const fade = (t: number) => t * t * t * (t * (t * 6 - 15) + 10), slope = (t: number) => 30 * t * t * (t - 1) * (t - 1);
    for (let y = 0, k = 0; y < SIDE; y++)
        for (let x = 0; x < SIDE; x++, k += 3) {
            const i = Math.floor(x * step), j = Math.floor(y * step), u = x * step - i, v = y * step - j, fu = fade(u), fv = fade(v);
            const a = j * cells + i, b = j * cells + ((i + 1) % cells), c = ((j + 1) % cells) * cells + i, d = ((j + 1) % cells) * cells + ((i + 1) % cells);
            const va = gx[a] * u + gy[a] * v, vb = gx[b] * (u - 1) + gy[b] * v, vc = gx[c] * u + gy[c] * (v - 1), vd = gx[d] * (u - 1) + gy[d] * (v - 1), cross = va - vb - vc + vd;
            out[k] = va + fu * (vb - va) + fv * (vc - va) + fu * fv * cross;
            out[k + 1] = gx[a] + fu * (gx[b] - gx[a]) + fv * (gx[c] - gx[a]) + fu * fv * (gx[a] - gx[b] - gx[c] + gx[d]) + slope(u) * (vb - va + fv * cross);
            out[k + 2] = gy[a] + fu * (gy[b] - gy[a]) + fv * (gy[c] - gy[a]) + fu * fv * (gy[a] - gy[b] - gy[c] + gy[d]) + slope(v) * (vc - va + fu * cross);
        }
    return out;
}

function repeating(bytes: Uint8ClampedArray<ArrayBuffer>): DataTexture {
    const texture = new DataTexture(new Uint8Array(bytes.buffer), SIDE, SIDE, RGBAFormat, UnsignedByteType);
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.magFilter = LinearFilter;
    texture.generateMipmaps = true;
    texture.needsUpdate = true;
    return texture;
}

/** grain: plain noise, gradient noise of large patches and of small ones. bumps: one octave of that, and its slopes. As the
 *  shaders take them apart. */
export function grainTextures(): { grain: DataTexture; bumps: DataTexture } {
    const plain = octave(64, 9), [a, b, c, d] = [16, 32, 64, 128].map((cells, salt) => bumps(cells, 20 + salt)), one = bumps(64, 30);
    const grain = new Uint8ClampedArray(4 * SIDE * SIDE).fill(255), bump = new Uint8ClampedArray(4 * SIDE * SIDE).fill(255);
    for (let i = 0; i < SIDE * SIDE; i++) {
        const k = 3 * i;
        grain[4 * i] = 255 * plain[i];
        grain[4 * i + 1] = 255 * (0.5 + (a[k] + 0.55 * b[k] + 0.55 ** 2 * c[k]) / 4);
        grain[4 * i + 2] = 255 * (0.5 + (a[k] + 0.62 * b[k] + 0.62 ** 2 * c[k] + 0.62 ** 3 * d[k]) / 5);
        bump[4 * i] = 255 * (0.5 + one[k] / 2);
        bump[4 * i + 1] = 255 * (0.5 + one[k + 1] / 8);
        bump[4 * i + 2] = 255 * (0.5 + one[k + 2] / 8);
    }
    return { grain: repeating(grain), bumps: repeating(bump) };
}
