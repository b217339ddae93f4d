// machine_engine.ts: the library on this machine, behind `ravine studio`: the same messages over HTTP.
import { EngineError, type Answer, type Ask, type Engine, type Listener } from './engine';
import { pack, packedLength, unpack, type Control, type Event, type Reply } from './messages';

const KEPT = 'ravine-token';

/** The token of the address that the program opened. It is taken out of the address, so that no link has it, and kept
 *  for as long as this tab is open. '': the page does not come from the program. */
export function takeToken(): string {
    const given = new URLSearchParams(location.search).get('token');
    if (given) {
        sessionStorage.setItem(KEPT, given);
        history.replaceState(null, '', location.pathname + location.hash);
    }
    return sessionStorage.getItem(KEPT) ?? '';
}

export class MachineEngine implements Engine {
    private readonly session = crypto.getRandomValues(new Uint32Array(1))[0];
    private readonly ending = new AbortController();
    private readonly opened: Promise<void>;
    private next = 1;
    private dead = false;

    constructor(private readonly token: string, private readonly listener: Listener) {
        this.opened = this.listen();
    }

    private fetch(path: string, more: RequestInit): Promise<Response> {
        return fetch(new URL(`${path}?session=${this.session}`, document.baseURI),
            { ...more, signal: this.ending.signal, headers: { 'X-Ravine-Token': this.token } });
    }

    private die(why: string): void {
        if (this.dead)
            return;
        this.end();
        this.listener.died(why);
    }

    /** Resolves when events come; then goes on with them. */
    private async listen(): Promise<void> {
        const response = await this.fetch('events', {});
        if (!response.ok || !response.body)
            throw new EngineError((await response.text()) || 'This machine does not answer.', 0);
        void this.read(response.body.getReader()).catch(() => {}).then(() => this.die('it does not answer any more'));
    }

    /** Parts are put together once a message is whole: it may have many. */
    private async read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
        let parts: Uint8Array[] = [], held = 0, wanted = 4;
        for (;;) {
            const { done, value } = await reader.read();
            if (done)
                return;
            parts.push(value);
            held += value.length;
            while (held >= wanted) {
                const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()), size = packedLength(bytes);
                parts = [bytes];
                if (size > 0 && held >= size) {
                    if (!this.dead)
                        this.listener.event(unpack<Event>(bytes.subarray(0, size)));
                    parts = [bytes.subarray(size)];
                    held -= size;
                    wanted = 4;
                } else
                    wanted = Math.max(size, held + 1);
            }
        }
    }

    async ask<Kind extends Reply['kind']>(request: Ask, buffers: ArrayBuffer[] = []): Promise<Answer<Kind>> {
        await this.opened;
        let reply: Reply;
        try {
            const response = await this.fetch('message', { method: 'POST', body: pack({ ...request, id: this.next++, buffers } as never) });
            if (!response.ok)
                throw new EngineError(await response.text(), 0);
            reply = unpack<Reply>(new Uint8Array(await response.arrayBuffer()));
        } catch (error) {
            if (error instanceof EngineError)
                throw error;
            this.die('it does not answer any more');
            throw new EngineError('The engine has stopped.', 0);
        }
        if (reply.kind === 'wrong')
            throw new EngineError(reply.sentence, reply.status);
        return reply as Answer<Kind>;
    }

    control(run: number, wish: Control): void { void this.ask({ kind: 'control', run, do: wish }).catch(() => {}); }
    seen(): void {}

    end(): void {
        this.dead = true;
        this.ending.abort();
    }
}
