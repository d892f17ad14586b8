import { expect, test } from 'vitest';
import type { RoomRule } from '#edge/rooms.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { aClock } from '#test/kit/clock.ts';
import { createRoomEdge } from './edge-decision.ts';
import { createRoomsMirror } from './rooms-mirror.ts';

const id = (n: number) => `0195a000-0000-7000-8000-00000000000${n}`;
const rule = (n: number, failMode: RoomRule['failMode'] = 'open'): RoomRule => ({
  ...{ eventId: id(n), mode: 'site', era: 1, failMode },
});
const keys = { vwr: ['v'.repeat(32)], entry: ['e'.repeat(32)], ticket: ['t'.repeat(32)] };

function aMirror() {
  const clock = aClock();
  const source = {
    answer: async (): Promise<unknown> => {
      throw new Error('away');
    },
    asked: 0,
  };
  const activeRooms = () => {
    source.asked += 1;
    return source.answer();
  };
  const mirror = createRoomsMirror({ activeRooms, clock, logger: silentLogger });
  const says = (...rooms: RoomRule[]) => {
    source.answer = async () => ({ asOfMs: clock.now(), rooms });
  };
  const away = () => {
    source.answer = () => Promise.reject(new Error('away'));
  };
  const poll = () => mirror.job.run(new AbortController().signal);
  const on = () => [1, 2].filter((n) => mirror.rooms.isOn(id(n)));
  const failOpen = () => [1, 2].filter((n) => mirror.rooms.failsOpen(id(n)));
  return { clock, source, mirror, says, away, poll, on, failOpen };
}

test('a switch is known with the next poll, and what was last said counts while the source is away', async () => {
  const { clock, says, away, poll, on } = aMirror();
  says(rule(1));
  await poll();
  expect(on()).toEqual([1]);
  says(rule(1), rule(2));
  await poll();
  expect(on()).toEqual([1, 2]);
  away();
  clock.advance(599_000);
  await poll();
  expect(on()).toEqual([1, 2]);
});

test('after ten minutes without a word each room goes by its own fail mode, until there is one again', async () => {
  const { clock, says, away, poll, on, failOpen } = aMirror();
  says(rule(1, 'open'), rule(2, 'closed'));
  await poll();
  away();
  clock.advance(600_000);
  await poll();
  expect([on(), failOpen()]).toEqual([[2], [1]]);
  says(rule(1, 'open'));
  await poll();
  expect([on(), failOpen()]).toEqual([[1], []]);
});

test('what is no document is no word', async () => {
  const { source, says, poll, on } = aMirror();
  says(rule(1));
  await poll();
  for (const answer of [null, {}, { asOfMs: 1, rooms: [{ ...rule(2), failMode: 'ajar' }] }]) {
    source.answer = async () => answer;
    await poll();
    expect(on()).toEqual([1]);
  }
});

test('its age is that of the question, by a clock that nobody sets', async () => {
  const { clock, source, poll, on, away } = aMirror();
  source.answer = async () => {
    clock.advance(400_000);
    return { asOfMs: clock.now() + 86_400_000, rooms: [rule(1)] };
  };
  await poll();
  away();
  clock.advance(199_999);
  await poll();
  expect(on()).toEqual([1]);
  clock.advance(1);
  await poll();
  expect(on()).toEqual([]);
});

test('a process that has just started asks before it decides, once', async () => {
  const { clock, source, mirror, says } = aMirror();
  says(rule(1));
  const { edge } = createRoomEdge({ mirror, keys, clock, files: new Set() });
  const call = { method: 'GET', path: `/events/${id(1)}`, query: '', headers: {}, eventId: null };
  const answers = await Promise.all([edge.decide(call), edge.decide(call)]);
  for (const answer of answers) expect(answer).toMatchObject({ status: 'redirect' });
  expect(source.asked).toBe(1);
  // From then on at once.
  expect(edge.decide(call)).toMatchObject({ status: 'redirect' });
});

test('without any word there is no room, and nobody waits for one', async () => {
  const { clock, source, mirror, failOpen } = aMirror();
  const { edge } = createRoomEdge({ mirror, keys, clock, files: new Set() });
  const call = { method: 'GET', path: `/events/${id(1)}`, query: '', headers: {}, eventId: null };
  expect(await edge.decide(call)).toEqual({ status: 'continue' });
  source.answer = () => new Promise(() => undefined);
  const hung = createRoomsMirror({ activeRooms: source.answer, clock, logger: silentLogger });
  expect(await createRoomEdge({ mirror: hung, keys, clock, files: new Set() }).edge.decide(call)).toEqual({
    status: 'continue',
  });
  expect(failOpen()).toEqual([]);
  // Who has heard nothing for so long does not keep people out because the queue's store remembers a room.
  clock.advance(600_000);
  expect(failOpen()).toEqual([1, 2]);
});

test('a caller counts by a good pass of a room that is on, and by none else', async () => {
  const { clock, mirror, says, poll } = aMirror();
  const { edge } = createRoomEdge({ mirror, keys, clock, files: new Set() });
  const passes = (secret: string) => createJwtKind({ typ: 'vwr+jwt', secrets: [secret], ttlSeconds: 600, clock });
  const claims = { sub: id(1), uid: 'visitor', pos: 7, era: 3, tier: 1, jti: '3.7' };
  const shown = (secret: string) => ({ cookie: `urr-vwr-token-${id(1)}=${passes(secret).sign(claims).token}` });
  const good = shown(keys.vwr[0] ?? '');
  expect(edge.passOf?.(good)).toBeNull();
  says(rule(1));
  await poll();
  expect(edge.passOf?.(good)).toBe(`${id(1)} 3.7`);
  expect(edge.passOf?.(shown('x'.repeat(32)))).toBeNull();
  expect(edge.passOf?.({})).toBeNull();
  says(rule(2));
  await poll();
  expect(edge.passOf?.(good)).toBeNull();
});
