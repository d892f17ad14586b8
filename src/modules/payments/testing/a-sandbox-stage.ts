import { randomBytes } from 'node:crypto';
import { platformErrors } from '#platform/errors.ts';
import type { Database } from '#platform/postgres/database.ts';
import { sandboxKey } from '../domain/sandbox-cards.ts';
import type { ProviderStage } from '../providers/conformance.ts';
import { createSandboxProvider } from '../providers/sandbox/index.ts';
import { aSandboxDatabase } from './a-sandbox-database.ts';

/** Guards against a hang. Delays are not waited for, but by the hasty one. */
const generous = { captureMs: 120_000, findMs: 120_000, refundMs: 120_000, listMs: 120_000 };
const short = { captureMs: 500, findMs: 500, refundMs: 500, listMs: 500 };

/** The sandbox is as far away as its database. */
export async function aSandboxStage(): Promise<ProviderStage> {
  const { database, now, passTime } = await aSandboxDatabase();
  let away: 'refuses' | 'hangs' | null = null;
  const reached: Database = {
    ...database,
    async query(...call: Parameters<Database['query']>) {
      if (away === 'refuses') throw platformErrors.fault('DATABASE_UNAVAILABLE');
      if (away === 'hangs') await new Promise(() => {});
      return database.query(...call);
    },
  } as Database; // `query` is generic in its rows; it hands on what it is given.
  const provider = createSandboxProvider({ database: reached, limits: generous, pageMax: 4, pause: async () => {} });
  const orderOf = async (paymentKey: string) => {
    const answer = await provider.find({ paymentKey });
    if (answer.status !== 'found') throw new Error('there is no such payment');
    return answer.payment.orderId;
  };
  const moved = (done: boolean) => {
    if (!done) throw new Error('no money moved');
  };

  return {
    provider,
    hasty: createSandboxProvider({ database: reached, limits: short }),
    keyFor: async (behaviour) => sandboxKey(behaviour, randomBytes(16).toString('hex')),
    deposit: async (paymentKey) => moved(await provider.deposit(await orderOf(paymentKey))),
    reverse: async (paymentKey) => moved(await provider.reverse(await orderOf(paymentKey))),
    refundElsewhere: async (paymentKey, amountKrw) => moved(await provider.refundElsewhere({ paymentKey, amountKrw })),
    now,
    passTime,
    async goAway(how) {
      away = how;
    },
    async comeBack() {
      away = null;
    },
    hintsAbout: (payment) => [{ type: 'payment.changed', ...payment, status: 'captured' }],
    async close() {},
  };
}
