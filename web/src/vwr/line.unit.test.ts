import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bounceOf,
  checkDelayMs,
  type Mine,
  milestoneOf,
  nextPollMs,
  ownPath,
  type RoomStatus,
  retryMs,
  viewOf,
} from './line.ts';

const open: RoomStatus = {
  isActive: true,
  phase: 'open',
  servingLine: 100,
  rate: 50,
  opensAt: null,
  soldOut: false,
  message: null,
  drawEra: null,
  drawn: null,
};
const mine = (line: number | null): Mine => ({ requestId: 'r', line, position: line, era: 3, entry: null });

test('ahead counts those between the last one served and us', () => {
  expect(viewOf(open, mine(101))).toMatchObject({ kind: 'waiting', ahead: 0 });
  expect(viewOf(open, mine(351))).toMatchObject({ kind: 'waiting', ahead: 250, waitSeconds: 251 / 50 });
});

test('a number that is served is due, also while the room is paused or closed', () => {
  for (const phase of ['open', 'paused', 'closed'] as const)
    expect(viewOf({ ...open, phase }, mine(100))).toEqual({ kind: 'due' });
});

test('without movement no wait is told', () => {
  for (const halted of [{ phase: 'paused' }, { soldOut: true }, { rate: 0 }, { rate: null }] as const)
    expect(viewOf({ ...open, ...halted }, mine(200))).toMatchObject({ waitSeconds: null });
});

test('an entry waits for the draw, then for its number', () => {
  expect(viewOf({ ...open, phase: 'prequeue', opensAt: 'then' }, mine(null))).toEqual({
    kind: 'opening',
    opensAt: 'then',
  });
  expect(viewOf({ ...open, phase: 'frozen' }, mine(null))).toEqual({ kind: 'drawing' });
});

test('before the opening a number waits for it; that is no pause', () => {
  expect(viewOf({ ...open, phase: 'prequeue', opensAt: 'then' }, mine(200))).toMatchObject({
    kind: 'waiting',
    waitSeconds: null,
    opensAt: 'then',
  });
  expect(viewOf({ ...open, phase: 'paused', opensAt: 'then' }, mine(200))).toMatchObject({ opensAt: null });
});

test('a room that is off lets everybody go on', () => {
  expect(viewOf({ ...open, isActive: false }, mine(9_999))).toEqual({ kind: 'off' });
});

test.each([
  [0, 2],
  [500, 2],
  [501, 5],
  [2_000, 5],
  [2_001, 10],
  [10_000, 10],
  [10_001, 15],
])('with %i ahead the next look is after %i s, up to a fifth earlier', (ahead, seconds) => {
  const view = viewOf(open, mine(101 + ahead));
  expect(nextPollMs(view, 0)).toBe(seconds * 1000);
  expect(nextPollMs(view, 1)).toBe(seconds * 800);
});

test('a crowd that is due at once spreads its checks over ten seconds, a few need not wait', () => {
  expect(checkDelayMs(500, 1)).toBe(10_000);
  expect(checkDelayMs(1_000_000, 0.5)).toBe(5_000);
  expect(checkDelayMs(25, 1)).toBe(500);
  expect(checkDelayMs(0, 1)).toBe(0);
});

test('what the server said about coming again counts, within reason', () => {
  expect(retryMs(1, null, 0)).toBe(2_000);
  expect(retryMs(50, null, 0)).toBe(30_000);
  expect(retryMs(1, 7, 0)).toBe(7_000);
  expect(retryMs(1, 86_400, 0)).toBe(120_000);
});

test('a page that sends us straight back is tried later each time: at once, after 2, 4, 8 s', () => {
  expect(bounceOf(null, 1_000)).toEqual({ count: 0, waitMs: 0 });
  expect(bounceOf('1 1000', 2_000)).toEqual({ count: 1, waitMs: 2_000 });
  expect(bounceOf('2 1000', 2_000)).toEqual({ count: 2, waitMs: 4_000 });
  expect(bounceOf('3 1000', 2_000)).toEqual({ count: 3, waitMs: 8_000 });
  expect(bounceOf('30 1000', 2_000).waitMs).toBe(8_000);
  // A minute later, or with the clock set back, it is a visit like any other.
  expect(bounceOf('3 1000', 62_000).waitMs).toBe(0);
  expect(bounceOf('3 9000', 2_000).waitMs).toBe(0);
  expect(bounceOf('nonsense', 2_000).waitMs).toBe(0);
});

test.each(['/events/1', '/', '/events/1?x=%2F#y', '/공연/1'])('%s is a path of this site', (path) => {
  expect(ownPath(path)).toBe(path);
});

test.each([
  null,
  '',
  'https://evil.test',
  '//evil.test',
  '/\\evil.test',
  '/a\\b',
  '/a\nb',
  '/a b',
  'javascript:1',
  `/${'a'.repeat(2_001)}`,
])('%j leads nowhere', (path) => {
  expect(ownPath(path)).toBeNull();
});

test('whatever is accepted stays on this site', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const path = ownPath(text) ?? ownPath(`/${text}`);
      if (path === null) return;
      expect(new URL(path, 'https://tickets.example').origin).toBe('https://tickets.example');
    }),
  );
});

test('milestones are told once each, at most one a minute until the last ten', () => {
  const far = { ahead: Number.POSITIVE_INFINITY, atMs: 0 };
  expect(milestoneOf(20_000, far, 100_000)).toBeNull();
  const first = milestoneOf(4_000, far, 100_000);
  expect(first).toEqual({ ahead: 5_000, atMs: 100_000 });
  if (first === null) throw new Error('no milestone');
  expect(milestoneOf(3_000, first, 200_000)).toBeNull();
  expect(milestoneOf(900, first, 130_000)).toBeNull();
  expect(milestoneOf(900, first, 161_000)).toEqual({ ahead: 1_000, atMs: 161_000 });
  expect(milestoneOf(8, first, 101_000)).toEqual({ ahead: 10, atMs: 101_000 });
  expect(milestoneOf(0, { ahead: 10, atMs: 101_000 }, 101_500)).toEqual({ ahead: 0, atMs: 101_500 });
});
