// looks.ts: the ways to look at a land. What a view shows follows from the fields that the land has.
import type { Land } from './engine/messages';
import { parseNumber, type Item } from './recipe';

export interface Look {
    name: string;
    label: string;
    /** Fields it needs beside the heights. */
    fields: string[];
    /** Fields that the whole land comes with, but not a slice of a run. */
    also?: string[];
    ramp?: string;
    logarithmic?: boolean;
    /** Plain ground where the field is 0. */
    fades?: boolean;
    unit?: string;
    hint: string;
}

export const LOOKS: Look[] = [
    { name: 'natural', label: 'Natural', fields: ['water', 'flow'], also: ['eroded', 'deposited', 'layers'], hint: 'Grass, rock, woods, snow, streams and water' },
    { name: 'height', label: 'Height', fields: [], ramp: 'cividis', unit: 'm', hint: 'Height above 0 m' },
    { name: 'slope', label: 'Slope', fields: [], ramp: 'magma', unit: '°', hint: 'Angle of the ground' },
    { name: 'flow', label: 'Flow', fields: ['flow'], ramp: 'blues', logarithmic: true, hint: 'How much water has passed' },
    { name: 'eroded', label: 'Eroded', fields: ['eroded'], ramp: 'reds', fades: true, unit: 'm', hint: 'Ground that was taken away' },
    { name: 'deposited', label: 'Deposited', fields: ['deposited'], ramp: 'teals', fades: true, unit: 'm', hint: 'Ground that was laid down' },
    { name: 'water', label: 'Water', fields: ['water'], ramp: 'blues', fades: true, unit: 'm', hint: 'Depth of the water' },
    { name: 'sediment', label: 'Sediment', fields: ['sediment', 'water'], ramp: 'reds', fades: true, unit: 'm/m', hint: 'Sediment in the water, by its depth' },
    { name: 'velocity', label: 'Velocity', fields: ['velocity_x', 'velocity_y'], unit: 'm/s', hint: 'Hue: where the water goes. Strength: how fast' },
    { name: 'layers', label: 'Layers', fields: ['layers'], hint: 'What the ground is made of' },
    { name: 'mask', label: 'Mask', fields: ['mask'], ramp: 'teals', hint: 'How much steps act: 0 not at all, 1 fully' },
    { name: 'hardness', label: 'Hardness', fields: ['hardness'], ramp: 'reds', hint: 'How hard the ground is: 1 is not eroded' },
    { name: 'rain', label: 'Rain', fields: ['rain'], ramp: 'blues', hint: 'Where it rains: 0 not at all, 1 fully' },
    { name: 'original', label: 'Original', fields: [], hint: 'The land before anything eroded it' },
];

export const findLook = (name: string): Look => LOOKS.find((look) => look.name === name) ?? LOOKS[0];

/** Has the land what the view shows? */
export function isThere(look: Look, land: Land | null): boolean {
    return ['natural', 'height', 'slope', 'original'].includes(look.name)
        || (land !== null && look.fields.every((name) => (name === 'layers' ? land.layers.length > 1 : land.fields.includes(name))));
}

/** What covers natural land. */
export interface Cover { isDry: boolean; snow: number | null }

/** As the picture that the recipe makes of its land has it: the page runs no `render`, and looks as it would. */
export function coverOf(items: Item[]): Cover {
    const { look, snow = '' } = items.findLast(({ step, on }) => on && step === 'render')?.values ?? {};
    const line = parseNumber(snow);
    return { isDry: look === 'desert', snow: Number.isFinite(line) ? line : null };
}
