// engine.ts: what the page sees of an engine.
import type { Control, Event, Reply, Request } from './messages';

type Of<Kind extends Request['kind']> = Omit<Extract<Request, { kind: Kind }>, 'id'>;
export type Ask = { [Kind in Request['kind']]: Of<Kind> }[Request['kind']];
export type Answer<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>;

/** What the library found wrong, as a sentence. */
export class EngineError extends Error {
    constructor(sentence: string, readonly status: number) {
        super(sentence);
    }
}

export interface Engine {
    /** Rejects with an EngineError where the reply is `wrong`. */
    ask<Kind extends Reply['kind']>(request: Ask, buffers?: ArrayBuffer[]): Promise<Answer<Kind>>;
    /** To the run, scene or work in idle time of this number, and to no other. */
    control(run: number, wish: Control): void;
    /** The page has drawn a slice: the next may come. */
    seen(): void;
    end(): void;
}

export interface Listener {
    event(event: Event): void;
    /** The engine is gone, and its lands with it. */
    died(sentence: string): void;
}
