import { expect, test } from 'vitest';
import type { EventStreamSocket } from '#platform/http/event-stream.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { aClock } from '#test/kit/clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { generalLane, packPlaceOrder } from '../domain/place-order.ts';
import { breakpointRanks } from '../domain/ranks.ts';
import type { QueueStore, UserTrace } from '../ports.ts';
import { queueConfig } from '../testing/a-queue.ts';
import type { EventView } from './event-view.ts';
import { createQueueMetrics } from './queue-metrics.ts';
import { createStreams } from './streams.ts';

const order = (number: number) => packPlaceOrder({ lane: generalLane, era: 0, number });

/** `waiting` people whose numbers begin at `first`. */
function aView(
  first: number,
  waiting: number,
  changes: Partial<EventView['snapshot']> & { stale?: boolean } = {},
): EventView {
  const { stale = false, ...snapshot } = changes;
  return {
    eventId: 'event',
    facts: {
      eventId: 'event',
      title: '',
      artist: '',
      startsAt: '',
      opensAtMs: 0,
      closesAtMs: Number.MAX_SAFE_INTEGER,
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
      settingsVersion: 0,
      room: { on: false, era: 0, version: 0 },
      numbered: 0,
      deniedMark: { epoch: 1, serial: 0 },
      cleared: { count: 0, upTo: [0, 0] },
      ...snapshot,
    },
    spent: null,
    shared: '',
    stale,
    isIdle: false,
    refreshedAtMs: 0,
    usedAtMs: 0,
    estimates: new Map(),
    history: [],
  };
}

const nobodyNear: Pick<QueueStore, 'trace'> = {
  trace: () => Promise.reject(new Error('nobody is near the front')),
};

function aHub(store = nobodyNear) {
  const clock = aClock();
  const streams = createStreams({
    store,
    states: {
      withState: async (_eventId, run) => (await run({ mayGrant: async () => true })) as never,
      suspectLoss: async () => {},
    },
    signs: { isGone: () => false },
    entryTokens: { of: () => ({ token: '', slotEndsAtMs: 0 }) },
    clock,
    random: systemRandom,
    logger: silentLogger,
    metrics: createQueueMetrics({ metrics: createMetrics(), logger: silentLogger }),
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
  return socket satisfies EventStreamSocket;
}

const facts = (number: number, socket: EventStreamSocket) => ({
  eventId: 'event',
  userId: `user-${number}`,
  order: order(number),
  position: null,
  smallest: null,
  socket,
});

test('one snapshot reaches each of 20,000 streams', async () => {
  const { streams } = aHub();
  const sockets = Array.from({ length: 20_000 }, () => aSocket());
  const view = aView(2_000, 30_000);
  for (const [index, socket] of sockets.entries()) streams.add(facts(3_000 + index, socket), view);
  await eventually(() => sockets.every(({ written }) => written.length === 1), {
    withinMs: 20_000,
    what: 'all places',
  });
  streams.update(aView(2_500, 29_500));
  await eventually(() => sockets.every(({ written }) => written.length === 2), {
    withinMs: 20_000,
    what: 'all updates',
  });
  expect(sockets.every(({ written }, index) => written[1]?.includes(`"position":${501 + index},`))).toBe(true);
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

const written = () => new Promise((next) => setImmediate(next));

test('the position told never grows, and a stream on which nothing changes is told so', async () => {
  const { streams, clock } = aHub();
  const socket = aSocket();
  streams.add(facts(500, socket), aView(100, 1_000));
  clock.advance(1_000);
  streams.update(aView(50, 1_000));
  await written();
  expect(socket.written).toHaveLength(1);
  clock.advance(15_000);
  streams.update(aView(50, 1_000));
  await written();
  expect(socket.written.at(-1)).toContain('"position":401');
});

test('a pause, a message, a threshold and an outage are told at once, though nobody moves', async () => {
  const { streams } = aHub();
  const socket = aSocket();
  const settings = { threshold: 100, paused: false, closed: false, message: null };
  streams.add(facts(500, socket), aView(1, 1_000));
  const changes = [
    { settings: { ...settings, paused: true } },
    { settings: { ...settings, paused: true, message: '잠시만요' } },
    { settings: { ...settings, threshold: 50 } },
    { settings: { ...settings, threshold: 50 }, stale: true },
  ];
  for (const change of changes) {
    for (let times = 0; times < 2; times++) {
      streams.update(aView(1, 1_000, change));
      await written();
    }
  }
  const told = socket.written.slice(1);
  const words = ['"paused":true', '"message":"잠시만요"', '"threshold":50', '"stale":true'];
  expect(told.map((text, index) => text.includes(words[index] ?? '?'))).toEqual([true, true, true, true]);
});

test('while the crowd is coming back after a loss nobody is told a place that is too good', async () => {
  const { streams } = aHub();
  const [known, unknown] = [aSocket(), aSocket()];
  const recovering = aView(490, 20, { recovering: true });
  streams.add({ ...facts(500, known), smallest: 500 }, recovering);
  streams.add(facts(501, unknown), recovering);
  await written();
  expect(known.written[0]).toContain('"position":500');
  // As the answer of a poll says it.
  expect(known.written[0]).toContain('"stale":true');
  expect(unknown.written).toEqual([]);
  streams.update(aView(400, 500));
  await written();
  expect(known.written.at(-1)).toContain('"position":101');
  expect(known.written.at(-1)).toContain('"stale":false');
  expect(unknown.written[0]).toContain('"position":102');
});

test('when the store has begun anew every stream ends, so that its page asks and is put back', async () => {
  const { streams } = aHub();
  const socket = aSocket();
  streams.add(facts(500, socket), aView(1, 1_000));
  streams.update(aView(1, 1_000, { epoch: 2 }));
  await written();
  expect([socket.ended, streams.open]).toEqual([true, 0]);
});

const cleared = (count: number, number: number) => ({ cleared: { count, upTo: [0, order(number)] as const } });

test('whose place was cleared learns it with the next snapshot; anyone who has entered since goes on', async () => {
  const { streams } = aHub();
  const [early, late, after] = [aSocket(), aSocket(), aSocket()];
  streams.add(facts(500, early), aView(1, 1_000));
  streams.add(facts(700, late), aView(1, 1_000));
  streams.update(aView(601, 400, cleared(600, 600)));
  await written();
  expect([early.ended, late.ended]).toEqual([true, false]);
  expect(early.written.at(-1)).toBe('event: PLACE_OVER\ndata: {}\n\n');
  // With a number of tier 1, which is earlier than those that were cleared.
  streams.add(facts(550, after), aView(601, 400, cleared(600, 600)));
  streams.update(aView(601, 400, cleared(600, 600)));
  await written();
  expect(after.ended).toBe(false);
  streams.update(aView(1_001, 0, cleared(1_000, 1_000)));
  await written();
  expect([late.ended, after.ended, streams.open]).toEqual([true, true, 0]);
});

test.each([
  ['is over', { closesAtMs: 0 }],
  ['was cancelled', { cancelled: true }],
  ['has no queue any more', { queueEnabled: false }],
])('every page is told to ask when the sale %s', async (_, changes) => {
  const { streams } = aHub();
  const socket = aSocket();
  const view = aView(1, 1_000);
  streams.add(facts(500, socket), view);
  view.facts = { ...view.facts, ...changes };
  streams.update(view);
  await written();
  expect(socket.ended).toBe(true);
  expect(socket.written.at(-1)).toContain('PLACE_OVER');
});

test('a stream that ends while the store is asked is not written to', async () => {
  const answers: ((trace: UserTrace) => void)[] = [];
  const { streams } = aHub({ trace: () => new Promise((answer) => answers.push(answer)) });
  const socket = aSocket();
  streams.add(facts(5, socket), aView(100, 1_000));
  await eventually(() => answers.length === 1, { withinMs: 30_000, what: 'the question' });
  streams.endAll();
  for (const answer of answers) answer(turnOf('user-5'));
  await written();
  expect(socket.written).toEqual([]);
});

test('of thousands whose turn has come everybody is told', async () => {
  const { streams, clock } = aHub({ trace: async ({ userId }) => turnOf(userId) });
  const sockets = Array.from({ length: 1_700 }, () => aSocket());
  const view = aView(1, 5_000);
  for (const [index, socket] of sockets.entries()) streams.add(facts(1_001 + index, socket), view);
  await written();
  for (let seconds = 0; seconds < 4; seconds++) {
    clock.advance(1_000);
    streams.update(aView(4_000, 5_000));
    await eventually(() => turnsIn(sockets) >= Math.min(1_700, 500 * (seconds + 1)), {
      withinMs: 20_000,
      what: `the turns of second ${seconds + 1}`,
    });
    await written();
  }
  expect(turnsIn(sockets)).toBe(1_700);
});

const turnsIn = (sockets: readonly { written: string[] }[]) =>
  sockets.filter(({ written: texts }) => texts.some((text) => text.includes('ACTIVE_TURN'))).length;

function turnOf(userId: string): UserTrace {
  const slot = { slotId: `slot-${userId}`, userId, order: order(5), endsAtMs: 1_000, claimed: false };
  return { status: 'ok', place: 'active', order: order(5), position: null, seenAtMs: 0, slot, returned: false };
}
