import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import { eventually } from '#test/kit/faults.ts';
import type { QueueStore } from '../ports.ts';
import { aBegin } from '../storage/conformance/harness.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { createClearing } from './clearing.ts';

const operator = { userId: 'operator' };

/** A queue of so many, whose batches wait until the test lets them through; with the time for an answer over at once. */
async function aLine(count: number, clear?: (memory: QueueStore) => QueueStore['clear']) {
  const memory = createMemoryStore({ clock: aClock() });
  const eventId = randomUUID();
  await memory.begin(aBegin(eventId));
  const enter = (userId: string) =>
    memory.enter({ eventId, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 });
  for (let n = 0; n < count; n++) await enter(`user-${n}`);
  const gate = Promise.withResolvers<void>();
  const acts: { action: string; before: unknown; after: unknown }[] = [];
  const lines: { level: string; msg: string; cleared: number }[] = [];
  const recorder = { fails: false };
  const snapshot = async () => undefined as never;
  const clearing = createClearing({
    store: {
      async clear(call) {
        if (call.limit > 0) await gate.promise;
        return (clear?.(memory) ?? memory.clear)(call);
      },
    },
    states: {
      // Nothing is lost here, so the answer is never that.
      withState: (_, ask) => ask({ mayGrant: async () => true }) as Promise<never>,
    },
    snapshots: { get: snapshot, refresh: snapshot },
    logger: createLogger({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } }),
    async record(_, { action, before, after }) {
      if (recorder.fails) throw new Error('the audit log is away');
      acts.push({ action, before, after });
    },
    answerWithinMs: 0,
  });
  const waiting = async () => {
    const answer = await memory.snapshot({ eventId });
    return answer.status === 'ok' ? answer.waiting : null;
  };
  const ended = () =>
    eventually(async () => acts.some(({ action }) => action === 'queue.clear'), {
      withinMs: 20_000,
      what: 'the clearing to end',
    });
  return {
    eventId,
    clearing,
    gate,
    acts,
    lines,
    recorder,
    enter,
    waiting,
    ended,
    clear: () => clearing.clear(eventId, operator),
  };
}

test('a clearing that takes longer than an answer may goes on, and ends only who was there when it began', async () => {
  const line = await aLine(1_000);
  expect(await line.clear()).toEqual({ cleared: 0, more: true });
  expect(line.acts).toEqual([
    { action: 'queue.clear.begin', before: { places: 1_000, upTo: expect.any(Array) }, after: null },
  ]);
  for (const userId of ['late', 'later']) await line.enter(userId);
  line.gate.resolve();
  await line.ended();
  expect(line.acts[1]).toEqual({ action: 'queue.clear', before: null, after: { cleared: 1_000, left: 0 } });
  expect(await line.waiting()).toBe(2);
  expect(line.lines.filter(({ msg }) => msg === 'an operator cleared a queue')).toMatchObject([{ cleared: 1_000 }]);
});

test('a second call meanwhile waits for the same clearing; one after it begins anew', async () => {
  const line = await aLine(500);
  await line.clear();
  await line.enter('late');
  const [second, third] = await Promise.all([line.clear(), line.clear()]);
  expect([second, third]).toEqual([
    { cleared: 0, more: true },
    { cleared: 0, more: true },
  ]);
  line.gate.resolve();
  await line.ended();
  expect(line.acts.map(({ action }) => action)).toEqual(['queue.clear.begin', 'queue.clear']);
  expect(await line.waiting()).toBe(1);
  await eventually(async () => !(await line.clear()).more, { withinMs: 20_000, what: 'the second clearing to end' });
  expect(await line.waiting()).toBe(0);
});

test('what cannot be written down does not begin', async () => {
  const line = await aLine(10);
  line.gate.resolve();
  line.recorder.fails = true;
  await expect(line.clear()).rejects.toThrow('the audit log is away');
  expect(await line.waiting()).toBe(10);
  line.recorder.fails = false;
  await line.clear();
  await line.ended();
  expect(await line.waiting()).toBe(0);
});

test('a clearing that fails midway says how far it came, and can be asked for again', async () => {
  let batches = 0;
  const line = await aLine(500, (memory) => (call) => {
    if (call.limit > 0 && ++batches === 2) return Promise.reject(new Error('the store is away'));
    return memory.clear(call);
  });
  await line.clear();
  line.gate.resolve();
  await line.ended();
  expect(line.acts[1]).toMatchObject({ action: 'queue.clear', after: { cleared: 200, left: 300 } });
  expect(line.lines).toMatchObject([{ level: 'error', cleared: 200, left: 300 }]);
  await eventually(async () => !(await line.clear()).more, { withinMs: 20_000, what: 'the rest to be cleared' });
  expect(await line.waiting()).toBe(0);
});

test('stopping ends it after the batch that is under way', async () => {
  const line = await aLine(1_000);
  await line.clear();
  const stopped = line.clearing.stop();
  line.gate.resolve();
  await stopped;
  expect(await line.waiting()).toBe(800);
  expect(line.acts[1]).toMatchObject({ action: 'queue.clear', after: { cleared: 200, left: 800 } });
});
