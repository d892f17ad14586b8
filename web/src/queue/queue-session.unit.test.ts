import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import type { QueueAnswer } from './queue-client.ts';
import { aSession, busy, myTurn, unreachable, waiting } from './testing/a-session.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-12-01T11:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const event = { title: '밤의 정거장', artist: '느린우체통', date: '2026-12-31T09:00:00.000Z' };

describe('a person in the queue', () => {
  test('enters once, then asks as often as told', async () => {
    const { session, calls, pass } = aSession(waiting(100));
    session.start();
    await pass(0);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 100, connection: 'good' });
    await pass(10);
    expect(calls).toEqual(['check', 'status', 'status']);
  });

  test('keeps no position of which the server is not sure itself', async () => {
    const comingBack = { stale: true };
    const known = aSession(waiting(100), waiting(3, comingBack), waiting(90));
    known.session.start();
    await known.pass(5);
    expect(known.session.view()).toMatchObject({ kind: 'waiting', position: 100 });
    await known.pass(5);
    expect(known.session.view()).toMatchObject({ kind: 'waiting', position: 90 });
    const fresh = aSession(waiting(3, comingBack), waiting(90));
    fresh.session.start();
    await fresh.pass(5);
    expect(fresh.session.view()).toMatchObject({ kind: 'waiting', position: 90 });
  });

  test('sees the smallest position so far, and progress from the first one', async () => {
    const { session, pass } = aSession(waiting(100), waiting(60), waiting(75));
    session.start();
    await pass(10);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 60, startPosition: 100 });
  });

  test('gives a sign of life every 25 s where polls are rarer, and none where they are not', async () => {
    const far = aSession(waiting(200_000, { nextPoll: 60 }));
    far.session.start();
    await far.pass(59);
    expect(far.calls).toEqual(['check', 'heartbeat', 'heartbeat']);
    const near = aSession(waiting(3, { nextPoll: 1 }));
    near.session.start();
    await near.pass(59);
    expect(near.calls).not.toContain('heartbeat');
  });

  test('keeps the place in sight while the network is away, and asks at once when it is back', async () => {
    const { session, calls, pass } = aSession(waiting(10), unreachable);
    session.start();
    await pass(5);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 10, connection: 'lost' });
    const before = calls.length;
    session.wake();
    expect(calls.length).toBe(before + 1);
  });

  test('waits as long as a busy server asks, and goes on by itself', async () => {
    const { session, calls, pass } = aSession(busy, waiting(10));
    session.start();
    await pass(6);
    expect(calls).toEqual(['check']);
    expect(session.view()).toMatchObject({ kind: 'entering', problem: { code: 'STORE_UNAVAILABLE' } });
    await pass(2);
    expect(session.view()).toMatchObject({ kind: 'waiting' });
  });

  test('keeps the turn while the server is not sure, and gives it up when it is', async () => {
    const { session, pass } = aSession(waiting(1), myTurn, waiting(1, { stale: true }), waiting(1));
    session.start();
    await pass(5);
    expect(session.view()).toMatchObject({ kind: 'turn' });
    await pass(20);
    expect(session.view()).toMatchObject({ kind: 'turn', slotEndsAtMs: Date.parse('2026-12-01T11:10:00Z') });
    await pass(20);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 1 });
  });

  test('has the turn announced to the other tabs once', async () => {
    const { session, news, pass } = aSession(waiting(1), myTurn);
    session.start();
    await pass(60);
    expect(session.view()).toMatchObject({ kind: 'turn', slotEndsAtMs: Date.parse('2026-12-01T11:10:00Z') });
    expect(news).toEqual(['turn']);
  });

  test('who hears of the turn from another tab asks at once', async () => {
    const { session, pass } = aSession(waiting(1), myTurn);
    session.start();
    await pass(0);
    session.hear('turn');
    await pass(0);
    expect(session.view().kind).toBe('turn');
  });

  test('keeps the turn while the server works from what it knew before, and not beyond its time', async () => {
    const { session, calls, pass } = aSession(myTurn, waiting(7, { stale: true }));
    session.start();
    await pass(60);
    expect(calls).toEqual(['check', 'status', 'status', 'status']);
    expect(session.view()).toMatchObject({ kind: 'turn', slotEndsAtMs: Date.parse('2026-12-01T11:10:00Z') });
    await pass(600);
    expect(session.view()).toMatchObject({ kind: 'waiting' });
  });

  test('is told when the time in the slot is over', async () => {
    const { session, calls, pass } = aSession({ status: 'active' }, { status: 'none' });
    session.start();
    await pass(21);
    expect(session.view()).toMatchObject({ kind: 'gone', why: 'over' });
    await pass(120);
    expect(calls).toEqual(['check', 'status']);
  });

  test('leaves in every tab, and lines up anew only when asked to', async () => {
    const one = aSession(waiting(5));
    one.session.start();
    await one.pass(0);
    await one.session.leave();
    expect(one.session.view()).toMatchObject({ kind: 'gone', why: 'left' });
    expect(one.news).toEqual(['left']);
    await one.pass(120);
    one.session.wake();
    expect(one.calls).toEqual(['check', 'leave']);
    one.session.enterAgain();
    await one.pass(0);
    expect(one.session.view().kind).toBe('waiting');
    one.session.hear('left');
    expect(one.session.view()).toMatchObject({ kind: 'gone', why: 'left' });
  });

  test('who came too early enters at the opening', async () => {
    const opensAt = '2026-12-01T11:00:30Z';
    const { session, calls, pass } = aSession({ status: 'closed', opensAt, nextPoll: 60 }, waiting(3));
    session.start();
    await pass(29);
    expect(session.view()).toMatchObject({ kind: 'closed', opensAtMs: Date.parse(opensAt) });
    await pass(1);
    expect(session.view().kind).toBe('waiting');
    expect(calls).toEqual(['check', 'check']);
  });

  test('whose ticket is not enough enters again; without a session that is refused', async () => {
    const signedOut = new ApiProblem({ code: 'UNAUTHENTICATED', status: 401 });
    const { session, calls, pass } = aSession(waiting(9), signedOut);
    session.start();
    await pass(6);
    expect(calls).toEqual(['check', 'status', 'check']);
    expect(session.view()).toMatchObject({ kind: 'refused', problem: { status: 401 } });
  });

  test('is not asked about after the page was left', async () => {
    const { session, calls, pass } = aSession(waiting(9));
    session.start();
    await pass(0);
    session.stop();
    await pass(300);
    expect(calls).toEqual(['check']);
  });
});

/** In line, with a stream that has spoken. */
async function aListener(...answers: (QueueAnswer | Error)[]) {
  const parts = aSession(...answers);
  parts.session.start();
  await parts.pass(0);
  parts.stream.rank(100);
  return parts;
}

describe('a person who is told by the stream', () => {
  test('follows it without asking: the smallest position, the figures, the operator’s words', async () => {
    const { session, stream, calls, pass } = await aListener(waiting(100, { event }));
    for (const position of [90, 95, 80]) {
      await pass(5);
      stream.rank(position, { threshold: 7, paused: true, message: '점검' });
    }
    expect(calls).toEqual(['check']);
    expect(session.view()).toMatchObject({
      kind: 'waiting',
      position: 80,
      startPosition: 100,
      answer: { threshold: 7, paused: true, message: '점검' },
      event,
    });
  });

  test('gives a sign of life every 25 s all the same, and asks once a minute in case a word got lost', async () => {
    const { stream, calls, pass } = await aListener(waiting(100));
    for (let seconds = 0; seconds < 60; seconds += 10) {
      await pass(10);
      stream.rank(99);
    }
    expect(calls).toEqual(['check', 'heartbeat', 'heartbeat', 'status']);
  });

  test('gives the sign that is due when a word comes to a tab whose timers stand still', async () => {
    const { stream, calls } = await aListener(waiting(100));
    vi.setSystemTime(Date.now() + 26_000);
    stream.rank(99);
    stream.rank(98);
    expect(calls).toEqual(['check', 'heartbeat']);
  });

  test('claims the turn by asking: the push alone gives nothing', async () => {
    const { session, stream, calls, news, pass } = await aListener(waiting(1), myTurn);
    stream.turn();
    expect(session.view().kind).toBe('waiting');
    await pass(0);
    expect(session.view().kind).toBe('turn');
    expect([calls, news]).toEqual([['check', 'status'], ['turn']]);
    // In a slot there is nothing to listen for.
    expect(stream.closed()).toBe(1);
  });

  test('asks again within a second while the one who answers has not heard of the turn', async () => {
    const { session, stream, statuses, pass } = await aListener(waiting(1), waiting(1), waiting(1), myTurn);
    stream.turn();
    await pass(2);
    expect([statuses(), session.view().kind]).toEqual([3, 'turn']);
    const mistaken = await aListener(waiting(1));
    mistaken.stream.turn();
    await mistaken.pass(30);
    expect(mistaken.statuses()).toBe(5);
  });

  test('an answer that was under way when the turn came is not the last one', async () => {
    const { session, stream, pass } = await aListener(waiting(1), waiting(1), myTurn);
    session.wake();
    stream.turn();
    await pass(0);
    expect(session.view().kind).toBe('turn');
  });

  test('polls as often as told while the stream is broken, and stops when it is back', async () => {
    const { session, stream, statuses, pass } = await aListener(waiting(100, { nextPoll: 60 }));
    stream.rank(100, { nextPoll: 2 });
    stream.drop();
    await pass(1.9);
    expect(statuses()).toBe(0);
    await pass(0.2);
    expect(statuses()).toBe(1);
    stream.rank(90);
    await pass(30);
    expect([statuses(), session.view()]).toMatchObject([1, { position: 90, connection: 'good' }]);
  });

  test('polls by itself where no stream gets through, and still gets the turn', async () => {
    const { session, stream, statuses, pass } = aSession(
      waiting(3, { nextPoll: 1 }),
      waiting(2, { nextPoll: 1 }),
      waiting(1, { nextPoll: 1 }),
      myTurn,
    );
    session.start();
    await pass(0);
    stream.refuse();
    await pass(3);
    expect([statuses(), session.view().kind]).toEqual([3, 'turn']);
  });

  test('a stream that falls silent is not trusted: the server is asked at once', async () => {
    const { stream, statuses, pass } = await aListener(waiting(100, { nextPoll: 60 }));
    await pass(35);
    expect([statuses(), stream.closed()]).toEqual([1, 1]);
  });

  test.each(['refuse', 'over'] as const)(
    'whose place ended learns it by the stream, and what the operator says: %s',
    async (how) => {
      const { session, stream, pass } = await aListener(waiting(100, { nextPoll: 60 }), {
        status: 'none',
        message: '점검으로 줄을 비웠습니다.',
      });
      if (how === 'refuse') stream.drop();
      stream[how]();
      await pass(1);
      expect(session.view()).toMatchObject({ kind: 'gone', why: 'ended', message: '점검으로 줄을 비웠습니다.' });
      await pass(600);
      expect(stream.count()).toBe(1);
    },
  );

  test('keeps the place in sight while the server is restarted, and goes on', async () => {
    const { session, stream, pass } = await aListener(waiting(100), unreachable);
    stream.drop();
    await pass(8);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 100, connection: 'lost' });
    stream.rank(70);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 70, connection: 'good' });
  });

  test('one lost poll beside a living stream is no bad connection', async () => {
    const { session, stream, pass } = await aListener(waiting(100), unreachable);
    session.wake();
    await pass(0);
    stream.rank(99);
    expect(session.view()).toMatchObject({ kind: 'waiting', connection: 'good' });
  });

  test('after an hour’s sleep asks and connects at once', async () => {
    const { session, stream, statuses, pass } = await aListener(waiting(100), waiting(40));
    vi.setSystemTime(Date.now() + 3_600_000);
    session.wake();
    await pass(0);
    expect([stream.count(), stream.closed(), statuses()]).toEqual([2, 1, 1]);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 40 });
  });

  test('when the network returns asks and connects at once, and polls until there is a word', async () => {
    const { session, stream, statuses, pass } = await aListener(waiting(100, { nextPoll: 3 }));
    session.reconnect();
    await pass(4);
    expect([stream.count(), statuses()]).toEqual([2, 2]);
    stream.rank(90);
    await pass(30);
    expect(statuses()).toBe(2);
  });

  test('two tabs: both learn the turn, and one that leaves tells the other', async () => {
    const one = await aListener(waiting(1), myTurn);
    const other = await aListener(waiting(1), myTurn);
    one.stream.turn();
    await one.pass(0);
    for (const news of one.news) other.session.hear(news);
    await other.pass(0);
    expect([one.session.view().kind, other.session.view().kind]).toEqual(['turn', 'turn']);
    await other.session.leave();
    for (const news of other.news) one.session.hear(news);
    expect(one.session.view()).toMatchObject({ kind: 'gone', why: 'passed' });
  });

  test('listens no longer after leaving, and not after the page was left', async () => {
    const left = await aListener(waiting(5));
    await left.session.leave();
    const stopped = await aListener(waiting(5));
    stopped.session.stop();
    for (const { session, stream, pass } of [left, stopped]) {
      const { kind } = session.view();
      stream.rank(1);
      stream.turn();
      await pass(600);
      expect([session.view().kind, stream.count(), stream.closed()]).toEqual([kind, 1, 1]);
    }
    left.session.enterAgain();
    await left.pass(0);
    expect(left.stream.count()).toBe(2);
  });
});
