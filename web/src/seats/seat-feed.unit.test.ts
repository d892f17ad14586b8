import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import { createSeatFeed } from './seat-feed.ts';
import type { SeatStreamListener } from './seat-stream.ts';
import type { SeatChanges, SeatMapAnswer } from './seat-types.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const map = (version: number, states = 'AA=='): SeatMapAnswer => ({
  layoutId: 'layout',
  version,
  states,
  grades: [{ grade: 'R', priceKrw: 1_000, left: 4 }],
  areas: [],
  mine: null,
});
const changes = (version: number, seats: [number, number][] = [], more: Partial<SeatChanges> = {}): SeatChanges => ({
  version,
  resync: false,
  seats,
  grades: [],
  areas: [],
  ...more,
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A server whose answers the test gives one by one. */
function aFeed() {
  const asked: { what: string; answer(value: unknown): void; fail(error: unknown): void }[] = [];
  const ask = <Answer>(what: string) =>
    new Promise<Answer>((resolve, reject) => {
      asked.push({ what, answer: (value) => resolve(value as Answer), fail: reject });
    });
  let listener: SeatStreamListener | null = null;
  const feed = createSeatFeed({
    client: { map: () => ask('map'), since: (version) => ask(`since ${version}`) },
    stream: (next) => {
      listener = next;
      return { close: () => undefined };
    },
    random: () => 0,
  });
  const stream = () => {
    if (listener === null) throw new Error('no stream was opened');
    return listener;
  };
  const next = async (value: unknown) => {
    const question = asked.shift();
    if (question === undefined) throw new Error('nothing was asked');
    if (value instanceof Error) question.fail(value);
    else question.answer(value);
    await pass(0);
    return question.what;
  };
  const states = () => {
    const view = feed.view();
    return view.kind === 'ready' ? [...view.map.states] : view.kind;
  };
  return { feed, asked, stream, next, states };
}

test('what changed between the map and the stream is asked for, and no word is applied before it', async () => {
  const { feed, stream, next, states } = aFeed();
  feed.start();
  stream().opened();
  stream().changes(changes(5));
  stream().changes(changes(6, [[2, 2]]));
  expect(await next(map(3))).toBe('map');
  expect(states()).toEqual([0, 0, 0, 0]);
  expect(await next(changes(5, [[1, 1]]))).toBe('since 3');
  expect(states()).toEqual([0, 1, 2, 0]);
});

test('an older answer never overwrites a newer word', async () => {
  const { feed, stream, next, states } = aFeed();
  feed.start();
  await next(map(3));
  stream().opened();
  stream().changes(changes(9, [[0, 2]]));
  await next(changes(7, [[0, 1]]));
  expect(states()).toEqual([2, 0, 0, 0]);
  stream().changes(changes(4, [[0, 0]]));
  expect(states()).toEqual([2, 0, 0, 0]);
});

test('without a stream it polls, and a stream that is refused is tried again later', async () => {
  const { feed, stream, asked, next, states } = aFeed();
  feed.start();
  await next(map(3));
  stream().refused();
  await pass(2_500);
  expect(await next(changes(4, [[3, 1]]))).toBe('since 3');
  expect(states()).toEqual([0, 0, 0, 1]);
  const before = stream();
  await pass(5_000);
  expect(stream()).not.toBe(before);
  expect(asked.length).toBeGreaterThan(0);
});

test('too far behind, it reads the whole map again', async () => {
  const { feed, stream, next, states } = aFeed();
  feed.start();
  await next(map(3));
  stream().changes(changes(50, [], { resync: true }));
  expect(await next(map(60, 'VQ=='))).toBe('map');
  expect(states()).toEqual([1, 1, 1, 1]);
});

test('a failure keeps what is known and is tried again; the end of the slot is final', async () => {
  const { feed, next, asked } = aFeed();
  feed.start();
  await next(map(3));
  await pass(2_500);
  await next(new ApiProblem({ code: 'NETWORK_UNREACHABLE', status: 0 }));
  expect(feed.view()).toMatchObject({ kind: 'ready', isLost: true });
  await pass(1_000);
  await next(changes(4));
  expect(feed.view()).toMatchObject({ kind: 'ready', isLost: false });
  await pass(2_500);
  await next(new ApiProblem({ code: 'ENTRY_TOKEN_REQUIRED', status: 403 }));
  expect(feed.view()).toMatchObject({ kind: 'stopped', problem: { status: 403 }, map: { version: 4 } });
  await pass(120_000);
  expect(asked).toEqual([]);
  feed.wake();
  expect(asked.map(({ what }) => what)).toEqual(['map']);
});

test('stopped, it asks nothing', async () => {
  const { feed, next, asked } = aFeed();
  feed.start();
  await next(map(3));
  feed.stop();
  await pass(60_000);
  expect(asked).toEqual([]);
});
