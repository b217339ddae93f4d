// ramps.ts: colours of fields. All but the hues of velocity can be told apart without seeing red and green: their
// lightness runs one way.

const STOPS: Record<string, string> = {
    viridis: '#440154 #472d7b #3b528b #2c728e #21918c #28ae80 #5ec962 #addc30 #fde725',
    cividis: '#00224e #123570 #3b496c #575d6d #707173 #8a8678 #a59c74 #c3b369 #e1cc55 #fee838',
    magma: '#1b1044 #4f127b #812581 #b5367a #e55064 #fb8761 #fec287 #fcfdbf',
    blues: '#e4eef7 #b9d5ea #83badb #4f9bcb #2a7ab9 #0f579f #08306b',
    reds: '#f6e9de #f3c9a8 #ee9d72 #de6a49 #bd3a31 #8a1528 #4d0519',
    teals: '#eef3e6 #cfe3c4 #9dcfae #64b5a0 #34958f #1a7178 #0b4a59',
};

export type RampName = keyof typeof STOPS;

function parse(hex: string): number[] {
    return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

/** 256 colours, four bytes each. */
export function rampPixels(name: string): Uint8Array<ArrayBuffer> {
    const stops = STOPS[name].split(' ').map(parse), out = new Uint8Array(256 * 4);
    for (let i = 0; i < 256; i++) {
        const t = (i / 255) * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2), f = t - k;
        for (let c = 0; c < 3; c++)
            out[4 * i + c] = stops[k][c] + f * (stops[k + 1][c] - stops[k][c]);
        out[4 * i + 3] = 255;
    }
    return out;
}

export function rampCss(name: string): string {
    return `linear-gradient(90deg, ${STOPS[name].split(' ').join(', ')})`;
}
