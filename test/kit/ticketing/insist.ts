import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './counter.ts';

const retryMs = 200;
const triesMax = 900;

/** Whether the same call has to be sent again to know how it ended. */
const isOpen = ({ status, code }: Answer<unknown>) =>
  status === 503 || code === 'IDEMPOTENCY_IN_FLIGHT' || code === 'SEATS_BUSY';

/**
 * Sends again after a broken connection, a 503, or a call that is still in flight, as any page would. An answer that says "again"
 * without saying when is noted in `unclear`.
 */
export async function insist<Body>(ask: () => Promise<Answer<Body>>, unclear: string[] = []): Promise<Answer<Body>> {
  for (let tried = 0; tried < triesMax; tried++) {
    const answer = await ask().catch(() => null);
    if (answer !== null && !isOpen(answer)) return answer;
    if (answer !== null && !(Number(answer.retryAfter) >= 1)) unclear.push(`no Retry-After: ${answer.text}`);
    await delay(retryMs);
  }
  throw new Error(`no answer after ${triesMax} tries`);
}
