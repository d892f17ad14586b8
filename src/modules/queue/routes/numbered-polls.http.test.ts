import { expect, test } from 'vitest';
import { createInternalClient, inProcessTransport } from '#platform/http/internal-client.ts';
import { queueInternalCalls } from '../contract.ts';
import { aQueue, type Person } from '../testing/a-queue.ts';

const queue = await aQueue({ threshold: 1 });
const { anEvent, person, check, status, call, clock, runJob, storeCalls, vwrTokens, store, outage } = queue;
const client = createInternalClient(queueInternalCalls, inProcessTransport(queue.instance.internal));

/** One poll in a hundred of the first thousand would be ten; the very first ask, since their positions are wanted to the letter. */
const asksUntil = 50;

function numbered(event: string, pos: number) {
  const claims = { sub: event, uid: 'visitor', pos, era: 1, tier: 1, jti: `1.${pos}` } as const;
  return { headers: { cookie: `urr-vwr-token-${event}=${vwrTokens.sign(claims).token}` } };
}

/** Somebody with a late number came first and has a slot; all the others wait with smaller ones, behind the watermark. */
async function aSaleByNumber(crowd: number): Promise<{ event: string; shopper: Person; people: Person[] }> {
  const event = anEvent();
  await client.switchRoom({ eventId: event, on: true });
  const shopper = person();
  expect(await check(event, shopper, numbered(event, 1_000_000))).toMatchObject({ status: 'active' });
  const people: Person[] = [];
  for (let pos = 1; pos <= crowd; pos++) {
    const one = person();
    people.push(one);
    await check(event, one, numbered(event, pos));
  }
  await runJob('queue-signs-of-life');
  await runJob('queue-snapshots');
  return { event, shopper, people };
}

const poll = (event: string, one: Person) => status(event, one, { anonymous: true });

test('polls of 10,000 tickets below the watermark cost the store as much as those of 1,000', async () => {
  const costs: unknown[] = [];
  for (const crowd of [1_000, 10_000]) {
    const { event, people } = await aSaleByNumber(crowd);
    storeCalls.clear();
    for (const [n, one] of people.entries()) {
      expect(await poll(event, one)).toMatchObject({ status: 'waiting', position: n + 1 });
    }
    costs.push([...storeCalls]);
  }
  expect(costs).toEqual([[['enter', asksUntil]], [['enter', asksUntil]]]);

  // And a second of the process's own work costs the same, too.
  storeCalls.clear();
  await runJob('queue-snapshots');
  const { activeEvents: _, servers: _servers, identity: _identity, ...calls } = Object.fromEntries(storeCalls);
  expect(calls).toEqual({ snapshot: 2, marks: 2 });
});

test('who is admitted, leaves, or comes back unclaimed is told so with the next snapshot', async () => {
  const { event, shopper, people } = await aSaleByNumber(200);
  const [first = shopper, leaver = shopper, last = shopper] = [people[0], people[149], people[199]];
  expect(await poll(event, last)).toMatchObject({ position: 200 });
  const { ticket } = await poll(event, leaver);
  await call('POST', `/api/queue/leave/${event}`, { as: leaver });
  await call('POST', `/api/queue/leave/${event}`, { as: shopper });
  clock.advance(1_000);
  await runJob('queue-admission');
  await runJob('queue-snapshots');
  const byTicket = { headers: { 'x-queue-ticket': ticket ?? '' }, anonymous: true };
  expect(await status(event, leaver, byTicket)).toMatchObject({ status: 'none' });
  expect(await poll(event, last)).toMatchObject({ position: 198 });

  // The slot was never claimed: its place is no longer over.
  for (let second = 0; second < 200; second++) {
    clock.advance(1_000);
    if (second % 25 === 0) for (const one of people) if (one !== first && one !== leaver) await poll(event, one);
    for (const job of ['queue-signs-of-life', 'queue-admission', 'queue-snapshots']) await runJob(job);
  }
  await runJob('queue-snapshots');
  expect(await poll(event, first)).toMatchObject({ status: 'waiting' });
});

test('a store that lost everything, or that cannot be read, is asked by everybody who may be concerned', async () => {
  const { event, people } = await aSaleByNumber(100);
  const last = people.at(-1) ?? person();
  outage.on = true;
  await runJob('queue-snapshots');
  expect(await poll(event, last)).toMatchObject({ stale: true, position: 100 });
  outage.on = false;
  store.wipe(event);
  await runJob('queue-snapshots');
  for (const one of people) await poll(event, one);
  clock.advance(75_000);
  await runJob('queue-snapshots');
  storeCalls.clear();
  // Of the new epoch the marks are known again.
  expect(await poll(event, last)).toMatchObject({ status: 'waiting', stale: false, position: 100 });
  expect([...storeCalls.keys()]).toEqual([]);
});
