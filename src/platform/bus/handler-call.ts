import { withTimeout } from '../resilience/timeout.ts';
import type { Consumer, ConsumerContext, Envelope } from './port.ts';

export const handlerTimeoutDefaultMs = 20_000;

/** The handler has thrown this, or has used up its time. `cause` may be anything. */
export class HandlerFailure extends Error {
  override readonly name = 'HandlerFailure';

  constructor(thrown: unknown) {
    super('a handler failed', { cause: thrown });
  }
}

/**
 * Calls the handler and gives it its time. Afterwards its signal aborts and what it still does is without effect: the
 * transaction is over, and nobody listens to what it throws.
 */
export async function callHandler(
  consumer: Consumer,
  events: readonly Envelope[],
  context: Omit<ConsumerContext, 'signal'>,
  /** By `performance.now()`. */
  until: number,
): Promise<void> {
  const timeoutMs = consumer.declaration.handlerTimeoutMs ?? handlerTimeoutDefaultMs;
  const tooLong = () => new Error(`the handler took longer than ${timeoutMs} ms`);
  const leftMs = until - performance.now();
  if (leftMs <= 0) throw new HandlerFailure(tooLong());
  const outOfTime = new AbortController();
  const handled = (async () => consumer.handle(events, { ...context, signal: outOfTime.signal }))();
  try {
    await withTimeout(handled, leftMs, () => {
      const error = tooLong();
      outOfTime.abort(error);
      return error;
    });
  } catch (thrown) {
    throw new HandlerFailure(thrown);
  }
}
