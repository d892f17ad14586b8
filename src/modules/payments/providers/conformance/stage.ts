import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { PaymentMethod } from '../../domain/payment.ts';
import type { CaptureCall, PaymentProvider, ProviderPayment, RefundAnswer, RefundCall } from '../../ports.ts';

/** What the provider will do about one payment. `declines…`: the first word of the reason follows. */
export type Behaviour =
  | 'approves'
  | 'declines'
  | 'declines_funds'
  | 'declines_expired_card'
  | 'declines_limit'
  /** The first capture gets no answer and takes nothing; when it is repeated, the money is taken. */
  | 'times_out_before'
  /** The first capture gets no answer, but the money is taken. */
  | 'times_out_after'
  /** The first capture is answered (and the money taken) 65 s later, by the time of the stage. */
  | 'slow'
  /** The first capture is answered by a temporary error, and takes nothing. */
  | 'fails_once'
  /** It is captured as usual; the first refund gets no answer and moves nothing. */
  | 'refund_times_out_before'
  /** It is captured as usual; the first refund gets no answer, but the money goes back. */
  | 'refund_times_out_after';

export interface StagedOrder {
  readonly orderId: string;
  readonly amountKrw: number;
  readonly method: PaymentMethod;
}

/** A provider, its bad days in words of the port, and its time. One stage serves all tests of a file, one after the other. */
export interface ProviderStage {
  /**
   * With limits that only bound a hang, however busy the machine is. An answer that is lost is lost at once (a connection that is cut, a wait
   * that is not waited), so no test takes as long as a limit.
   */
  readonly provider: PaymentProvider;
  /** The same provider by an adapter whose limits are over within a second or two: for answers that do not come. */
  readonly hasty: PaymentProvider;
  /** What the buyer brings back from the provider's window: the key of a payment that can be captured. */
  keyFor(behaviour: Behaviour, order: StagedOrder): Promise<string>;
  /** The buyer pays into the virtual account. */
  deposit(paymentKey: string): Promise<void>;
  /** The bank takes the deposit back. */
  reverse(paymentKey: string): Promise<void>;
  /** Somebody refunds at the provider's own console. */
  refundElsewhere(paymentKey: string, amountKrw: number): Promise<void>;
  /** The provider's time, by which its deadlines and its list go. */
  now(): Promise<number>;
  /** Lets so much time pass, for the provider and for the adapter. It never goes back. */
  passTime(ms: number): Promise<void>;
  /** `refuses`: calls fail at once. `hangs`: they are never answered. */
  goAway(how: 'refuses' | 'hangs'): Promise<void>;
  comeBack(): Promise<void>;
  /** Bodies that the provider's webhooks about this payment have. */
  hintsAbout(payment: { readonly paymentKey: string; readonly orderId: string }): readonly unknown[];
  close(): Promise<void>;
}

export interface StageKit {
  readonly stage: ProviderStage;
  /** A payment that can be captured, and the call that does it. */
  order(behaviour?: Behaviour, changes?: { amountKrw?: number; method?: PaymentMethod }): Promise<CaptureCall>;
  /** Captured, by card. */
  captured(behaviour?: Behaviour, amountKrw?: number): Promise<CaptureCall>;
  /** Waiting for its deposit. */
  opened(amountKrw?: number): Promise<CaptureCall>;
  found(call: { readonly paymentKey: string }): Promise<ProviderPayment>;
  refundOf(call: CaptureCall, changes: Partial<RefundCall> & Pick<RefundCall, 'amountKrw'>): Promise<RefundCall>;
}

/** What nobody paid has no money and never had any. */
export const unpaid = { balanceKrw: 0, wasCaptured: false, refunds: [] };
/** States in which no money will come. */
export const endedUnpaid = ['failed', 'expired'];
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
/** Idempotency keys of providers are good for 15 days at the most. */
export const keyLifeMs = 15 * dayMs;

const buyersAccount = { bank: '088', number: '110123456789', holder: 'Kim Mina' };

export function useStage(makeStage: () => Promise<ProviderStage>): StageKit {
  let stage: ProviderStage | null = null;
  const kit: StageKit = {
    get stage() {
      if (stage === null) throw new Error('the stage is set before the first test');
      return stage;
    },
    async order(behaviour = 'approves', { amountKrw = 30_000, method = 'card' } = {}) {
      const order = { orderId: `order-${randomUUID()}`, amountKrw, method };
      return {
        ...order,
        attemptId: randomUUID(),
        paymentKey: await kit.stage.keyFor(behaviour, order),
        orderName: 'Two seats',
        depositUntilMs: method === 'virtual_account' ? (await kit.stage.now()) + 30 * minuteMs : null,
      };
    },
    async captured(behaviour = 'approves', amountKrw = 30_000) {
      const call = await kit.order(behaviour, { amountKrw });
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'captured' });
      return call;
    },
    async opened(amountKrw = 30_000) {
      const call = await kit.order('approves', { amountKrw, method: 'virtual_account' });
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'waiting_for_deposit' });
      return call;
    },
    async found({ paymentKey }) {
      const answer = await kit.stage.provider.find({ paymentKey });
      if (answer.status !== 'found') throw new Error(`the payment is ${answer.status}`);
      return answer.payment;
    },
    async refundOf({ paymentKey, method }, changes) {
      return {
        refundId: randomUUID(),
        paymentKey,
        balanceKrw: null,
        reason: 'cancelled by the buyer',
        account: method === 'virtual_account' ? buyersAccount : null,
        firstSentAtMs: await kit.stage.now(),
        ...changes,
      };
    },
  };
  beforeAll(async () => {
    stage = await makeStage();
  });
  afterAll(() => stage?.close());
  return kit;
}

export function done(answer: RefundAnswer): Extract<RefundAnswer, { status: 'done' }> {
  if (answer.status !== 'done') throw new Error(`the refund is not done: ${JSON.stringify(answer)}`);
  return answer;
}
