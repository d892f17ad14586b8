import type { Clock } from '#platform/clock.ts';
import type { ProviderLimits } from '../limits.ts';
import type { TossAnswer, TossHttp } from './http.ts';
import { type TossView, viewOf } from './payment.ts';

export type Looked =
  | { readonly status: 'found'; readonly view: TossView }
  | { readonly status: 'not_found' }
  | { readonly status: 'unknown'; readonly why: string };

/** What capture, find, refund and list have in common. */
export interface Asking {
  readonly clock: Clock;
  readonly limits: ProviderLimits;
  readonly http: TossHttp;
  readonly keys: IdempotencyKeys;
  look(by: { readonly paymentKey: string } | { readonly orderId: string }, limitMs: number): Promise<Looked>;
}

/** Of one payment, however often it was cancelled. */
export const paymentBytesMax = 1_000_000;
/** Anything else is no key of Toss, and must not become part of an address. */
const nameForm = /^[\w=-]{1,200}$/;

export function createAsking(parts: Pick<Asking, 'clock' | 'limits' | 'http'>): Asking {
  return {
    ...parts,
    keys: createIdempotencyKeys(),
    async look(by, limitMs) {
      const name = 'paymentKey' in by ? by.paymentKey : by.orderId;
      if (!nameForm.test(name)) return { status: 'not_found' };
      const path = 'paymentKey' in by ? `/v1/payments/${name}` : `/v1/payments/orders/${name}`;
      const answer = await parts.http({ method: 'GET', path, limitMs, bytesMax: paymentBytesMax });
      switch (answer.status) {
        case 'ok':
          return viewIn(answer.body);
        case 'error':
          // Of a query this is the answer. Whether there will be such a payment it does not say.
          return answer.code === 'NOT_FOUND_PAYMENT'
            ? { status: 'not_found' }
            : { status: 'unknown', why: whyOf(answer) };
        case 'silent':
          return { status: 'unknown', why: answer.why };
      }
    },
  };
}

export function isTossName(text: string): boolean {
  return nameForm.test(text);
}

/** A payment that cannot be read is one of which nothing is known. */
export function viewIn(body: unknown): Exclude<Looked, { status: 'not_found' }> {
  try {
    return { status: 'found', view: viewOf(body) };
  } catch (error) {
    return { status: 'unknown', why: (error as Error).message };
  }
}

export function whyOf(answer: Exclude<TossAnswer, { status: 'ok' }>): string {
  return answer.status === 'silent' ? answer.why : `${answer.code}: ${answer.message}`;
}

export interface IdempotencyKeys {
  /** The key for the next try. */
  of(id: string): string;
  hasFailed(id: string): boolean;
  /** Toss answered, and with an error that may pass. */
  failed(id: string): void;
}

const rememberedMax = 10_000;

/**
 * Toss gives the first answer to a key again for 15 days, also where that was an error which has passed. So a try after such an answer has a
 * key of its own. It is safe for a confirmation, since a payment key can only be confirmed once; a refund looks at the payment before.
 */
function createIdempotencyKeys(): IdempotencyKeys {
  const failures = new Map<string, number>();
  return {
    of: (id) => (failures.has(id) ? `${id}.${failures.get(id)}` : id),
    hasFailed: (id) => failures.has(id),
    failed(id) {
      const count = (failures.get(id) ?? 0) + 1;
      failures.delete(id);
      failures.set(id, count);
      if (failures.size <= rememberedMax) return;
      // A process that has forgotten gets the old answer once more, and then remembers again.
      const [oldest] = failures.keys();
      if (oldest !== undefined) failures.delete(oldest);
    },
  };
}
