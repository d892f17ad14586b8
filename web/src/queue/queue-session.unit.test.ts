import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import type { QueueAnswer } from './queue-client.ts';
import { createQueueSession, type TabNews } from './queue-session.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-12-01T11:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const waiting = (position: number, more: Partial<QueueAnswer> = {}): QueueAnswer => ({
  status: 'waiting',
  position,
  nextPoll: 5,
  estimatedWait: position,
  estimatedWaitHigh: position * 2,
  ...more,
});
const busy = new ApiProblem({ code: 'STORE_UNAVAILABLE', status: 503, retryAfterSeconds: 7 });
const unreachable = new ApiProblem({ code: 'NETWORK_UNREACHABLE', status: 0 });

/** A server that gives these answers in turn, and repeats the last one. */
function aSession(...answers: (QueueAnswer | Error)[]) {
  const calls: string[] = [];
  const news: TabNews[] = [];
  const start: { position: number | null } = { position: null };
  const next = (name: string) => async (): Promise<QueueAnswer> => {
    calls.push(name);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  const session = createQueueSession({
    eventId: 'event',
    client: {
      check: next('check'),
      status: next('status'),
      heartbeat: async () => void calls.push('heartbeat'),
      leave: async () => void calls.push('leave'),
    },
    now: () => Date.now(),
    random: () => 0,
    tell: (word) => void news.push(word),
    startPosition: { read: () => start.position, write: (position) => void Object.assign(start, { position }) },
  });
  return { session, calls, news, pass: (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000) };
}

describe('a person in the queue', () => {
  test('enters once, then asks as often as told', async () => {
    const { session, calls, pass } = aSession(waiting(100));
    session.start();
    await pass(0);
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 100, connection: 'good' });
    await pass(10);
    expect(calls).toEqual(['check', 'status', 'status']);
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

  test('has the turn announced to the other tabs once', async () => {
    const { session, news, pass } = aSession(waiting(1), { status: 'active', slotEndsAt: '2026-12-01T11:10:00Z' });
    session.start();
    await pass(60);
    expect(session.view()).toMatchObject({
      kind: 'turn',
      slotEndsAtMs: Date.parse('2026-12-01T11:10:00Z'),
      announcedElsewhere: false,
    });
    expect(news).toEqual(['turn']);
  });

  test('who hears of the turn from another tab asks at once and does not announce it again', async () => {
    const { session, news, pass } = aSession(waiting(1), { status: 'active' });
    session.start();
    await pass(0);
    session.hear('turn');
    await pass(0);
    expect(session.view()).toMatchObject({ kind: 'turn', announcedElsewhere: true });
    expect(news).toEqual([]);
  });

  test('is told when the time in the slot is over', async () => {
    const { session, calls, pass } = aSession({ status: 'active' }, { status: 'none' });
    session.start();
    await pass(11);
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
