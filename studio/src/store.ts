// store.ts: the recipe that is being edited, with undo and redo, saved as it changes.
import type { Item } from './recipe';

export interface Doc {
    name: string;
    items: Item[];
}

/** A scene stands in the place of a land; '' is none. */
export interface Place {
    doc: Doc;
    selected: number;
}

const copy = (doc: Doc): Doc => structuredClone(doc);
const MOST = 200;

export class Store {
    doc: Doc = { name: '', items: [] };
    selected = 0;
    private past: Place[] = [];
    private future: Place[] = [];
    /** Of a drag: what was there before it. */
    private before: Place | null = null;

    constructor(private readonly changed: (isLive: boolean) => void) {}

    private place(): Place { return { doc: copy(this.doc), selected: this.selected }; }

    /** Changes the recipe in one edit that can be undone. */
    edit(change: (doc: Doc) => void): void {
        const before = this.before ?? this.place();
        this.before = null;
        change(this.doc);
        if (JSON.stringify(before.doc) !== JSON.stringify(this.doc)) {
            this.past.push(before);
            this.past.splice(0, this.past.length - MOST);
            this.future = [];
        }
        this.changed(false);
    }

    /** Changes it while something is dragged; the edit that follows is the one that counts. */
    drag(change: (doc: Doc) => void): void {
        this.before ??= this.place();
        change(this.doc);
        this.changed(true);
    }

    /** Another document: what was there can be undone, too. */
    replace(doc: Doc): void {
        this.edit((now) => Object.assign(now, copy(doc)));
    }

    /** The first one, which there is nothing before. */
    begin(doc: Doc): void {
        this.doc = copy(doc);
        this.selected = doc.items.at(-1)?.id ?? 0;
    }

    get canUndo(): boolean { return this.past.length > 0; }
    get canRedo(): boolean { return this.future.length > 0; }

    undo(): void { this.move(this.past, this.future); }
    redo(): void { this.move(this.future, this.past); }

    private move(from: Place[], to: Place[]): void {
        const place = from.pop();
        if (!place)
            return;
        to.push(this.place());
        this.doc = place.doc;
        if (!this.doc.items.some(({ id }) => id === this.selected))
            this.selected = place.selected;
        this.changed(false);
    }

    /** The name of the land as that of a file. */
    get fileName(): string { return this.doc.name.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'land'; }

    get item(): Item | undefined { return this.doc.items.find(({ id }) => id === this.selected); }
}

// ---- the address ----

async function squeeze(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** A recipe as the end of an address. */
export async function toAddress(text: string): Promise<string> {
    const bytes = await squeeze(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
    let binary = '';
    bytes.forEach((byte) => { binary += String.fromCharCode(byte); });
    return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Back; rejects where it is no such thing, or far more than a recipe. */
export async function fromAddress(text: string): Promise<string> {
    if (text.length > 100000)
        throw new Error('too long');
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const reader = new Blob([Uint8Array.from(binary, (c) => c.charCodeAt(0))]).stream()
        .pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const parts: Uint8Array[] = [];
    let size = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            break;
        size += value.length;
        if (size > 1 << 20) {
            await reader.cancel();
            throw new Error('too long');
        }
        parts.push(value);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await new Blob(parts as BlobPart[]).arrayBuffer());
}
