import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { handler } from './handler.ts';

export interface PollOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly signal: AbortSignal;
  /** How long an empty receive stays open. SQS allows 20. */
  readonly waitSeconds?: number;
}

const receiveMax = 10;

/** What Lambda does around the handler: receive, handle, delete what went well. Answers how many were deleted. */
export async function pollOnce({ client, queueUrl, signal, waitSeconds = 20 }: PollOptions): Promise<number> {
  const received = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: receiveMax,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['MessageGroupId'],
    }),
    { abortSignal: signal },
  );
  const messages = received.Messages ?? [];
  const { batchItemFailures } = await handler({
    Records: messages.map(({ MessageId = '', Body = '', Attributes = {} }) => ({
      messageId: MessageId,
      body: Body,
      attributes: Attributes,
    })),
  });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  if (done.length === 0) return 0;
  // Not aborted with the rest: what was handled is deleted, or it would be handled again.
  const { Failed = [] } = await client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    }),
  );
  return done.length - Failed.length;
}
