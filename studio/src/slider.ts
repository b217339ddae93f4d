// slider.ts: where a number lies on its slider. The table says what is allowed; a slider shows what is usual, on a
// scale on which the default has room on both sides.
import type { Param } from './table';

export interface Scale {
    /** 0 to 1 to the number and back. */
    value(t: number): number;
    place(value: number): number;
}

/** What is usual for numbers that a step chooses itself. */
function usual(param: Param): { low: number; high: number } {
    const min = param.min ?? 0, max = param.max ?? 1;
    if (param.unit === 'deg')
        return { low: min, high: max };
    if (min < 0)
        return { low: Math.max(min, -2000), high: Math.min(max, 4000) };
    return { low: Math.max(min, param.type === 'count' ? 1000 : 1), high: Math.min(max, param.type === 'count' ? 2e6 : 10000) };
}

function linear(low: number, high: number): Scale {
    return { value: (t) => low + t * (high - low), place: (v) => (v - low) / (high - low) };
}

/** Logarithmic; where 0 is allowed it stands at the left end. */
function logarithmic(low: number, high: number, hasZero: boolean): Scale {
    const start = hasZero ? 0.06 : 0, span = Math.log(high / low);
    return {
        value: (t) => (t < start ? 0 : low * Math.exp(((t - start) / (1 - start)) * span)),
        place: (v) => (v <= 0 ? 0 : start + (1 - start) * (Math.log(v / low) / span)),
    };
}

export function scaleOf(param: Param): Scale {
    const min = param.min ?? 0, max = param.max ?? 1, usually = Number(param.default);
    if (max - min <= 1 || (param.unit === 'deg') || (max - min <= 32 && param.type === 'int'))
        return linear(min, max);
    if (param.default === 'auto' || !Number.isFinite(usually)) {
        const { low, high } = usual(param);
        return low > 0 && high / low > 100 ? logarithmic(low, high, false) : linear(low, high);
    }
    if (min < 0) {
        const reach = Math.max(4 * Math.abs(usually), Math.min(2000, max));
        return linear(Math.max(min, -reach), Math.min(max, reach));
    }
    if (usually <= 0)
        return max <= 100 ? linear(min, max) : logarithmic(Math.max(min, 1), Math.min(max, 10000), min <= 0);
    if (max / usually <= 12)
        return linear(min, max);
    const low = Math.max(min > 0 ? min : 0, usually / 100), high = Math.min(max, usually * 100);
    return logarithmic(low > 0 ? low : usually / 100, high, min <= 0);
}

/** As many digits as the slider can tell apart, within what is allowed. */
export function rounded(param: Param, value: number): string {
    const held = Math.min(Math.max(value, param.min ?? -Infinity), param.max ?? Infinity);
    if (param.type === 'int' || param.type === 'count')
        return String(Math.round(held > 1000 ? +held.toPrecision(3) : held));
    return String(+held.toPrecision(3));
}
