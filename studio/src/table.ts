// table.ts: the table of steps, as `ravine help --json` prints it.
import given from 'virtual:table';

export interface Option { name: string; help: string }

export interface Param {
    name: string;
    type: 'real' | 'int' | 'count' | 'seed' | 'switch' | 'choice' | 'text' | 'file' | 'vector';
    default: number | string | boolean | number[] | null;
    auto: boolean;
    required: boolean;
    min?: number;
    max?: number;
    writes?: boolean;
    in_cells?: boolean;
    unit: string;
    help: string;
    options?: Option[];
}

export interface Word { name: string; sentence: string; parameters: Param[] }

export interface Step extends Word {
    kind: string;
    source: string;
    reads: string[];
    writes: string[];
    resizes: boolean;
}

export interface Field { name: string; unit: string; meaning: string }

export interface Table {
    version: string;
    kinds: { name: string; text: string }[];
    fields: Field[];
    steps: Step[];
    scene_words: Word[];
}

export const table = given as Table;
const byName = new Map(table.steps.map((step) => [step.name, step]));

/** The scenes that there are, each with a sentence. */
export const presets = table.scene_words.find(({ name }) => name === 'preset')?.parameters[0].options ?? [];

export const findStep = (name: string): Step | undefined => byName.get(name);

/** A step that only writes files. The page has its own ways to do that: it keeps such steps in the recipe and does
 *  not run them. */
export function writesFiles(step: Step): boolean {
    return step.kind === 'show' && step.parameters.some((param) => param.writes && param.required);
}
