import { expect, test } from 'vitest';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { aClock } from '#test/kit/clock.ts';
import { eventually } from '#test/kit/faults.ts';
import type { AdmissionNotice } from '../deps.ts';
import { createNoticeBuffer, type NoticeLimits, type SendOutcome } from './notice-buffer.ts';

const soon = { withinMs: 30_000, what: 'the buffer to send' };
const users = (batch: readonly AdmissionNotice[]) => batch.map(({ userId }) => userId);

function aBuffer(
  answer: (batch: readonly AdmissionNotice[], call: number) => Promise<Partial<SendOutcome>>,
  limits: Partial<NoticeLimits> = {},
) {
  const clock = aClock();
  const metrics = createMetrics();
  const sent: string[][] = [];
  const state = { closed: 0 };
  const buffer = createNoticeBuffer({
    ...{ clock, random: systemRandom, logger: silentLogger, metrics },
    transport: {
      batchMax: 3,
      async send(batch) {
        sent.push(users(batch));
        return { again: [], refused: [], ...(await answer(batch, sent.length)) };
      },
      close() {
        state.closed += 1;
      },
    },
    limits: { backOffMs: { first: 1, max: 5 }, flushMs: 50, ...limits },
  });
  return {
    buffer,
    clock,
    sent,
    state,
    tell(...names: string[]) {
      for (const userId of names) buffer.admitted({ eventId: 'event', userId, entryToken: 't', atMs: clock.now() });
    },
    async counts() {
      const { values } = (await metrics.registry.getSingleMetric('urr_queue_notices_total')?.get()) ?? { values: [] };
      return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
    },
  };
}

test('what comes in one turn of the event loop goes out in full batches, one after the other', async () => {
  let underWay = 0;
  let mostUnderWay = 0;
  const { tell, sent } = aBuffer(async () => {
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    await new Promise((done) => setTimeout(done, 2));
    underWay -= 1;
    return {};
  });
  tell('a', 'b', 'c', 'd', 'e', 'f', 'g');
  await eventually(() => sent.length === 3, soon);
  expect(sent).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
  expect(mostUnderWay).toBe(1);
});

test('of a batch only what was not taken goes out again, before all others; what is refused for good does not', async () => {
  const { tell, sent, counts } = aBuffer(async (batch, call) => {
    const [first, second] = batch;
    if (call > 1 || first === undefined || second === undefined) return {};
    return { again: [second], refused: [{ notice: first, reason: 'InvalidMessageContents' }] };
  });
  tell('a', 'b', 'c', 'd', 'e');
  await eventually(() => sent.flat().includes('e'), soon);
  expect(sent).toEqual([
    ['a', 'b', 'c'],
    ['b', 'd', 'e'],
  ]);
  await eventually(async () => (await counts()).sent === 4, soon);
  expect(await counts()).toEqual({ sent: 4, refused: 1 });
});

test('what has waited too long is dropped unsent', async () => {
  const { tell, sent, clock, counts } = aBuffer(
    async (_, call) => {
      if (call > 1) return {};
      clock.advance(240_001);
      throw new Error('away');
    },
    { backOffMs: { first: 20, max: 20 } },
  );
  tell('a', 'b');
  await eventually(() => sent.length === 1, soon);
  tell('c');
  await eventually(async () => (await counts()).sent === 1, soon);
  expect(sent).toEqual([['a', 'b'], ['c']]);
  expect(await counts()).toEqual({ late: 2, sent: 1 });
});

test('a failed batch comes back into a full buffer as its oldest, and gives way', async () => {
  let fail: (error: Error) => void = () => undefined;
  const { tell, sent, counts } = aBuffer(
    (_, call) => (call === 1 ? new Promise((_done, failed) => (fail = failed)) : Promise.resolve({})),
    { bufferMax: 4 },
  );
  tell('a', 'b', 'c');
  await eventually(() => sent.length === 1, soon);
  tell('d', 'e', 'f');
  fail(new Error('away'));
  await eventually(async () => (await counts()).sent === 4, soon);
  expect(sent).toEqual([['a', 'b', 'c'], ['c', 'd', 'e'], ['f']]);
  expect(await counts()).toEqual({ full: 2, sent: 4 });
});

test('stopping during an outage tries once more and then gives up', async () => {
  const { buffer, tell, sent, state, counts } = aBuffer(() => Promise.reject(new Error('away')), {
    backOffMs: { first: 60_000, max: 60_000 },
    flushMs: 10_000,
  });
  tell('a', 'b');
  await eventually(() => sent.length === 1, soon);
  await Promise.all([buffer.stop(), buffer.stop()]);
  expect(sent).toHaveLength(2);
  expect(await counts()).toEqual({ stopped: 2 });
  expect(state.closed).toBe(1);
});
