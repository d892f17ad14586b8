import { setTimeout as delay } from 'node:timers/promises';

export interface RetryOptions {
  /** Further tries after the first. */
  readonly times: number;
  /** Before the first further try; doubled each time. */
  readonly backoffMs: number;
  readonly retryable: (error: unknown) => boolean;
}

/** For idempotent work only: the first try may have taken effect although it failed. */
export async function retry<Result>(work: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  for (let tried = 0; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried >= options.times || !options.retryable(error)) throw error;
      await delay(options.backoffMs * 2 ** tried);
    }
  }
}
