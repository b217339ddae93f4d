// cover_lines.ts: what a whole land says about its cover: how much water is a stream, how much that was laid down is much,
// where grass ends and snow begins, how steep rock is. As src/picture/land_cover.c has it.
import { DataUtils } from 'three';
import type { Grid } from './ground';

/** Of values with the same sign, exponent and first bits. */
const counts = new Uint32Array(1 << 16);

/** What 98 of 100 cells with a value do not pass; 0: there is none. */
export function limitOf(values: Float32Array): number {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    counts.fill(0);
    let all = 0, highest = 0, bin = 0;
    for (let i = 0; i < values.length; i++)
        if (values[i] > 0 && values[i] < Infinity) {
            counts[bits[i] >>> 16]++;
            all++;
            if (values[i] > highest) highest = values[i];
        }
    for (let seen = counts[0]; seen * 100 < all * 98; seen += counts[bin])
        bin++;
    return Math.min(new Float32Array(new Uint32Array([(bin + 1) << 16]).buffer)[0], highest);
}

export interface Lines { snow: number; grass: number; valley: number; steep: number }

const BINS = 256, ACROSS = 128;
export const NO_SNOW = 1e9;

function quantile(bins: Uint32Array, share: number): number {
    let k = 0;
    for (let seen = bins[0]; k < BINS - 1 && seen < share * ACROSS * ACROSS; seen += bins[k])
        k++;
    return (k + 0.5) / BINS;
}

/** snow: the line that was given; null: none was. */
export function linesOf({ width, height, cell, heights, water }: Grid, low: number, relief: number, snow: number | null, isDry: boolean): Lines {
    const high = new Uint32Array(BINS), slopes = new Uint32Array(BINS), span = relief > 0 ? relief : 1;
    const bin = (share: number) => Math.max(0, Math.min(BINS - 1, Math.floor(share * BINS)));
    for (let j = 0; j < ACROSS; j++)
        for (let i = 0; i < ACROSS; i++) {
            const x = Math.floor(((width - 1) * i) / ACROSS), y = Math.floor(((height - 1) * j) / ACROSS), at = y * width + x;
            const left = Math.max(x - 1, 0), right = Math.min(x + 1, width - 1), above = Math.max(y - 1, 0), below = Math.min(y + 1, height - 1);
            const dx = (heights[y * width + right] - heights[y * width + left]) / ((right - left || 1) * cell);
            const dy = (heights[below * width + x] - heights[above * width + x]) / ((below - above || 1) * cell);
            high[bin((heights[at] + (water?.[at] ?? 0) - low) / span)]++;
            slopes[bin(Math.hypot(dx, dy) / 4)]++;
        }
    const isMountains = relief >= 700;
    return {
        snow: snow ?? (isMountains && !isDry ? low + Math.max(quantile(high, 0.84), 0.5) * relief : NO_SNOW),
        grass: low + (isMountains || snow !== null ? Math.max(quantile(high, 0.62), 0.35) : 2) * relief,
        valley: isMountains ? 0.32 : 0.17,
        steep: Math.min(Math.max(4 * quantile(slopes, 0.62), 0.47), 0.8),
    };
}

/** Of each cell, as half floats: flow beside that of a stream, how much of what was laid down has stayed, how much of the ground
 *  layers cover, and nothing. */
export function tracesOf({ flow, deposited, eroded, layers, heights }: Grid): { halves: Uint16Array; stream: number } | null {
    const has = (field: Float32Array | null): field is Float32Array => field?.length === heights.length;
    const stream = has(flow) ? limitOf(flow) : 0, much = has(deposited) ? limitOf(deposited) : 0, lost = has(eroded) ? eroded : null;
    if (stream <= 0 && much <= 0 && !layers)
        return null;
    const halves = new Uint16Array(4 * heights.length), half = DataUtils.toHalfFloat;
    for (let i = 0; i < heights.length; i++) {
        if (stream > 0)
            halves[4 * i] = half(Math.min(flow![i] / stream, 60000));
        if (much > 0)
            halves[4 * i + 1] = half(Math.min(Math.max((deposited![i] - (lost ? lost[i] : 0)) / much, 0), 4));
        if (layers)
            halves[4 * i + 2] = half(layers[i]);
    }
    return { halves, stream };
}

/** How much of the ground layers cover that lie on the bedrock: 0.3 m of them all of it. */
export function coverOfLayers(thickness: Float32Array[]): Float32Array | null {
    if (thickness.length === 0)
        return null;
    return thickness[0].map((_, i) => 1 - thickness.reduce((left, grid) => {
        const t = Math.min(Math.max(grid[i] / 0.3, 0), 1);
        return left * (1 - t * t * (3 - 2 * t));
    }, 1));
}
