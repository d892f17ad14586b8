import { expect, test } from 'vitest';
import { createInternalClient, inProcessTransport } from '#platform/http/internal-client.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { queueInternalCalls } from '../contract.ts';
import { createQueue } from '../index.ts';
import { aQueue } from '../testing/a-queue.ts';

const { anEvent, person, check, status, call, clock, runJob, store, storeCalls, instance, deps } = await aQueue();
/** Access tokens live for an hour. */
const saleMs = 1_800_000;

test('questions about an event that was taken out of the store are answered, and do not bring it back', async () => {
  const event = anEvent({ saleClosesAt: new Date(clock.now() + saleMs).toISOString() });
  const [ann, ben, operator] = [person(), person(), person('operator')];
  const { ticket } = await check(event, ann);
  await check(event, ben);
  await call('POST', `/api/queue/leave/${event}`, { as: ben });
  clock.advance(saleMs + 660_000);
  for (const job of ['queue-admission', 'queue-clean-up']) await runJob(job);
  expect(await store.snapshot({ eventId: event })).toEqual({ status: 'lost' });
  expect(await store.activeEvents()).not.toContain(event);

  const before = storeCalls.get('begin');
  await runJob('queue-snapshots');
  const headers = { 'x-queue-ticket': ticket ?? '' };
  expect(await check(event, person())).toMatchObject({ status: 'closed' });
  expect(await check(event, ann, { headers })).toMatchObject({ status: 'closed', currentUsers: 0 });
  expect(await status(event, ann, { headers })).toMatchObject({ status: 'closed' });
  expect((await call('POST', `/api/queue/heartbeat/${event}`, { as: ann })).statusCode).toBeLessThan(300);
  await runJob('queue-signs-of-life');
  expect((await call('POST', `/api/queue/leave/${event}`, { as: ann, headers })).json()).toEqual({ left: 'nothing' });
  expect((await call('GET', `/api/queue/stream/${event}`, { as: ann, headers })).json()).toMatchObject({
    code: 'NO_PLACE',
  });
  const overview = await call('GET', `/api/queue/admin/${event}`, { as: operator });
  expect(overview.json()).toMatchObject({ waiting: 0, active: 0, stale: false });
  const where = await call('GET', `/api/queue/admin/${event}/users/${ann.userId}`, { as: operator });
  expect(where.json()).toMatchObject({ place: 'none' });
  const client = createInternalClient(queueInternalCalls, inProcessTransport(instance.internal));
  const slot = { eventId: event, userId: ann.userId, slotId: `${event}.1.1` };
  expect(await client.endSlot(slot)).toEqual({ ended: false });
  for (const job of ['queue-admission', 'queue-clean-up', 'queue-snapshots']) await runJob(job);
  expect(storeCalls.get('begin')).toBe(before);
  expect(await store.snapshot({ eventId: event })).toEqual({ status: 'lost' });
});

test('what an operator does there brings it back first', async () => {
  const event = anEvent({ saleClosesAt: new Date(clock.now() + saleMs).toISOString() });
  const operator = person('operator');
  await enteredAndGone(event);
  const answer = await call('PUT', `/api/queue/admin/threshold/${event}`, { as: operator, body: { threshold: 7 } });
  expect(answer.statusCode).toBe(200);
  expect(await store.snapshot({ eventId: event })).toMatchObject({ epoch: 2, settings: { threshold: 7 } });
});

test('nor does a process that starts after it was taken out, and is asked about it', async () => {
  const event = anEvent({ saleClosesAt: new Date(clock.now() + saleMs).toISOString() });
  const { userId } = await enteredAndGone(event);
  const neverEntered = anEvent({ saleClosesAt: new Date(clock.now() - 1).toISOString() });
  const later = createQueue({ ...deps, metrics: createMetrics() });
  const before = storeCalls.get('begin');
  const client = createInternalClient(queueInternalCalls, inProcessTransport(later.internal));
  for (const eventId of [event, neverEntered]) {
    expect(await client.endSlot({ eventId, userId, slotId: `${eventId}.1.1` })).toEqual({ ended: false });
  }
  for (const job of later.jobs ?? []) await job.run(new AbortController().signal);
  expect(storeCalls.get('begin')).toBe(before);
  expect(await store.snapshot({ eventId: event })).toEqual({ status: 'lost' });
  await later.stop?.();
});

async function enteredAndGone(event: string): Promise<{ userId: string }> {
  const someone = person();
  await check(event, someone);
  clock.advance(saleMs + 660_000);
  for (const job of ['queue-admission', 'queue-clean-up']) await runJob(job);
  expect(await store.snapshot({ eventId: event })).toEqual({ status: 'lost' });
  return someone;
}
