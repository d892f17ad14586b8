import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  aResumedSession,
  aSession,
  myTurn,
  nothing,
  pass,
  signedOut,
  unreachable,
  waiting,
} from './testing/a-session.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-12-01T11:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const minuteMs = 60_000;
const slotEndsAtMs = Date.parse('2026-12-01T11:10:00Z');

describe('a place that comes back after a reload', () => {
  test('is asked about, and followed as before', async () => {
    const { session, calls, stream } = aResumedSession(null, waiting(41), waiting(40));
    session.start();
    expect([session.view().kind, session.isConfirmed()]).toEqual(['entering', false]);
    await pass(0);
    expect([session.view(), session.isConfirmed()]).toMatchObject([{ kind: 'waiting', position: 41 }, true]);
    stream.rank(39);
    expect(session.view()).toMatchObject({ position: 39 });
    expect(calls).toEqual(['status']);
  });

  test.each([
    ['the place is over', nothing],
    ['nobody is signed in any more', signedOut],
  ])('is never entered anew: %s', async (_, answer) => {
    const { session, calls } = aResumedSession(null, answer);
    session.start();
    await pass(300);
    expect(calls).toEqual(['status']);
    expect([session.view().kind, session.isConfirmed()]).toEqual(['gone', false]);
  });

  test('is entered anew where the visitor wants to be in line', async () => {
    const { session, calls } = aResumedSession(null, nothing, waiting(900));
    session.start();
    session.join();
    await pass(0);
    expect(calls[0]).toBe('status');
    expect(calls.at(-1)).toBe('check');
    expect(session.view()).toMatchObject({ kind: 'waiting', position: 900 });
  });

  test('shows the slot that was kept at once, and keeps it while the server cannot say', async () => {
    const { session, news } = aResumedSession(slotEndsAtMs, unreachable, waiting(1, { stale: true }), myTurn);
    session.start();
    expect(session.view()).toMatchObject({ kind: 'turn', slotEndsAtMs });
    await pass(2);
    expect([session.view().kind, session.isConfirmed()]).toEqual(['turn', false]);
    await pass(30);
    expect([session.view().kind, session.isConfirmed(), news]).toEqual(['turn', true, []]);
  });

  test('a kept slot whose time has passed is none', () => {
    expect(aResumedSession(Date.now() - 1, nothing).session.view().kind).toBe('entering');
  });
});

describe('a slot', () => {
  test('ends at its time, whatever is answered: polls never extend it', async () => {
    const { session, calls } = aSession(myTurn);
    session.start();
    await pass(9 * 60 + 59);
    expect(session.view().kind).toBe('turn');
    await pass(10);
    expect(session.view()).toMatchObject({ kind: 'gone', why: 'over' });
    const asked = calls.length;
    await pass(600);
    expect(calls.length).toBe(asked);
  });

  test('ends at its time without a network, too', async () => {
    const { session } = aSession(myTurn, unreachable);
    session.start();
    await pass(9 * 60);
    expect(session.view().kind).toBe('turn');
    vi.setSystemTime(slotEndsAtMs + minuteMs);
    session.wake();
    await pass(10);
    expect(session.view()).toMatchObject({ kind: 'gone', why: 'over' });
  });

  test('is asked about every 20 s, which is its sign of life', async () => {
    const { session, calls } = aSession(myTurn);
    session.start();
    await pass(61);
    expect(calls).toEqual(['check', 'status', 'status', 'status']);
  });
});
