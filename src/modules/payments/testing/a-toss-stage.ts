import type { ProviderStage } from '../providers/conformance.ts';
import { aFakeToss } from './a-fake-toss.ts';

/** Toss's adapter on the fake Toss. Going away is a real stop, coming back a real restart. */
export async function aTossStage(): Promise<ProviderStage> {
  const staged = await aFakeToss();
  const { time, provider, hasty } = staged;
  return {
    provider,
    hasty,
    async keyFor(behaviour, { orderId, amountKrw: amount, method }) {
      return staged.fake.control.pay({
        ...{ orderId, amount, behaviour, method: method === 'card' ? 'CARD' : 'VIRTUAL_ACCOUNT', dueInMs: 30 * 60_000 },
      });
    },
    deposit: async (paymentKey) => staged.fake.control.deposit(paymentKey),
    reverse: async (paymentKey) => staged.fake.control.reverse(paymentKey),
    refundElsewhere: async (paymentKey, amountKrw) => staged.fake.control.refund(paymentKey, amountKrw),
    now: async () => time.now(),
    passTime: async (ms) => staged.fake.control.advance(ms),
    async goAway(how) {
      if (how === 'hangs') staged.fake.control.setMode('hangs');
      else await staged.stop();
    },
    async comeBack() {
      await staged.start();
      staged.fake.control.setMode('up');
    },
    hintsAbout: ({ paymentKey, orderId }) => [
      {
        eventType: 'PAYMENT_STATUS_CHANGED',
        createdAt: '2027-03-01T20:00:00',
        data: { paymentKey, orderId, status: 'DONE' },
      },
      { createdAt: '2027-03-01T20:00:00', secret: 'ps_1', orderId, status: 'DONE', transactionKey: 'tx_1' },
    ],
    async close() {
      await staged.stop();
    },
  };
}
