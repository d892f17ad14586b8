import { vi } from 'vitest';
import { ApiProblem } from '../../api/problem.ts';
import type { QueueAnswer, QueueClient } from '../queue-client.ts';
import { createQueueSession, type QueueSessionOptions, type TabNews } from '../queue-session.ts';
import { aStream } from './a-stream.ts';

export const waiting = (position: number, more: Partial<QueueAnswer> = {}): QueueAnswer => ({
  status: 'waiting',
  position,
  nextPoll: 5,
  estimatedWait: position,
  estimatedWaitHigh: position * 2,
  ...more,
});
/** For a test that begins at 11:00. */
export const myTurn: QueueAnswer = { status: 'active', slotEndsAt: '2026-12-01T11:10:00Z' };
export const nothing: QueueAnswer = { status: 'none' };
export const busy = new ApiProblem({ code: 'STORE_UNAVAILABLE', status: 503, retryAfterSeconds: 7 });
export const unreachable = new ApiProblem({ code: 'NETWORK_UNREACHABLE', status: 0 });
export const signedOut = new ApiProblem({ code: 'UNAUTHENTICATED', status: 401 });

/** A server that gives these answers in turn, and repeats the last one. */
export function aServer(answers: (QueueAnswer | Error)[]) {
  const calls: string[] = [];
  const next = (name: string) => async (): Promise<QueueAnswer> => {
    calls.push(name);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  const client: QueueClient = {
    check: next('check'),
    status: next('status'),
    heartbeat: async () => void calls.push('heartbeat'),
    leave: async () => void calls.push('leave'),
  };
  return { client, calls };
}

/** What a session needs beside a server; its stream is mute until the test speaks on it. */
export function sessionParts(start: { position: number | null } = { position: null }) {
  return {
    now: () => Date.now(),
    deviceNow: () => Date.now(),
    random: () => 0,
    isSameUser: async () => true,
    startPosition: {
      read: () => start.position,
      write: (position: number | null) => void Object.assign(start, { position }),
    },
  };
}

export const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

export function aSession(...answers: (QueueAnswer | Error)[]) {
  return sessionWith(undefined, answers);
}

/** One that comes back to what was kept. */
export function aResumedSession(slotEndsAtMs: number | null, ...answers: (QueueAnswer | Error)[]) {
  return sessionWith({ slotEndsAtMs }, answers);
}

function sessionWith(resumed: QueueSessionOptions['resumed'], answers: (QueueAnswer | Error)[]) {
  const news: TabNews[] = [];
  const stream = aStream();
  const { client, calls } = aServer(answers);
  const session = createQueueSession({
    ...sessionParts(),
    eventId: 'event',
    client,
    stream: stream.open,
    tell: (word) => void news.push(word),
    ...(resumed && { resumed }),
  });
  const statuses = () => calls.filter((call) => call === 'status').length;
  return { session, stream, calls, statuses, news, pass };
}
