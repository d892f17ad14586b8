import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { eventually } from '#test/kit/faults.ts';
import { aQueue } from './testing/a-queue.ts';
import { pastTheGate } from './testing/seats-behind.ts';

interface Line {
  readonly msg: string;
  readonly [field: string]: unknown;
}

const batch = 40;
const lines: Line[] = [];
const logger = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
const pace = { mode: 'fixed', intervalMs: 1_000, shortIntervalMs: 250, longIntervalMs: 2_000, batch } as const;
const closedLoop = { p95TargetMs: 500, errorRateTarget: 0.1, shareMin: 0.1, stepPerSecond: 0.05 };
const queue = await aQueue(
  { threshold: 100_000, absentMs: 3_600_000, claimMs: 3_600_000 },
  { admission: { pace, closedLoop }, logger },
);
const { anEvent, person, check, status, call, seats, store, clock, runJob, origin } = queue;

/** One shopper, and a crowd that waits. */
async function aSale(crowd: number) {
  const event = anEvent();
  const shopper = person();
  await check(event, shopper);
  await store.configure({ eventId: event, changes: { paused: true } });
  for (let n = 0; n < crowd; n++) {
    const userId = `${event}-${n}`;
    await store.enter({ eventId: event, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 });
  }
  await store.configure({ eventId: event, changes: { paused: false } });
  return { event, shopper };
}

/** Thirty protected calls at once, each answered after so long. */
async function shop({ event, shopper }: Awaited<ReturnType<typeof aSale>>, takesMs: number): Promise<number[]> {
  const answers: (() => void)[] = [];
  origin.answer = () => new Promise((resolve) => answers.push(resolve));
  const calls = Array.from({ length: 30 }, () => seats(event, shopper));
  await eventually(() => answers.length === calls.length, { withinMs: 60_000, what: 'every call at the origin' });
  clock.advance(takesMs);
  for (const answer of answers) answer();
  return (await Promise.all(calls)).map(({ statusCode }) => statusCode);
}

/** A step decides what the next one lets in, so there are two of them, a second apart. */
async function letIn(event: string): Promise<number> {
  clock.advance(1_000);
  await runJob('queue-origin-health');
  await runJob('queue-admission');
  const before = await admittedSoFar(event);
  clock.advance(1_000);
  await runJob('queue-admission');
  return (await admittedSoFar(event)) - before;
}

async function admittedSoFar(eventId: string): Promise<number> {
  const snapshot = await store.snapshot({ eventId });
  if (snapshot.status === 'lost') throw new Error('lost');
  return snapshot.totals.admitted;
}

test('a slow origin lowers what is let in, which comes back in small steps; without news nothing changes', async () => {
  const sale = await aSale(2_500);
  const { event } = sale;
  const look = async (takesMs: number) => {
    expect(new Set(await shop(sale, takesMs))).toEqual(new Set([pastTheGate]));
    return letIn(event);
  };
  expect(await look(20)).toBe(batch);

  expect(await look(2_000)).toBe(batch / 2);
  // The same slow answers are not held against it twice.
  expect(await letIn(event)).toBe(batch / 2);
  clock.advance(5_000);
  expect(await look(2_000)).toBe(batch / 4);

  for (let n = 0; n < 3; n++) {
    clock.advance(60_000);
    expect(await letIn(event)).toBe(batch / 4);
  }

  clock.advance(5_000);
  const back: number[] = [];
  for (let n = 0; n < 20; n++) back.push(await look(20));
  // A twentieth of the batch for each second, and there are two between one look and the next.
  expect(back.slice(0, 4)).toEqual([14, 18, 22, 26]);
  expect(back.slice(-3)).toEqual([batch, batch, batch]);

  const decisions = lines.filter(({ msg }) => msg === 'share that the origin bears');
  expect(decisions.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['origin-slow', 'settling', 'no-news']));
  expect(decisions.find(({ reason }) => reason === 'origin-slow')).toMatchObject({
    ...{ before: 1, share: 0.5, calls: 30, p95TargetMs: 500, errorRate: 0, errorRateTarget: 0.1 },
    p95Ms: expect.any(Number),
  });
  expect(lines.findLast(({ msg }) => msg === 'admission')).toMatchObject({
    origin: { share: 1, reason: 'healthy', health: { calls: expect.any(Number) } },
    ...{ free: expect.any(Number), waiting: expect.any(Number), admitted: batch, noShows: 0, noShowRate: 0 },
    ...{ batch, intervalMs: 1_000, reason: 'fixed' },
  });
});

test('faults of the origin count, refusals at the door do not', async () => {
  const sale = await aSale(10);
  lines.length = 0;
  clock.advance(60_000);
  const eve = person();
  const refused = await Promise.all(Array.from({ length: 30 }, () => seats(sale.event, eve)));
  expect(new Set(refused.map(({ statusCode }) => statusCode))).toEqual(new Set([403]));
  await runJob('queue-origin-health');
  expect(lines.at(-1)).toMatchObject({ reason: 'no-news' });
  origin.answer = () => Promise.reject(platformErrors.fault('DATABASE_UNAVAILABLE'));
  const failed = await Promise.all(Array.from({ length: 30 }, () => seats(sale.event, sale.shopper)));
  expect(new Set(failed.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
  await runJob('queue-origin-health');
  expect(lines.at(-1)).toMatchObject({ reason: 'origin-failing', before: 1, share: 0.5, errorRate: 1, calls: 30 });
});

test('an operator sees the wait that people are told, and looking at it changes nothing that they are told', async () => {
  const { event } = await aSale(200);
  await store.configure({ eventId: event, changes: { paused: true } });
  const last = person();
  await check(event, last);
  await store.configure({ eventId: event, changes: { paused: false } });
  await runJob('queue-snapshots');
  const seen = (await call('GET', `/api/queue/admin/${event}`, { as: person('operator') })).json();
  // Six steps of forty, one a second: by the pace that is in force and not by the plain one of the configuration.
  expect(seen).toMatchObject({ waiting: 201, estimatedWait: 6, estimatedWaitHigh: 7 });
  expect(await status(event, last)).toMatchObject({ position: 201, estimatedWait: 6, estimatedWaitHigh: 7 });
});
