import { expect, test } from 'vitest';
import { aQueue, type Person } from '../testing/a-queue.ts';
import { pastTheGate } from '../testing/seats-behind.ts';

const queue = await aQueue({ threshold: 1 });
const { anEvent, person, check, call, seats, store, storeCalls, told, clock, runJob } = queue;

/** These wait behind somebody who then leaves; the first is admitted and has nothing but the pushed token. */
async function admittedByPush(event: string, waiters: readonly Person[]): Promise<string> {
  const shopper = person();
  await check(event, shopper);
  for (const one of waiters) await check(event, one);
  await call('POST', `/api/queue/leave/${event}`, { as: shopper });
  await second();
  const notice = told.findLast(({ userId }) => userId === waiters[0]?.userId);
  if (notice === undefined) throw new Error('nobody was admitted');
  return notice.entryToken;
}

/** What the jobs do in a second. */
async function second(): Promise<void> {
  clock.advance(1_000);
  for (const job of ['queue-slot-claims', 'queue-signs-of-life', 'queue-snapshots', 'queue-admission'])
    await runJob(job);
}

async function seconds(count: number, each: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) {
    await each(n);
    await second();
  }
}

async function traceOf(eventId: string, { userId }: Person) {
  const trace = await store.trace({ eventId, userId });
  if (trace.status === 'lost') throw new Error('lost');
  return trace;
}

test('anyone who was admitted by push and only makes protected calls keeps the slot past the time to claim it', async () => {
  const event = anEvent();
  const [ann, ben] = [person(), person()];
  const token = { 'x-queue-entry-token': await admittedByPush(event, [ann, ben]) };
  expect(await traceOf(event, ann)).toMatchObject({ place: 'active', slot: { claimed: false } });
  const before = storeCalls.get('claim') ?? 0;
  const bare = { ...ann, cookies: new Map() };
  await seconds(20, async (n) => {
    if (n % 4 === 0) expect((await seats(event, bare, token)).statusCode).toBe(pastTheGate);
  });
  expect(await traceOf(event, ann)).toMatchObject({ slot: { claimed: true } });
  expect((storeCalls.get('claim') ?? 0) - before).toBeLessThanOrEqual(5);
  await seconds(130, async () => undefined);
  expect(await traceOf(event, ann)).toMatchObject({ place: 'active' });
  expect((await seats(event, bare, token)).statusCode).toBe(pastTheGate);
});

test('without such a call the slot goes back, and the token with it', async () => {
  const event = anEvent();
  const [ann, ben] = [person(), person()];
  const token = { 'x-queue-entry-token': await admittedByPush(event, [ann, ben]) };
  await seconds(125, async (n) => {
    if (n % 20 === 0) await call('POST', `/api/queue/heartbeat/${event}`, { as: ben });
  });
  expect(await traceOf(event, ann)).toMatchObject({ place: 'parked', returned: true });
  expect(await traceOf(event, ben)).toMatchObject({ place: 'active' });
  expect((await seats(event, ann, token)).statusCode).toBe(403);
});

test('a call for one event claims no slot of another', async () => {
  const [event, other] = [anEvent(), anEvent()];
  const ann = person();
  for (const each of [event, other]) {
    ann.cookies.set(`urr-entry-token-${each}`, await admittedByPush(each, [ann]));
  }
  for (const each of [event, other]) ann.cookies.delete(`urr-queue-ticket-${each}`);
  expect((await seats(event, ann)).statusCode).toBe(pastTheGate);
  await second();
  expect(await traceOf(event, ann)).toMatchObject({ slot: { claimed: true } });
  expect(await traceOf(other, ann)).toMatchObject({ slot: { claimed: false } });
});

test('a call that is refused claims nothing', async () => {
  const [event, other] = [anEvent(), anEvent()];
  const ann = person();
  const token = { 'x-queue-entry-token': await admittedByPush(event, [ann]) };
  expect((await seats(other, ann, token)).statusCode).toBe(403);
  expect((await seats(event, person(), token)).statusCode).toBe(403);
  await second();
  expect(await traceOf(event, ann)).toMatchObject({ slot: { claimed: false } });
});
