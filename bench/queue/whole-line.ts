import { unpackPlaceOrder } from '#modules/queue/domain/place-order.ts';
import { type QueueStore, touchMax } from '#modules/queue/ports.ts';
import type { BenchReport } from '../report.ts';
import { bytesOf } from './crowd.ts';
import type { StoreAlone } from './store-alone.ts';

const entriesAtOnce = 1_000;
const slotsAtOnce = 100_000;
/** As the program admits by default. */
const step = { admitMax: 100, parkMax: 1_000 };
/** Between two looks at what the journal would take. */
const stepsPerJournal = 10;
const changesMax = 10_000;
/** Nobody is away, however slow the machine; slots end soon, long after they were claimed, so that the next ones get them. */
const times = { absentMs: 86_400_000, claimMs: 86_400_000, activeTtlMs: 5_000, activeSeenTtlMs: null };

/** Everybody enters, gives a sign of life and is admitted; fails unless each is, once and in turn. */
export async function walkWholeLine(options: { alone: StoreAlone; count: number; report: BenchReport }): Promise<void> {
  const { alone, count, report } = options;
  const { store } = alone;
  const eventId = await alone.begin(0);
  const people = count.toLocaleString('en-US');
  const line: string[] = new Array(count);

  await report.measure({
    name: `${people} users enter the store`,
    unit: 'entries',
    rounds: 1,
    subject: { label: 'one client', run: () => perSecond(count, () => enterAll(alone, eventId, line)) },
  });
  report.weigh({
    name: 'memory in Redis per waiting user, nothing else in the event',
    subject: `${people} waiting`,
    value: (await bytesOf(alone.redis, eventId)) / count,
    unit: 'bytes',
    max: 320,
  });
  await report.measure({
    name: `${people} users wait: a sign of life of each`,
    unit: 'signs',
    rounds: 1,
    subject: { label: 'one client', run: () => perSecond(count, () => touchAll(store, eventId, line)) },
  });
  await store.configure({ eventId, changes: { threshold: slotsAtOnce } });
  await report.measure({
    name: `${people} users are admitted in the order in which they entered`,
    unit: 'admissions',
    rounds: 1,
    subject: {
      label: `steps of ${step.admitMax}, slots ended and changes read along the way`,
      run: () => perSecond(count, () => admitAll(store, eventId, line)),
    },
  });
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return count / ((performance.now() - startedMs) / 1_000);
}

/** Into `line`, by the number that each got. */
async function enterAll({ store, ids }: StoreAlone, eventId: string, line: string[]): Promise<void> {
  const call = { eventId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: times.activeTtlMs } as const;
  for (let entered = 0; entered < line.length; entered += entriesAtOnce) {
    const some = Array.from({ length: Math.min(entriesAtOnce, line.length - entered) }, () => ids.next());
    const results = await Promise.all(some.map((userId) => store.enter({ ...call, userId })));
    for (const [n, result] of results.entries()) {
      if (result.status !== 'waiting') throw new Error(`somebody who should wait is ${result.status}`);
      if (result.position !== entered + n + 1) throw new Error(`number ${entered + n + 1} is at ${result.position}`);
      line[unpackPlaceOrder(result.order).number - 1] = some[n] ?? '';
    }
  }
}

async function touchAll(store: QueueStore, eventId: string, line: readonly string[]): Promise<void> {
  for (let n = 0; n < line.length; n += touchMax) {
    const answer = await store.touch({ eventId, userIds: line.slice(n, n + touchMax) });
    if (!('unknown' in answer) || answer.unknown.length > 0) throw new Error('somebody who waits is not known');
  }
}

async function admitAll(store: QueueStore, eventId: string, line: readonly string[]): Promise<void> {
  let admitted = 0;
  // Steps that find every slot taken are many on a quick machine.
  const stepsMax = 100 * Math.ceil(line.length / step.admitMax) + 10_000;
  for (let steps = 1; admitted < line.length; steps += 1) {
    if (steps > stepsMax) throw new Error(`${admitted} of ${line.length} were admitted in ${steps} steps`);
    const answer = await store.admit({ eventId, ...step, ...times });
    if (answer.status === 'lost') throw new Error('the event is lost');
    if (answer.active > slotsAtOnce || answer.parked > 0)
      throw new Error(`a step went wrong: ${JSON.stringify(answer)}`);
    for (const { userId, order } of answer.admitted) {
      const { number } = unpackPlaceOrder(order);
      if (number !== admitted + 1 || userId !== line[admitted])
        throw new Error(`number ${number} was admitted after number ${admitted}`);
      admitted += 1;
    }
    // Anyone who never comes gets the place back; these come.
    if (answer.admitted.length > 0) await store.claim({ eventId, claims: answer.admitted });
    if (steps % stepsPerJournal === 0) await takeChanges(store, eventId);
  }
  const left = await store.snapshot({ eventId });
  if (left.status === 'lost' || left.waiting + left.parked > 0 || left.totals.admitted !== line.length)
    throw new Error(`not everybody was admitted: ${JSON.stringify(left)}`);
}

/** As the journal does, so that what it has not taken does not pile up. */
async function takeChanges(store: QueueStore, eventId: string): Promise<void> {
  const answer = await store.changes({ eventId, limit: changesMax });
  if (answer.status === 'lost') throw new Error('the event is lost');
  await store.acknowledge({ eventId, epoch: answer.epoch, upTo: answer.from + answer.changes.length });
}
