import type { SendMessageBatchResult, SQSClient } from '@aws-sdk/client-sqs';
import { isoTime } from '#platform/clock.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { AdmissionNotice } from '../deps.ts';
import type { NoticeTransport, SendOutcome } from './notice-buffer.ts';

export interface SqsQueue {
  /** Of a FIFO queue. */
  readonly queueUrl: string;
  /** Of a local server; null: the one in the queue's URL. */
  readonly endpoint: string | null;
}

/** What one SendMessageBatch may hold. */
const batchMax = 10;
const connectMs = 1_000;
const answerMs = 3_000;
/** Beside connecting and answering, the SDK may have to ask around for credentials. */
const sendMs = 6_000;

/**
 * Region and credentials are those of the surroundings, as with every program that uses AWS. The SDK is loaded here and
 * not at the top: it is large, and most installations send no notices.
 */
export function createSqsTransport({ queueUrl, endpoint }: SqsQueue): NoticeTransport {
  let client: SQSClient | null = null;
  const sdk = import('@aws-sdk/client-sqs');
  // Told by the first send.
  sdk.catch(() => undefined);

  async function send(batch: readonly AdmissionNotice[], signal: AbortSignal): Promise<SendMessageBatchResult> {
    const { SendMessageBatchCommand, SQSClient } = await sdk;
    client ??= new SQSClient({
      ...(endpoint !== null && { endpoint }),
      // The buffer does the trying again, and knows when to stop.
      maxAttempts: 1,
      requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
    });
    const command = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: batch.map(toEntry) });
    return client.send(command, { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(sendMs)]) });
  }

  return {
    batchMax,
    async send(batch, signal) {
      // The abort signal reaches the request, but not the search for credentials before it.
      const late = () => new Error(`SQS did not answer within ${sendMs} ms`);
      return toOutcome(batch, await withTimeout(send(batch, signal), sendMs, late));
    },
    close() {
      client?.destroy();
    },
  };
}

/** Group: what is admitted to one event stays in order. Deduplication: told once, however often and by whomever it is sent. */
function toEntry({ eventId, userId, entryToken, atMs }: AdmissionNotice, index: number) {
  return {
    Id: String(index),
    MessageGroupId: eventId,
    MessageDeduplicationId: `${userId}:${eventId}`,
    MessageBody: JSON.stringify({ action: 'admitted', eventId, userId, entryToken, timestamp: isoTime(atMs) }),
  };
}

function toOutcome(batch: readonly AdmissionNotice[], { Failed = [] }: SendMessageBatchResult): SendOutcome {
  const failures = Failed.flatMap(({ Id, SenderFault, Code }) => {
    const notice = batch[Number(Id)];
    return notice === undefined ? [] : [{ notice, ours: SenderFault === true, reason: Code ?? 'unknown' }];
  });
  return {
    again: failures.filter(({ ours }) => !ours).map(({ notice }) => notice),
    refused: failures.filter(({ ours }) => ours).map(({ notice, reason }) => ({ notice, reason })),
  };
}
