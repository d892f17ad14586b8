import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFollowedQueues } from './followed-queues.ts';
import type { KeptPlace, KeptPlaces } from './kept-places.ts';
import type { QueueAnswer } from './queue-client.ts';
import { createQueueSession, type TabNews } from './queue-session.ts';
import { aServer, myTurn, nothing, pass, sessionParts, signedOut, waiting } from './testing/a-session.ts';
import { aStream } from './testing/a-stream.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-12-01T11:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** A browser: what it keeps, and the channel between its tabs. */
function aBrowser() {
  const places = new Map<string, KeptPlace>();
  const tabs: { tab: object; eventId: string; hear(news: TabNews): void }[] = [];
  const told = new Map<object, () => void>();
  const writtenBy = (tab: object) => {
    for (const [other, tell] of told) if (other !== tab) tell();
  };
  const keptOf = (tab: object): KeptPlaces => ({
    read: () => new Map(places),
    write(eventId, place) {
      const isNew = JSON.stringify(places.get(eventId)) !== JSON.stringify(place);
      places.set(eventId, place);
      if (isNew) writtenBy(tab);
    },
    forget(eventId) {
      if (places.delete(eventId)) writtenBy(tab);
    },
    subscribe: (listener) => void told.set(tab, listener),
  });
  return { places, tabs, keptOf };
}

/** A tab, and what the server answers it for each event. */
function aTab(answers: Record<string, (QueueAnswer | Error)[]>, browser = aBrowser()) {
  const tab = {};
  const cookies = { user: 'mina' };
  const servers = new Map(Object.entries(answers).map(([eventId, list]) => [eventId, aServer(list)]));
  const streams = new Map<string, ReturnType<typeof aStream>>();
  const of = <Value>(map: Map<string, Value>, eventId: string): Value => {
    const value = map.get(eventId);
    if (value === undefined) throw new Error(`nothing is known of ${eventId}`);
    return value;
  };
  const queues = createFollowedQueues({
    createSession(parts) {
      const stream = aStream();
      streams.set(parts.eventId, stream);
      const { client } = of(servers, parts.eventId);
      return createQueueSession({ ...sessionParts(), ...parts, client, stream: stream.open });
    },
    kept: browser.keptOf(tab),
    isSignedIn: async (user) => user === cookies.user,
    openTabNews(eventId, hear) {
      const mine = { tab, eventId, hear };
      browser.tabs.push(mine);
      return {
        tell(news) {
          for (const other of browser.tabs) if (other.eventId === eventId && other !== mine) other.hear(news);
        },
        close: () => void browser.tabs.splice(browser.tabs.indexOf(mine), 1),
      };
    },
  });
  return {
    queues,
    cookies,
    browser,
    calls: (eventId: string) => of(servers, eventId).calls,
    stream: (eventId: string) => of(streams, eventId),
    kinds: () => queues.list().map(({ eventId, view }) => `${eventId} ${view.kind}`),
  };
}

/** Somebody who has been in line on the queue's page and has left it. */
async function aWanderer(...answers: (QueueAnswer | Error)[]) {
  const parts = aTab({ a: answers });
  parts.queues.setUser('mina');
  const close = parts.queues.open('a');
  await pass(0);
  close();
  return parts;
}

describe('who leaves the page of the queue', () => {
  test('stays in line: the stream is heard, signs of life go on, and the turn is claimed', async () => {
    const { queues, calls, stream, kinds } = await aWanderer(waiting(3), waiting(3), myTurn);
    stream('a').rank(2);
    for (let seconds = 0; seconds < 60; seconds += 10) {
      await pass(10);
      stream('a').rank(1);
    }
    expect(queues.view('a')).toMatchObject({ kind: 'waiting', position: 1 });
    expect(calls('a')).toEqual(['check', 'heartbeat', 'heartbeat', 'status']);
    stream('a').turn();
    await pass(0);
    expect(kinds()).toEqual(['a turn']);
  });

  test('comes back to the same place without entering twice', async () => {
    const { queues, calls } = await aWanderer(waiting(3));
    queues.open('a');
    await pass(0);
    expect(calls('a')).toEqual(['check']);
    expect(queues.view('a')).toMatchObject({ kind: 'waiting', position: 3 });
  });

  test.each([
    ['a place that ended', [waiting(3), nothing], 'a gone'],
    ['a slot that is over', [myTurn, nothing], 'a gone'],
    ['a sale that closed', [waiting(3), { status: 'closed' } as const], 'a closed'],
  ])('is told of %s until it is dismissed, and asks no more', async (_, answers, shown) => {
    const { queues, browser, calls, kinds } = await aWanderer(...answers);
    await pass(20);
    expect([kinds(), browser.places.size]).toEqual([[shown], 0]);
    const asked = calls('a').length;
    queues.setOnDuty(false);
    queues.setOnDuty(true);
    queues.wake();
    await pass(600);
    expect(calls('a').length).toBe(asked);
    queues.dismiss('a');
    expect(kinds()).toEqual([]);
  });

  test('sees on the page why the place is gone, and lines up anew only when asked to', async () => {
    const { queues, calls, kinds } = await aWanderer(waiting(3), nothing, waiting(90));
    await pass(5);
    const close = queues.open('a');
    await pass(60);
    expect([queues.view('a'), calls('a')]).toMatchObject([{ kind: 'gone', why: 'ended' }, ['check', 'status']]);
    queues.enterAgain('a');
    await pass(0);
    expect(queues.view('a')).toMatchObject({ kind: 'waiting', position: 90 });
    close();
    expect(kinds()).toEqual(['a waiting']);
  });

  test('with nothing gained is followed no longer: refused, or before the opening', async () => {
    for (const answer of [signedOut, { status: 'closed', opensAt: '2026-12-01T12:00:00Z' } as const]) {
      const { kinds, calls, browser } = await aWanderer(answer);
      await pass(600);
      expect([kinds(), calls('a'), browser.places.size]).toEqual([[], ['check'], 0]);
    }
  });

  test('is told in every tab that the turn was passed on, and of a slot that has done its work nothing', async () => {
    const { queues, browser, kinds } = await aWanderer(myTurn);
    const other = aTab({ a: [myTurn] }, browser);
    other.queues.setUser('mina');
    other.queues.start(null);
    await pass(0);
    await queues.leave('a');
    expect([queues.view('a'), other.queues.view('a')]).toMatchObject([{ why: 'passed' }, { why: 'passed' }]);
    queues.dismiss('a');
    expect(kinds()).toEqual([]);
    const buyer = await aWanderer(myTurn);
    await buyer.queues.leave('a', 'done');
    expect(buyer.kinds()).toEqual([]);
  });

  test('who signed in as another one, unheard by this tab, is never told that the place has ended', async () => {
    const { queues, cookies } = aTab({ a: [waiting(3), nothing] });
    queues.setUser('mina');
    queues.open('a');
    await pass(0);
    cookies.user = 'juno';
    await pass(30);
    expect(queues.view('a')).toMatchObject({ kind: 'waiting', position: 3 });
    queues.setUser('juno');
    await pass(30);
    expect(queues.view('a')).toMatchObject({ kind: 'gone', why: 'ended' });
  });

  test('leaves the line for good from any page', async () => {
    const { queues, browser, kinds } = await aWanderer(waiting(3));
    await queues.leave('a');
    expect([kinds(), browser.places.size, browser.tabs.length]).toEqual([[], 0, 0]);
  });
});

describe('several queues', () => {
  test('come the most urgent first: the turn that ends soonest, then the foremost place, then news', async () => {
    const { queues, kinds } = aTab({
      far: [waiting(900)],
      over: [waiting(1), nothing],
      near: [waiting(41)],
      later: [{ status: 'active', slotEndsAt: '2026-12-01T11:20:00Z' }],
      sooner: [myTurn],
    });
    for (const eventId of ['far', 'over', 'near', 'later', 'sooner']) queues.open(eventId)();
    await pass(5);
    expect(kinds()).toEqual(['sooner turn', 'later turn', 'near waiting', 'far waiting', 'over gone']);
  });
});

describe('after a reload', () => {
  test('what is kept comes back without entering; what is over is gone without a word', async () => {
    const { browser } = await aWanderer(waiting(3));
    browser.places.set('b', { user: 'mina', slotEndsAtMs: null });
    const { queues, kinds, calls } = aTab({ a: [waiting(2)], b: [nothing] }, browser);
    queues.start(null);
    expect(kinds()).toEqual(['a entering', 'b entering']);
    queues.setUser('mina');
    await pass(0);
    expect([kinds(), calls('a'), calls('b')]).toEqual([['a waiting'], ['status'], ['status']]);
    expect([...browser.places.keys()]).toEqual(['a']);
  });

  test('on the page of a queue one call is enough', async () => {
    const { browser } = await aWanderer(waiting(3));
    const { queues, calls } = aTab({ a: [waiting(3)] }, browser);
    queues.start('a');
    queues.open('a');
    await pass(0);
    expect([calls('a'), queues.view('a')]).toMatchObject([['check'], { kind: 'waiting', position: 3 }]);
  });

  test('a slot is there at once', async () => {
    const { browser } = await aWanderer(myTurn);
    const { queues, kinds } = aTab({ a: [myTurn] }, browser);
    queues.start(null);
    expect(kinds()).toEqual(['a turn']);
  });
});

describe('who is signed in', () => {
  test.each(['somebody else', null])('%s: places of the former user are forgotten and not followed', async (next) => {
    const { queues, browser, calls, kinds } = await aWanderer(waiting(3));
    queues.setUser(next);
    const asked = calls('a').length;
    await pass(300);
    expect([kinds(), browser.places.size, calls('a').length]).toEqual([[], 0, asked]);
  });

  test('what another user has left behind is not shown once it is known who is there', async () => {
    const { browser } = await aWanderer(waiting(3));
    const { queues, kinds } = aTab({ a: [waiting(3)] }, browser);
    queues.start(null);
    queues.setUser('somebody else');
    expect([kinds(), browser.places.size]).toEqual([[], 0]);
  });

  test('who is recognised late keeps the place', async () => {
    const { queues, browser, kinds } = aTab({ a: [waiting(3)] });
    queues.open('a')();
    await pass(0);
    queues.setUser('mina');
    expect([kinds(), browser.places.get('a')]).toEqual([['a waiting'], { user: 'mina', slotEndsAtMs: null }]);
  });

  test('on the open page of the queue the one who is there now lines up', async () => {
    const { queues, calls } = aTab({ a: [waiting(3), waiting(70)] });
    queues.setUser('mina');
    queues.open('a');
    await pass(0);
    queues.setUser('somebody else');
    await pass(0);
    expect([calls('a'), queues.view('a')]).toMatchObject([['check', 'check'], { kind: 'waiting', position: 70 }]);
  });
});

describe('two tabs', () => {
  test('a place taken in one is followed in the other, and given up in both', async () => {
    const one = aTab({ a: [waiting(3)] });
    const other = aTab({ a: [waiting(3)] }, one.browser);
    other.queues.start(null);
    const close = one.queues.open('a');
    await pass(0);
    close();
    expect([other.kinds(), other.calls('a')]).toEqual([['a waiting'], ['status']]);
    await one.queues.leave('a');
    expect([one.kinds(), other.kinds()]).toEqual([[], []]);
  });

  test('one that is not on duty is silent, learns of the turn all the same, and asks at once when it is looked at', async () => {
    const one = aTab({ a: [waiting(1), myTurn] });
    const other = aTab({ a: [waiting(1), waiting(1), myTurn] }, one.browser);
    other.queues.start(null);
    one.queues.open('a');
    await pass(0);
    other.queues.setOnDuty(false);
    await pass(4);
    expect(other.calls('a')).toEqual(['status']);
    other.queues.setOnDuty(true);
    await pass(0);
    expect(other.calls('a')).toEqual(['status', 'status']);
    other.queues.setOnDuty(false);
    await pass(1);
    expect([one.kinds(), other.kinds()]).toEqual([['a turn'], ['a turn']]);
  });

  test('one that is not on duty does not go on showing a slot that is over', async () => {
    const one = aTab({ a: [myTurn, nothing] });
    const other = aTab({ a: [myTurn, nothing] }, one.browser);
    other.queues.start(null);
    one.queues.open('a');
    await pass(0);
    other.queues.setOnDuty(false);
    await pass(20);
    expect([one.kinds(), other.kinds()]).toEqual([['a gone'], ['a gone']]);
  });
});
