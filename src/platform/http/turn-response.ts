import { type IncomingMessage, ServerResponse } from 'node:http';

type Done = (error?: Error | null) => void;

/**
 * Writes the whole answers of one turn of the event loop at its end, one right after the other. Written in between, each
 * wakes its reader, who has fallen asleep again by the next, and that costs more than most of what is done for an answer.
 * What comes in pieces (streams, files, forwarded bodies) is written as it comes.
 */
export class TurnResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #isBegun = false;
  #isEnded = false;
  #body: unknown;
  #encoding: BufferEncoding | undefined;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  override write(chunk: unknown, encoding?: BufferEncoding | Done, done?: Done): boolean {
    this.#isBegun = true;
    return Reflect.apply(super.write, this, [chunk, encoding, done]);
  }

  override end(body?: unknown, encoding?: BufferEncoding | Done | null, done?: Done | null): this {
    if (this.#isEnded) return this;
    const isWhole = !this.#isBegun && this.headersSent && isBody(body);
    // Who wants to be told when it is written is not kept waiting. What cannot be written is refused here and now.
    if (!isWhole || typeof encoding === 'function' || done)
      return Reflect.apply(super.end, this, [body, encoding, done]);
    this.#isEnded = true;
    this.#body = body;
    this.#encoding = encoding ?? undefined;
    if (ended.length === 0) setImmediate(writeTurn);
    ended.push(this);
    return this;
  }

  writeWhole(): void {
    if (this.#encoding === undefined) super.end(this.#body);
    else super.end(this.#body, this.#encoding);
  }
}

// As of any answer after `end`. Declared a property, so that the class itself cannot say it.
Object.defineProperty(TurnResponse.prototype, 'writableEnded', {
  get(this: TurnResponse) {
    return this.isEnded || this.finished;
  },
});

function isBody(body: unknown): boolean {
  return typeof body === 'string' || body === null || body === undefined || body instanceof Uint8Array;
}

let ended: TurnResponse[] = [];

function writeTurn(): void {
  const turn = ended;
  ended = [];
  for (const response of turn) response.writeWhole();
}
