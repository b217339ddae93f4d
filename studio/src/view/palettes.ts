// palettes.ts: the colours of natural land and of the light on it: those of src/picture/palette.c and sky.c, so that the page
// looks as `render` does. Linear light, 0 to 1; a test compares pictures of both.
import { Vector3 } from 'three';

type Rgb = [number, number, number];

export interface Palette {
    /** In the order of the shader's `tints`. */
    tints: Rgb[];
    sunlight: Rgb;
    zenith: Rgb;
    horizon: Rgb;
    haze: number;
    bumps: number;
    exposure: number;
}

const SNOW: Rgb = [0.86, 0.885, 0.92];

export const ALPINE: Palette = {
    tints: [[0.125, 0.118, 0.112], [0.29, 0.275, 0.255], [0.052, 0.070, 0.024], [0.088, 0.098, 0.038], [0.135, 0.105, 0.055], [0.016, 0.027, 0.013],
        [0.275, 0.245, 0.185], SNOW, [0.42, 0.355, 0.25], [0.085, 0.069, 0.057], [0.205, 0.174, 0.141], [0.235, 0.235, 0.235], [0.010, 0.045, 0.062]],
    sunlight: [3.6, 3.35, 3.0], zenith: [0.16, 0.33, 0.72], horizon: [0.58, 0.69, 0.83], haze: 0.36, bumps: 1, exposure: 0.66,
};

export const DESERT: Palette = {
    tints: [[0.24, 0.085, 0.040], [0.52, 0.27, 0.135], [0.10, 0.095, 0.045], [0.19, 0.16, 0.08], [0.34, 0.21, 0.115], [0, 0, 0],
        [0.45, 0.275, 0.155], SNOW, [0.47, 0.285, 0.155], [0.215, 0.082, 0.043], [0.37, 0.195, 0.107], [0.23, 0.215, 0.195], [0.012, 0.050, 0.055]],
    sunlight: [3.8, 3.3, 2.75], zenith: [0.18, 0.34, 0.66], horizon: [0.82, 0.78, 0.72], haze: 0.26, bumps: 0.9, exposure: 0.58,
};

const smoothstep = (from: number, to: number, x: number): number => {
    const t = Math.min(Math.max((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
};

/** Light of the sun and of the sky when the sun stands so many degrees high: rvi_sky_place_sun. */
export function skyOf(palette: Palette, altitude: number): { sunlight: Vector3; zenith: Vector3; horizon: Vector3 } {
    const air = 1 / (Math.max(Math.sin((altitude * Math.PI) / 180), 0) + 0.06), low = 1 - smoothstep(0, 10, altitude);
    const of = (rgb: Rgb, by: (k: number) => number) => new Vector3(...(rgb.map((value, k) => value * by(k)) as Rgb));
    return {
        sunlight: of(palette.sunlight, (k) => Math.exp(-[0.030, 0.065, 0.125][k] * (air - 1))),
        zenith: of(palette.zenith, (k) => 1 + low * ([0.30, 0.34, 0.48][k] + 0.2 - 1)),
        horizon: of(palette.horizon, (k) => 1 + low * (0.75 * [1.12, 0.62, 0.36][k] - 1)),
    };
}
