import { setTimeout } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pollOnce } from './poll.ts';

/** Runs the handler where there is no Lambda: receive, log, delete, until SIGINT or SIGTERM. */
const { URR_SQS_QUEUE_URL: queueUrl, URR_SQS_ENDPOINT: endpoint } = process.env;
if (!queueUrl) {
  console.error('Set URR_SQS_QUEUE_URL to the queue that urr writes to.');
  process.exit(2);
}

const pauseAfterFailureMs = 2_000;
const receiveTimeoutMs = 25_000;

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());

const client = new SQSClient({
  ...(endpoint && { endpoint }),
  // An empty receive stays open for 20 seconds.
  requestHandler: { connectionTimeout: 2_000, requestTimeout: receiveTimeoutMs, throwOnRequestTimeout: true },
});

while (!stopping.signal.aborted) {
  try {
    await pollOnce({ client, queueUrl, signal: stopping.signal });
  } catch (error) {
    if (stopping.signal.aborted) break;
    console.error(JSON.stringify({ msg: 'SQS does not answer', error: String(error) }));
    await setTimeout(pauseAfterFailureMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}
client.destroy();
