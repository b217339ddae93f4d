// dom.ts: elements in a line.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

export function h<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(props)) {
        if (value === undefined || value === null || value === false)
            continue;
        if (key.startsWith('on'))
            element.addEventListener(key.slice(2), value as EventListener);
        else if (key in element && !key.includes('-') && key !== 'list' && key !== 'role')
            (element as unknown as Props)[key] = value;
        else
            element.setAttribute(key, value === true ? '' : String(value));
    }
    element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
    return element;
}

const PATHS: Record<string, string> = {
    play: 'M4.5 2.8v10.4L13 8z',
    pause: 'M4 3h2.8v10H4zM9.2 3H12v10H9.2z',
    slice: 'M3 3v10l6-5zM10.5 3H13v10h-2.5z',
    keep: 'M3.5 3.5h9v9h-9z',
    undo: 'M6.2 3 3 6.2l3.2 3.2M3.4 6.2h6a3.6 3.6 0 0 1 0 7.2H6',
    redo: 'M9.8 3 13 6.2 9.8 9.4M12.6 6.2h-6a3.6 3.6 0 0 0 0 7.2H10',
    plus: 'M8 3v10M3 8h10',
    close: 'm4 4 8 8m0-8-8 8',
    tick: 'm3 8.500 3.300 3.300L13 4.800',
    eye: 'M1.5 8S4 3.6 8 3.6 14.5 8 14.5 8 12 12.4 8 12.4 1.5 8 1.5 8zM8 6.1a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8z',
    off: 'M2.5 2.5l11 11M3.4 5.2C2.2 6.4 1.5 8 1.5 8S4 12.4 8 12.4c1 0 1.900-.2 2.700-.6M6.200 3.900C6.800 3.700 7.400 3.600 8 3.600c4 0 6.500 4.400 6.500 4.400s-.5 1-1.500 2',
    copy: 'M5.500 5.500h8v8h-8zM3 10.500h-.5v-8h8V3',
    trash: 'M3 4.500h10M6 4.500V3h4v1.500M4.200 4.500l.6 8.500h6.400l.6-8.500',
    dots: 'M3.500 8h.01M8 8h.01M12.500 8h.01',
    dice: 'M3 3h10v10H3zM6 6h.01M10 10h.01M8 8h.01M10 6h.01M6 10h.01',
    theme: 'M8 2.500a5.500 5.500 0 1 0 5.500 5.500A4.200 4.200 0 0 1 8 2.500z',
    walk: 'M9 3.100h.01M7 14l1.500-4-1.700-1.800L8 5.500l2.200 2 2 .5M5 8.500 6 6l2-.5M9.800 14l-.8-3',
    sun: 'M8 5.200a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600zM8 1.500v1.200M8 13.300v1.200M1.500 8h1.200M13.300 8h1.200M3.400 3.400l.8.8M11.800 11.800l.8.8M12.600 3.400l-.8.8M4.200 11.800l-.8.8',
    frame: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
    help: 'M6 6a2 2 0 1 1 2.800 1.800c-.6.3-.8.7-.8 1.400M8 11.700h.01',
    grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
    compare: 'M3 4h10v8H3zM8 2v12',
    link: 'M6.500 9.500l3-3M7 4.500l1.500-1.500a2.800 2.800 0 0 1 4 4L11 8.500M9 11.500 7.500 13a2.800 2.800 0 0 1-4-4L5 7.500',
    brush: 'M13 3 7.500 8.500M6.500 8.500c-2 0-2 2.200-3.500 3.500 2 .8 5 .3 5-2z',
};
const FILLED = new Set(['play', 'pause', 'slice', 'keep']);

/** A drawing of 16 by 16, for the eye only. */
export function icon(name: string): SVGElement {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    svg.classList.add('icon', ...(FILLED.has(name) ? ['filled'] : []));
    const path = document.createElementNS(svg.namespaceURI, 'path');
    path.setAttribute('d', PATHS[name]);
    svg.append(path);
    return svg as SVGElement;
}

/** A button with a drawing and a name that is read out. */
export function iconButton(name: string, label: string, onclick: (event: MouseEvent) => void, more: Props = {}): HTMLButtonElement {
    return h('button', { type: 'button', class: 'icon-button', className: 'icon-button', 'aria-label': label, title: label, onclick, ...more }, icon(name));
}

export function download(name: string, data: Blob | ArrayBuffer | string): void {
    const blob = data instanceof Blob ? data : new Blob([data]);
    const link = h('a', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const numbers = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
export const pretty = (n: number): string => numbers.format(n);

export function metres(n: number): string {
    return Math.abs(n) >= 10000 ? `${pretty(n / 1000)} km` : `${numbers.format(+n.toFixed(Math.abs(n) < 10 ? 2 : 0))} m`;
}

export function cubic(n: number): string {
    const [size, unit] = n >= 1e7 ? [n / 1e9, 'km³'] : n >= 0.01 || n === 0 ? [n, 'm³'] : n >= 1e-6 ? [n * 1e6, 'cm³'] : [n * 1e9, 'mm³'];
    return `${numbers.format(+size.toPrecision(3))} ${unit}`;
}

export function duration(ms: number): string {
    return ms < 1 ? '<1 ms' : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
}
