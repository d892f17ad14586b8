import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient } from '#test/kit/client.ts';
import { anSqsQueue } from '#test/kit/engines/sqs.ts';
import { eventually } from '#test/kit/faults.ts';

test('with SQS away a buyer is let in all the same, and the notice is sent when it is back', async () => {
  const queue = await anSqsQueue({ started: false });
  const app = await startTestApp({
    demo: true,
    env: { URR_SQS_QUEUE_URL: queue.queueUrl, URR_SQS_ENDPOINT: queue.endpoint },
  });
  const visitor = aClient(app.url);
  const { items } = await visitor.listEvents();
  const eventId = items.find(({ status }) => status === 'on_sale')?.id ?? '';
  const buyer = await visitor.as('buyer');
  const { user } = await buyer.getMe();
  expect(await buyer.checkQueue({ params: { eventId } })).toMatchObject({ status: 'active' });

  await queue.start();
  const messages = await eventually(
    async () => {
      const found = await queue.messages();
      return found.length > 0 && found;
    },
    { withinMs: 60_000, what: 'the notice' },
  );
  expect(messages.map(({ body }) => JSON.parse(body))).toEqual([
    expect.objectContaining({ action: 'admitted', eventId, userId: user.id }),
  ]);
  await app.stop();
});
