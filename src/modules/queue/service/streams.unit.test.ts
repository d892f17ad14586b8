import { expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { aClock } from '#test/kit/clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { generalLane, packOrder } from '../domain/order.ts';
import { breakpointRanks } from '../domain/ranks.ts';
import type { QueueStore } from '../ports.ts';
import { queueConfig } from '../testing/a-queue.ts';
import type { EventView } from './event-view.ts';
import { createQueueMetrics } from './queue-metrics.ts';
import { createStreams, type StreamSocket } from './streams.ts';

const order = (number: number) => packOrder({ lane: generalLane, era: 0, number });

/** `waiting` people whose numbers begin at `first`. */
function aView(first: number, waiting: number): EventView {
  return {
    eventId: 'event',
    facts: {
      eventId: 'event',
      title: '',
      artist: '',
      startsAt: '',
      opensAtMs: 0,
      closesAtMs: 1,
      queueEnabled: true,
      threshold: null,
      hot: false,
      cancelled: false,
      version: 1,
    },
    snapshot: {
      status: 'ok',
      epoch: 1,
      era: 0,
      atMs: 0,
      watermark: order(first) - 1,
      waiting,
      parked: 0,
      active: 100,
      settings: { threshold: 100, paused: false, closed: false, message: null },
      recovering: false,
      admittedPerSecond: Array<number>(60).fill(1),
      totals: { joined: 0, admitted: 200, left: 0, noShows: 0, forgotten: 0 },
      breakpoints: breakpointRanks(waiting).map((rank) => ({ rank, order: order(first + rank - 1) })),
      denied: [],
    },
    shared: '',
    stale: false,
    usedAtMs: 0,
    estimates: new Map(),
    history: [],
  };
}

const nobodyNear: QueueStore['trace'] = () => Promise.reject(new Error('nobody is near the front'));

function aHub({ trace = nobodyNear }: Partial<Pick<QueueStore, 'trace'>> = {}) {
  const clock = aClock();
  const streams = createStreams({
    store: { trace },
    states: { withState: async (_eventId, run) => (await run()) as never, suspectLoss: async () => {} },
    signs: { isGone: () => false },
    entryTokens: { of: () => ({ token: '', slotEndsAtMs: 0 }) },
    clock,
    logger: silentLogger,
    metrics: createQueueMetrics({ metrics: createMetrics(), clock, logger: silentLogger }),
    config: queueConfig,
  });
  return { clock, streams };
}

function aSocket() {
  const socket = {
    written: [] as string[],
    takes: true,
    destroyed: false,
    ended: false,
    drain: () => {},
    write(text: string) {
      socket.written.push(text);
      return socket.takes;
    },
    onDrain(listener: () => void) {
      socket.drain = listener;
    },
    end() {
      socket.ended = true;
    },
    destroy() {
      socket.destroyed = true;
    },
  };
  return socket satisfies StreamSocket;
}

const facts = (number: number, socket: StreamSocket) => ({
  eventId: 'event',
  userId: `user-${number}`,
  order: order(number),
  position: null,
  smallest: null,
  socket,
});

test('one snapshot reaches 20,000 streams within a second', async () => {
  const { streams } = aHub();
  const sockets = Array.from({ length: 20_000 }, () => aSocket());
  const view = aView(2_000, 30_000);
  for (const [index, socket] of sockets.entries()) streams.add(facts(3_000 + index, socket), view);
  await eventually(() => sockets.every(({ written }) => written.length === 1), {
    withinMs: 20_000,
    what: 'all places',
  });
  const started = performance.now();
  streams.update(aView(2_500, 29_500));
  await eventually(() => sockets.every(({ written }) => written.length === 2), {
    withinMs: 20_000,
    what: 'all updates',
  });
  expect(performance.now() - started).toBeLessThan(1_000);
  expect(streams.open).toBe(20_000);
});

test('a slow reader is skipped, told the newest place when it reads again, and dropped if it does not', async () => {
  const { streams, clock } = aHub();
  const [slow, lost, quick] = [aSocket(), aSocket(), aSocket()];
  slow.takes = false;
  lost.takes = false;
  streams.add(facts(500, slow), aView(1, 1_000));
  streams.add(facts(501, lost), aView(1, 1_000));
  streams.add(facts(502, quick), aView(1, 1_000));
  for (const first of [10, 20, 30]) {
    clock.advance(1_000);
    streams.update(aView(first, 1_000));
    await new Promise((next) => setImmediate(next));
  }
  expect([slow, lost, quick].map(({ written }) => written.length)).toEqual([1, 1, 4]);
  slow.takes = true;
  slow.drain();
  clock.advance(10_000);
  streams.update(aView(40, 1_000));
  await new Promise((next) => setImmediate(next));
  expect(slow.written.at(-1)).toContain('"position":461');
  expect([slow.destroyed, lost.destroyed]).toEqual([false, true]);
  expect(streams.open).toBe(2);
});

test('the position told never grows, and a quiet stream is kept alive', async () => {
  const { streams, clock } = aHub();
  const socket = aSocket();
  streams.add(facts(500, socket), aView(100, 1_000));
  clock.advance(1_000);
  streams.update(aView(50, 1_000));
  await new Promise((next) => setImmediate(next));
  expect(socket.written).toHaveLength(1);
  clock.advance(15_000);
  streams.update(aView(50, 1_000));
  await new Promise((next) => setImmediate(next));
  expect(socket.written.at(-1)).toMatch(/^:/);
});

test('a pause and a message are told also to who stays where they are', async () => {
  const { streams, clock } = aHub();
  const socket = aSocket();
  const view = aView(100, 1_000);
  streams.add(facts(500, socket), view);
  const { settings } = view.snapshot;
  const changes = [{ paused: true }, { paused: true, message: 'soon' }, { paused: true, message: 'soon' }, {}];
  for (const change of changes) {
    clock.advance(1_000);
    streams.update({ ...view, snapshot: { ...view.snapshot, settings: { ...settings, ...change } } });
    await new Promise((next) => setImmediate(next));
  }
  const told = socket.written.map((text) => {
    const { position, paused, message } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
    return [position, paused, message];
  });
  expect(told).toEqual([
    [401, false, null],
    [401, true, null],
    [401, true, 'soon'],
    [401, false, null],
  ]);
});

test('whoever is admitted is told, however many shoppers hold a stream', async () => {
  const shoppers = 1_500;
  const slotOf = (userId: string) => ({ slotId: `slot-${userId}`, userId, order: 1, endsAtMs: 0, claimed: true });
  const { streams, clock } = aHub({
    trace: async ({ userId }) => ({
      ...{ status: 'ok', place: 'active', order: 1, position: null, seenAtMs: null, returned: false },
      slot: slotOf(userId),
    }),
  });
  const view = aView(2_001, 1_000);
  const sockets = Array.from({ length: shoppers }, () => aSocket());
  // As told by the store when they came: from now on they are looked at with every round.
  for (const [index, socket] of sockets.entries()) streams.add({ ...facts(1 + index, socket), position: 1 }, view);
  const late = aSocket();
  streams.add({ ...facts(2_000, late), position: 1 }, view);
  for (let second = 0; second < 5; second++) {
    clock.advance(1_000);
    streams.update(view);
    // The round gives way to others a few times.
    for (let turn = 0; turn < 10; turn++) await new Promise((next) => setImmediate(next));
  }
  expect(late.written.at(-1)).toContain('ACTIVE_TURN');
});

test('a stream that was ended is not written to by the round that was under way', async () => {
  const { streams } = aHub();
  const sockets = Array.from({ length: 600 }, () => aSocket());
  const view = aView(1, 2_000);
  for (const [index, socket] of sockets.entries()) streams.add(facts(1_000 + index, socket), view);
  await eventually(() => sockets.every(({ written }) => written.length === 1), { withinMs: 5_000, what: 'all places' });
  streams.update(aView(100, 1_900));
  // The round gives way after some hundreds; the process stops in between.
  streams.endAll();
  await new Promise((next) => setImmediate(next));
  await new Promise((next) => setImmediate(next));
  expect(sockets.at(-1)).toMatchObject({ ended: true, written: [expect.any(String)] });
});
