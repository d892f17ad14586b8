import type { BrowserContext } from 'playwright-core';

/** What the queue answers next; a test changes it as it goes. */
export interface QueueScript {
  /** The answer of check and status. */
  answer: Record<string, unknown>;
  /** Instead of an answer, a problem. */
  problem: { status: number; code: string; [member: string]: unknown } | null;
  /** The calls so far, as `check`, `status`, `heartbeat`, `leave`, `stream`. */
  readonly calls: string[];
}

/**
 * Puts a scripted queue in front of the real one for this visitor: pages can be shown states that take an hour to reach.
 * It has no stream, so the page polls.
 */
export async function scriptQueue(context: BrowserContext): Promise<QueueScript> {
  const script: QueueScript = { answer: waitingAt(1_234), problem: null, calls: [] };
  await context.route('**/api/queue/**', (route) => {
    const call = new URL(route.request().url()).pathname.split('/')[3] ?? '';
    script.calls.push(call);
    if (call === 'stream') return route.fulfill({ status: 204 });
    if (script.problem !== null) {
      const { status } = script.problem;
      return route.fulfill({ status, contentType: 'application/problem+json', json: script.problem });
    }
    if (call === 'heartbeat') return route.fulfill({ status: 204 });
    if (call === 'leave') {
      script.answer = noPlace;
      return route.fulfill({ json: { left: 'place' } });
    }
    return route.fulfill({ json: script.answer });
  });
  return script;
}

const everybody = {
  nextPoll: 1,
  currentUsers: 987,
  threshold: 1_000,
  queueSize: 5_678,
  ticket: null,
  paused: false,
  message: null,
  opensAt: null,
  stale: false,
  event: { title: '밤의 정거장', artist: '느린우체통', date: '2026-12-31T09:00:00.000Z' },
};

export function waitingAt(position: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...everybody,
    status: 'waiting',
    queued: true,
    position,
    peopleAhead: position - 1,
    peopleBehind: everybody.queueSize - position,
    estimatedWait: position / 2,
    estimatedWaitHigh: position * 0.9,
    ...more,
  };
}

export function inSlot(endsInMs: number): Record<string, unknown> {
  return { ...everybody, status: 'active', queued: false, slotEndsAt: new Date(Date.now() + endsInMs).toISOString() };
}

export function closedUntil(opensAt: string | null): Record<string, unknown> {
  return { ...everybody, status: 'closed', queued: false, opensAt };
}

export const noPlace: Record<string, unknown> = { ...everybody, status: 'none', queued: false };
