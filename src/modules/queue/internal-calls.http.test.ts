import { expect, test } from 'vitest';
import { createInternalClient, inProcessTransport } from '#platform/http/internal-client.ts';
import { queueInternalCalls } from './contract.ts';
import { aQueue, type Person } from './testing/a-queue.ts';
import { pastTheGate } from './testing/seats-behind.ts';

const queue = await aQueue({ threshold: 1 });
const { anEvent, person, check, status, seats, call, clock, runJob, store } = queue;
const client = createInternalClient(queueInternalCalls, inProcessTransport(queue.instance.internal));

async function slotOf(event: string, who: Person): Promise<string> {
  const trace = await store.trace({ eventId: event, userId: who.userId });
  if (trace.status === 'lost' || trace.slot === null) throw new Error('there is no slot');
  return trace.slot.slotId;
}

test('a confirmed reservation ends the slot that it was made in, and the next one has it', async () => {
  const event = anEvent();
  const [ann, ben] = [person(), person()];
  await check(event, ann);
  await check(event, ben);
  const slot = { eventId: event, userId: ann.userId, slotId: await slotOf(event, ann) };
  expect((await seats(event, ann)).statusCode).toBe(pastTheGate);
  expect(await client.endSlot(slot)).toEqual({ ended: true });
  expect((await seats(event, ann)).statusCode).toBe(403);
  expect(await client.endSlot(slot)).toEqual({ ended: false });
  expect(await status(event, ann)).toMatchObject({ status: 'none' });
  clock.advance(1_000);
  await runJob('queue-admission');
  expect(await status(event, ben)).toMatchObject({ status: 'active' });
});

test('a slot that the user got since, or that is of somebody else, is left alone', async () => {
  const event = anEvent();
  const ann = person();
  await check(event, ann);
  const first = await slotOf(event, ann);
  await call('POST', `/api/queue/leave/${event}`, { as: ann });
  clock.advance(1_000);
  await check(event, ann);
  const second = await slotOf(event, ann);
  expect(await client.endSlot({ eventId: event, userId: ann.userId, slotId: first })).toEqual({ ended: false });
  expect(await client.endSlot({ eventId: event, userId: person().userId, slotId: second })).toEqual({ ended: false });
  expect(await status(event, ann)).toMatchObject({ status: 'active' });
});

test('where the queue is off there is nothing to end, and an unknown event is refused', async () => {
  const event = anEvent({ queueEnabled: false });
  const ann = person();
  const { entryToken = '' } = await check(event, ann);
  const verified = queue.entryTokens.verify(entryToken);
  if (!verified.ok) throw new Error('our own token');
  expect(await client.endSlot({ eventId: event, userId: ann.userId, slotId: verified.claims.jti })).toEqual({
    ended: false,
  });
  const nowhere = person().userId;
  const made = client.endSlot({ eventId: nowhere, userId: ann.userId, slotId: `${nowhere}.1.1` });
  await expect(made).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
