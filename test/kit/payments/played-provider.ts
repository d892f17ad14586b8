import { randomUUID } from 'node:crypto';
import type { CaptureAnswer, PaymentProvider, ProviderPayment, ProviderRefund } from '#modules/payments/ports.ts';
import { readHint } from '#modules/payments/providers/sandbox/hint.ts';

/** A provider whose every word the test chooses: for what no card of the sandbox says. It keeps honest books beside. */
export interface PlayedProvider extends PaymentProvider {
  /** What it has, by payment key. */
  readonly books: Map<string, ProviderPayment>;
  /** Calls that came, in their order: `capture <key>`, `refund <key> <amount>`. */
  readonly calls: string[];
  /** Taken by the next captures: what they do and what is heard of it. */
  readonly captures: ('captures' | 'declines' | 'lost-before' | 'lost-after' | 'waits')[];
  /** Taken by the next refunds. */
  readonly refunds: ('done' | 'lost-after' | 'later' | 'refused')[];
  /** Nothing can be asked. */
  isAway: boolean;
  /** Runs before a capture acts. */
  beforeCapture: (paymentKey: string) => Promise<void>;
  /** What it has of an order's money now, of all payments for it. */
  moneyOf(orderId: string): number;
  refundsOf(orderId: string): readonly ProviderRefund[];
  /** Somebody refunds at its own console. */
  refundElsewhere(paymentKey: string, amountKrw: number): void;
  /** The buyer pays into the account; or a decline is taken back. */
  deposit(paymentKey: string): void;
  takeBack(paymentKey: string): void;
}

export function aPlayedProvider(): PlayedProvider {
  const books = new Map<string, ProviderPayment>();
  const heard = new Set<string>();
  const given = new Map<string, ProviderRefund>();
  const change = (key: string, by: Partial<ProviderPayment>) => {
    const known = books.get(key);
    if (known === undefined) throw new Error(`the provider has no payment ${key}`);
    const changed = { ...known, ...by };
    books.set(key, changed);
    return changed;
  };
  const paymentsOf = (orderId: string) => [...books.values()].filter((one) => one.orderId === orderId);
  const provider: PlayedProvider = {
    name: 'sandbox',
    clientKey: null,
    sdkUrl: null,
    minimumKrw: { card: 100, virtual_account: 200 },
    books,
    calls: [],
    captures: [],
    refunds: [],
    isAway: false,
    beforeCapture: async () => {},

    async capture(call): Promise<CaptureAnswer> {
      const { paymentKey, orderId, amountKrw, method } = call;
      provider.calls.push(`capture ${paymentKey}`);
      await provider.beforeCapture(paymentKey);
      if (provider.isAway) return { status: 'unknown', why: 'away' };
      const known = books.get(paymentKey);
      if (known !== undefined && heard.has(call.attemptId)) return { status: 'captured', payment: known };
      const act = provider.captures.shift() ?? 'captures';
      if (act === 'lost-before') return { status: 'unknown', why: 'lost before' };
      const base = { paymentKey, orderId, amountKrw, currency: 'KRW', method, refunds: [], account: null } as const;
      if (act === 'declines') {
        books.set(paymentKey, { ...base, status: 'failed', balanceKrw: 0, wasCaptured: false });
        return { status: 'declined', code: 'NO', reason: 'declined' };
      }
      if (act === 'waits') {
        const account = { bank: '우르르은행', number: '110-1', depositUntilMs: call.depositUntilMs ?? 0 };
        const payment = { ...base, account, status: 'waiting_for_deposit', balanceKrw: 0, wasCaptured: false } as const;
        books.set(paymentKey, payment);
        return { status: 'waiting_for_deposit', payment };
      }
      const payment = { ...base, status: 'captured', balanceKrw: amountKrw, wasCaptured: true } as const;
      books.set(paymentKey, payment);
      heard.add(call.attemptId);
      return act === 'lost-after' ? { status: 'unknown', why: 'lost after' } : { status: 'captured', payment };
    },

    async find(by) {
      if (provider.isAway) return { status: 'unknown', why: 'away' };
      const payment =
        'paymentKey' in by
          ? books.get(by.paymentKey)
          : [...books.values()].find(({ orderId }) => orderId === by.orderId);
      return payment === undefined ? { status: 'not_found' } : { status: 'found', payment };
    },

    async refund({ refundId, paymentKey, amountKrw, balanceKrw: believedKrw }) {
      provider.calls.push(`refund ${paymentKey} ${amountKrw}`);
      if (provider.isAway) return { status: 'unknown', why: 'away' };
      const known = books.get(paymentKey);
      const before = given.get(refundId);
      if (known !== undefined && before !== undefined)
        return { status: 'done', reference: before.reference, payment: known };
      const act = provider.refunds.shift() ?? 'done';
      if (act === 'later') return { status: 'later', code: 'BUSY', afterMs: null };
      if (act === 'refused') return { status: 'refused', code: 'NO', message: 'will not' };
      if (known === undefined || (amountKrw === null && known.balanceKrw === 0)) {
        // Nobody can take money by this key any more.
        const closed = known ?? {
          ...{
            paymentKey,
            orderId: '',
            amountKrw: 0,
            currency: 'KRW',
            method: 'card' as const,
            refunds: [],
            account: null,
          },
          ...{ balanceKrw: 0, wasCaptured: false },
        };
        const payment = { ...closed, status: 'expired' as const };
        books.set(paymentKey, payment);
        return { status: 'done', reference: refundId, payment };
      }
      const amount = amountKrw ?? known.balanceKrw;
      if (believedKrw !== null && believedKrw !== known.balanceKrw)
        return { status: 'refused', code: 'BALANCE_DIFFERS', message: 'another balance than believed' };
      if (amount > known.balanceKrw) return { status: 'refused', code: 'TOO_MUCH', message: 'more than is there' };
      const refund = { reference: randomUUID(), refundId, amountKrw: amount, atMs: Date.now() };
      given.set(refundId, refund);
      const balanceKrw = known.balanceKrw - amount;
      const status = balanceKrw === 0 ? ('refunded' as const) : known.status;
      const payment = change(paymentKey, { balanceKrw, status, refunds: [...known.refunds, refund] });
      return act === 'lost-after'
        ? { status: 'unknown', why: 'lost after' }
        : { status: 'done', reference: refund.reference, payment };
    },

    async list() {
      const items = [...books.values()].flatMap(({ paymentKey, orderId, amountKrw, wasCaptured, refunds }) => [
        ...(wasCaptured
          ? [{ reference: paymentKey, paymentKey, orderId, kind: 'captured' as const, amountKrw, atMs: Date.now() }]
          : []),
        ...refunds.map((one) => ({ ...one, paymentKey, orderId, kind: 'refunded' as const })),
      ]);
      return { items, nextCursor: null };
    },

    readHint,

    moneyOf: (orderId) => paymentsOf(orderId).reduce((sum, { balanceKrw }) => sum + balanceKrw, 0),
    refundsOf: (orderId) => paymentsOf(orderId).flatMap(({ refunds }) => refunds),
    refundElsewhere(paymentKey, amountKrw) {
      const { balanceKrw, refunds, status } = change(paymentKey, {});
      const refund = { reference: randomUUID(), refundId: null, amountKrw, atMs: Date.now() };
      const left = balanceKrw - amountKrw;
      change(paymentKey, {
        ...{ balanceKrw: left, refunds: [...refunds, refund], status: left === 0 ? 'refunded' : status },
      });
    },
    deposit(paymentKey) {
      const { amountKrw } = change(paymentKey, {});
      change(paymentKey, { status: 'captured', balanceKrw: amountKrw, wasCaptured: true });
    },
    takeBack(paymentKey) {
      change(paymentKey, { status: 'waiting_for_deposit', balanceKrw: 0 });
    },
  };
  return provider;
}
