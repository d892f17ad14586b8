import { ApiProblem } from '../api/problem.ts';
import type { IntentKeys } from './intent-key.ts';

export interface IntentAttemptOptions<Result> {
  /** What is asked for; the same intent has the same key. */
  readonly intent: unknown;
  readonly keys: IntentKeys;
  send(idempotencyKey: string): Promise<Result>;
  wait(ms: number): Promise<void>;
  /** The answer of a key that was kept too long: what it once brought is over, and is wanted anew. */
  isOver?(result: Result): boolean;
}

/** A few quick repetitions cost nobody anything; then the visitor decides. */
const triesMax = 4;
const waitFirstMs = 400;
const waitMaxMs = 3_000;

/**
 * Asks for something until the outcome is known. What may have taken effect (a lost answer, a 503) is repeated with the same
 * key, now and after the next press. A clear no settles the intent.
 */
export async function attemptIntent<Result>(options: IntentAttemptOptions<Result>): Promise<Result> {
  const { intent, keys, send, wait, isOver = () => false } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      const result = await send(keys.keyFor(intent));
      keys.settle();
      if (isOver(result) && tries < triesMax) continue;
      return result;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      // A key of a former body, which only a page of an older release can have kept.
      const isMismatch = error.code === 'IDEMPOTENCY_MISMATCH';
      if (isMismatch || isClearNo(error)) keys.settle();
      if (tries >= triesMax || !(isMismatch || isWorthRepeating(error))) throw error;
      const askedMs = (error.retryAfterSeconds ?? 0) * 1_000;
      if (askedMs > waitMaxMs) throw error;
      await wait(Math.max(askedMs, waitFirstMs * 2 ** (tries - 1)));
    }
  }
}

function isWorthRepeating({ status, code }: ApiProblem): boolean {
  return (
    status === 0 ||
    status === 503 ||
    status === 502 ||
    status === 504 ||
    code === 'IDEMPOTENCY_IN_FLIGHT' ||
    code === 'SEATS_BUSY'
  );
}

/** Nothing was done, for sure. */
function isClearNo({ status, code }: ApiProblem): boolean {
  return status >= 400 && status < 500 && code !== 'IDEMPOTENCY_IN_FLIGHT';
}
