import { expect, test } from 'vitest';
import { aQueue } from '../testing/a-queue.ts';

const queue = await aQueue({ threshold: 1 });
const { anEvent, person, check, status, call, clock, deps, admit } = queue;

async function waitsTold(): Promise<{ count: number; seconds: number }> {
  const told = await deps.metrics.registry.getSingleMetric('urr_queue_wait_seconds')?.get();
  const toldAs = (name: string) =>
    told?.values.find((value) => 'metricName' in value && value.metricName === `urr_queue_wait_seconds_${name}`)?.value;
  return { count: toldAs('count') ?? 0, seconds: toldAs('sum') ?? 0 };
}

const leave = (event: string, as: ReturnType<typeof person>) => call('POST', `/api/queue/leave/${event}`, { as });

test('a wait ends with the admission, however late its user comes and however often', async () => {
  const event = anEvent();
  const [first, ann] = [person(), person()];
  await check(event, first);
  await check(event, ann);
  clock.advance(10_000);
  await leave(event, first);
  await admit(event);
  clock.advance(60_000);
  const before = await waitsTold();
  for (let asked = 0; asked < 3; asked++) expect(await status(event, ann)).toMatchObject({ status: 'active' });
  const after = await waitsTold();
  expect({ count: after.count - before.count, seconds: after.seconds - before.seconds }).toEqual({
    count: 1,
    seconds: 10,
  });
});

test('anyone who got a slot at once did not wait, and the ticket of a former place says nothing of this one', async () => {
  const event = anEvent();
  const ann = person();
  const before = await waitsTold();
  expect(await check(event, ann)).toMatchObject({ status: 'active' });
  clock.advance(5_000);
  expect(await status(event, ann)).toMatchObject({ status: 'active' });
  clock.advance(600_000);
  expect(await check(event, ann)).toMatchObject({ status: 'active' });
  expect(await waitsTold()).toEqual(before);
});
