// recipe.ts: the steps of a land as the page holds them, and as words.
import { findStep, writesFiles, type Param, type Step } from './table';

/** A step of the stack. `values` has what differs from the defaults, as a recipe says it. */
export interface Item {
    id: number;
    step: string;
    values: Record<string, string>;
    on: boolean;
}

const OFF = '#off ';
let lastId = 0;
export const newId = (): number => ++lastId;

/** The default of a parameter as a recipe says it; '' where it is an empty text. */
export function defaultText(param: Param): string {
    if (param.default === null)
        return '';
    if (param.type === 'switch')
        return param.default ? 'yes' : 'no';
    return Array.isArray(param.default) ? param.default.join('/') : String(param.default);
}

export function valueText(item: Item, param: Param): string {
    return item.values[param.name] ?? defaultText(param);
}

export function quote(text: string): string {
    return /^[\w.+\-/:]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

export function itemWords(item: Item): string {
    const values = Object.entries(item.values).map(([key, value]) => `${key}=${quote(value)}`);
    return [item.step, ...values].join(' ');
}

/** A line as the library prints it: each key with its value. */
export function itemFromLine(line: string): Item {
    const words = line.match(/(?:[^\s"]|"(?:[^"]|"")*")+/g) ?? [];
    const step = findStep(words[0] ?? ''), values: Record<string, string> = {};
    for (const word of words.slice(1)) {
        const at = word.indexOf('='), key = word.slice(0, at);
        let value = word.slice(at + 1);
        if (value.startsWith('"'))
            value = value.slice(1, -1).replaceAll('""', '"');
        const param = step?.parameters.find(({ name }) => name === key);
        if (param && !sameValue(param, value, defaultText(param)))
            values[key] = value;
    }
    return { id: newId(), step: words[0] ?? '', values, on: true };
}

/** 3M and 3000000 are the same number. */
export function parseNumber(text: string): number {
    const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([kMG])?$/i.exec(text.trim());
    if (!match)
        return NaN;
    const scale = { k: 1e3, K: 1e3, M: 1e6, m: 1e6, G: 1e9, g: 1e9 }[match[2] ?? ''] ?? 1;
    return Number(match[1]) * scale;
}

export function sameValue(param: Param, a: string, b: string): boolean {
    if (a === b)
        return true;
    if (param.type === 'real' || param.type === 'int' || param.type === 'count')
        return Math.fround(parseNumber(a)) === Math.fround(parseNumber(b));
    return false;
}

/** A recipe file. Steps that are switched off are comments that the page knows. */
export function recipeText(items: Item[]): string {
    return items.map((item) => (item.on ? '' : OFF) + itemWords(item)).join('\n') + '\n';
}

/** The same recipe with every step on, and which of its lines were off. Only the page's own files have such lines,
 *  with a step a line. */
export function splitOff(text: string): { text: string; off: Set<number> } {
    const off = new Set<number>();
    if (!text.includes(OFF))
        return { text, off };
    const lines = text.split('\n').filter((line) => line.trim() !== '' && (line.startsWith(OFF) || !line.startsWith('#')));
    lines.forEach((line, i) => line.startsWith(OFF) && off.add(i));
    return { text: lines.map((line) => line.replace(OFF, '')).join('\n'), off };
}

/** What runs: the steps that are on and do more than write files. `place` of each is its place in the list. */
export function runnable(items: Item[]): Item[] {
    return items.filter((item) => {
        const step = findStep(item.step);
        return item.on && step && !writesFiles(step);
    });
}

const scaled = (text: string, by: number, least: number): string => {
    const number = parseNumber(text);
    return Number.isFinite(number) ? String(Math.max(least, Math.round(number * by))) : text;
};

/** The most cells along a side that the steps ask for; 0: not to be said (a file). */
export function sideOf(items: Item[]): number {
    let side = 512;
    for (const item of items) {
        const step = findStep(item.step);
        if (item.step === 'open')
            side = 0;
        if (!step?.resizes)
            continue;
        const of = (name: string) => {
            const param = step.parameters.find((p) => p.name === name);
            return param ? parseNumber(valueText(item, param)) : NaN;
        };
        const found = [of('size'), of('width'), of('height')].filter(Number.isFinite);
        if (item.step !== 'crop' && found.length > 0)
            side = Math.max(...found);
    }
    return side;
}

/** The same land with about `side` cells along a side, for a quick look. */
export function preview(items: Item[], side: number): { lines: string[]; items: Item[] } {
    const whole = sideOf(items), by = whole > side ? side / whole : 1;
    const lines: string[] = [], of: Item[] = [];
    for (const item of items) {
        const step = findStep(item.step)!;
        of.push(item);
        if (by < 1 && step.resizes) {
            const values = { ...item.values };
            for (const param of step.parameters) {
                const text = valueText(item, param);
                if (param.unit === 'cells' && text !== 'auto')
                    values[param.name] = scaled(text, by, param.min ?? 0);
                else if (text.endsWith('cells'))
                    values[param.name] = `${scaled(text.slice(0, -'cells'.length), by, 0)}cells`;
                if (param.name === 'cell' && item.step === 'terrain')
                    values.cell = String(parseNumber(text) / by);
            }
            lines.push(itemWords({ ...item, values }));
            continue;
        }
        lines.push(itemWords(item));
        if (item.step === 'open') {
            lines.push(`resize size=${side}`);
            of.push(item);
        }
    }
    return { lines, items: of };
}

/** A few words on what a step is set to. */
export function summary(item: Item, step: Step): string {
    const first = step.parameters.filter((p) => p.type !== 'seed' && p.type !== 'text');
    const changed = first.filter((p) => p.name in item.values);
    const shown = (changed.length > 0 ? changed : first.filter((p) => p.default !== 'auto' && p.default !== '' && p.default !== null)).slice(0, 2);
    return shown.map((p) => (p.type === 'choice' && !changed.length ? valueText(item, p)
        : `${p.name.replaceAll('_', ' ')} ${shortValue(p, valueText(item, p))}`)).join(', ');
}

export function shortValue(param: Param, text: string): string {
    const number = parseNumber(text);
    if (!Number.isFinite(number) || !['real', 'int', 'count'].includes(param.type))
        return text;
    return `${shortNumber(number)}${param.unit && !param.unit.includes('/') && param.unit !== 'cells' ? `${param.unit === 'deg' ? '' : ' '}${unitText(param.unit)}` : ''}`;
}

export function shortNumber(n: number): string {
    const size = Math.abs(n);
    if (size >= 1e9)
        return `${+(n / 1e9).toPrecision(3)}G`;
    if (size >= 1e6)
        return `${+(n / 1e6).toPrecision(3)}M`;
    if (size >= 1e4)
        return `${+(n / 1e3).toPrecision(4)}k`;
    return String(+n.toPrecision(4));
}

export function unitText(unit: string): string {
    return unit.replace('deg', '°').replace('m3', 'm³').replace('m2', 'm²').replace('km2', 'km²').replace('s2', 's²');
}
