import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { anSqsQueue, type SqsQueue, sqsSurroundings } from '#test/kit/engines/sqs.ts';
import { eventually } from '#test/kit/faults.ts';
import { handler } from './handler.ts';
import { pollOnce } from './poll.ts';

const noticeOf = (userId: string) =>
  JSON.stringify({
    action: 'admitted',
    eventId: 'event',
    userId,
    entryToken: 'secret',
    timestamp: '2027-03-01T11:00Z',
  });
const record = (messageId: string, body: string, group = 'event') => ({
  messageId,
  body,
  attributes: { MessageGroupId: group },
});

async function send(queue: SqsQueue, body: string, group = 'event'): Promise<void> {
  const MessageDeduplicationId = crypto.randomUUID();
  await queue.client.send(
    new SendMessageCommand({
      QueueUrl: queue.queueUrl,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId,
    }),
  );
}

test('the handler logs each notice, and never its token', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  expect(await handler({ Records: [record('1', noticeOf('ann')), record('2', noticeOf('bob'))] })).toEqual({
    batchItemFailures: [],
  });
  const lines = log.mock.calls.map(([line]) => String(line));
  expect(lines.map((line) => JSON.parse(line).userId)).toEqual(['ann', 'bob']);
  expect(lines.join()).not.toContain('secret');
  log.mockRestore();
});

test.each([
  ['no JSON', 'admitted!'],
  ['nothing', 'null'],
  ['another action', JSON.stringify({ ...JSON.parse(noticeOf('eve')), action: 'left' })],
  ['no user', JSON.stringify({ ...JSON.parse(noticeOf('eve')), userId: undefined })],
])('a record with %s is reported, and so are those behind it in its event only', async (_, bad) => {
  const quiet = [vi.spyOn(console, 'log').mockReturnValue(), vi.spyOn(console, 'error').mockReturnValue()];
  const Records = [
    record('1', noticeOf('ann')),
    record('2', bad),
    record('3', noticeOf('bob')),
    record('4', noticeOf('cy'), 'other-event'),
  ];
  expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '3' }] });
  for (const spy of quiet) spy.mockRestore();
});

test('polling deletes what was handled and leaves the rest for another try', async () => {
  const quiet = [vi.spyOn(console, 'log').mockReturnValue(), vi.spyOn(console, 'error').mockReturnValue()];
  const queue = await anSqsQueue();
  await send(queue, noticeOf('ann'));
  await send(queue, 'not a notice');
  await send(queue, noticeOf('bob'));
  await send(queue, noticeOf('cy'), 'other-event');
  const { client, queueUrl } = queue;
  expect(await pollOnce({ client, queueUrl, signal: new AbortController().signal, waitSeconds: 0 })).toBe(2);
  expect((await queue.messages()).map(({ body }) => body)).toEqual(['not a notice', noticeOf('bob')]);
  for (const spy of quiet) spy.mockRestore();
});

test('the worker empties the queue, waits for more, and ends when told to', async () => {
  const queue = await anSqsQueue();
  await send(queue, noticeOf('ann'));
  const script = fileURLToPath(new URL('./ticket-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [script], {
    env: { ...sqsSurroundings, URR_SQS_QUEUE_URL: queue.queueUrl, URR_SQS_ENDPOINT: queue.endpoint },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  worker.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = once(worker, 'exit');
  try {
    const isEmpty = async () => (await queue.messages()).length === 0;
    await eventually(isEmpty, { withinMs: 30_000, what: 'the worker to delete the first' });
    await send(queue, noticeOf('bob'));
    await eventually(isEmpty, { withinMs: 30_000, what: 'the worker to delete the second' });
  } finally {
    worker.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
  const lines = output.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).userId)).toEqual(['ann', 'bob']);
});
