import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#platform/clock.ts';
import { atEnd } from '#test/kit/at-end.ts';
import type { PaymentProvider } from '../ports.ts';
import { type FakeToss, type FakeTossOptions, startFakeToss } from '../providers/toss/fake/server.ts';
import { createFakeTime, type FakeTime } from '../providers/toss/fake/time.ts';
import { createTossProvider, type TossDeps } from '../providers/toss/index.ts';

/** Guards against a hang, however busy the machine is. */
const generous = { captureMs: 120_000, findMs: 120_000, refundMs: 120_000, listMs: 120_000 };
const short = { captureMs: 1_000, findMs: 1_000, refundMs: 1_000, listMs: 1_000 };

export interface StagedToss {
  /** The one that runs now. */
  readonly fake: FakeToss;
  readonly time: FakeTime;
  /** Goes by the fake's time. */
  readonly clock: Clock;
  readonly provider: PaymentProvider;
  /** Gives up within a second. */
  readonly hasty: PaymentProvider;
  adapter(changes?: Partial<TossDeps>): PaymentProvider;
  stop(): Promise<void>;
  /** On the same port, with what it knew. */
  start(): Promise<void>;
}

/** A fake Toss on a free port, whose time stands still until the test lets it pass, and adapters that speak to it. */
export async function aFakeToss({
  standsStill = true,
  ...options
}: { standsStill?: boolean } & FakeTossOptions = {}): Promise<StagedToss> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-toss-'));
  const time = createFakeTime(standsStill ? { standsAtMs: Date.parse('2027-03-01T11:00:00.000Z') } : {});
  const statePath = join(folder, 'state.json');
  let fake = await startFakeToss({ ...options, time, statePath });
  let isUp = true;
  const { url, port, sdkUrl, secretKey, clientKey } = fake;
  const clock: Clock = { now: () => time.now(), monotonicMs: () => performance.now() };
  const adapter = (changes: Partial<TossDeps> = {}) =>
    createTossProvider({ ...{ url, sdkUrl, secretKey, clientKey, clock, limits: generous, pageMax: 4 }, ...changes });
  const staged: StagedToss = {
    get fake() {
      return fake;
    },
    ...{ time, clock, adapter, provider: adapter(), hasty: adapter({ limits: short }) },
    async stop() {
      if (isUp) await fake.stop();
      isUp = false;
    },
    async start() {
      if (!isUp)
        fake = await startFakeToss({ ...options, webhookUrl: fake.control.webhookUrl(), port, time, statePath });
      isUp = true;
    },
  };
  atEnd(async () => {
    await staged.stop();
    await rm(folder, { recursive: true });
  });
  return staged;
}
