import type { BrowserContext, Page, Request } from 'playwright-core';
import { createQueueCaller } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';

export interface QueueLine {
  readonly eventId: string;
  readonly path: string;
  /** Those ahead, the first of them in the slot. They wait without a browser. */
  readonly ahead: readonly SomebodySignedIn[];
  leave(who: SomebodySignedIn | undefined): Promise<void>;
  /** An operator's act: `pause`, or `message` with what to say. */
  operate(act: 'pause' | 'resume' | 'message' | 'clear', body?: object): Promise<void>;
  /** Whether the queue counts this user's slot as taken up. */
  hasClaimed(userId: string): Promise<boolean>;
}

/** A show with a real queue, for an urr with one slot per event. So many are ahead of the next to come. */
export async function aLine(url: string, aheadCount: number): Promise<QueueLine> {
  const eventId = await aShowOnSale(url);
  const caller = createQueueCaller(eventId, () => url);
  const ahead = Array.from({ length: aheadCount }, () => aSignedIn());
  for (const who of ahead) await caller.check(who);
  const admin = async (path: string, init: RequestInit = {}) => {
    const headers = {
      authorization: `Bearer ${aSignedIn('operator').accessToken}`,
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    };
    const answer = await fetch(`${url}/api/queue/admin/${eventId}${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    eventId,
    path: `/queue/${eventId}`,
    ahead,
    async leave(who) {
      if (who === undefined) throw new Error('nobody is there to leave');
      await caller.leave(who);
    },
    async operate(act, body) {
      await admin(`/${act}`, { method: 'POST', ...(body !== undefined && { body: JSON.stringify(body) }) });
    },
    async hasClaimed(userId) {
      const { claimed } = (await admin(`/users/${userId}`)) as { claimed: boolean | null };
      return claimed === true;
    },
  };
}

/** The turn is shown for some seconds, and then by the line about the slot, on the page to which it leads. */
export function seesTurn(page: Page): Promise<void> {
  return page
    .getByText(/^(입장하실 차례입니다|지금 예매하실 차례입니다)/)
    .first()
    .waitFor();
}

/** Signs a browser in as somebody new. Returns who it is. */
export async function signIn(context: BrowserContext, url: string): Promise<SomebodySignedIn> {
  const who = aSignedIn();
  await context.addCookies([{ name: 'urr-access', value: who.accessToken, url, httpOnly: true, sameSite: 'Lax' }]);
  return who;
}

export interface QueueCalls {
  /** How often this was asked so far, by the name of the call. */
  count(call: string): number;
  /** How many streams are open now, in all tabs. */
  openStreams(): number;
  /** The most that were ever open at once. */
  openStreamsMax(): number;
}

/** Follows what this browser asks of the queue. */
export function followCalls(context: BrowserContext): QueueCalls {
  const counts = new Map<string, number>();
  const streams = new Set<Request>();
  let streamsMax = 0;
  context.on('request', (request) => {
    const [, api, queue, call = ''] = new URL(request.url()).pathname.split('/');
    if (api !== 'api' || queue !== 'queue') return;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    if (call === 'stream') streams.add(request);
    streamsMax = Math.max(streamsMax, streams.size);
  });
  const forget = (request: Request) => streams.delete(request);
  context.on('requestfinished', forget);
  context.on('requestfailed', forget);
  return {
    count: (call) => counts.get(call) ?? 0,
    openStreams: () => streams.size,
    openStreamsMax: () => streamsMax,
  };
}

/**
 * From now on questions about the place stay unanswered: what the page shows it was told by its stream, however often it asks
 * meanwhile. Returns how to end it.
 */
export async function answerNoStatus(context: BrowserContext): Promise<() => Promise<void>> {
  const where = '**/api/queue/status/**';
  await context.route(where, (route) => route.abort());
  return () => context.unroute(where);
}
