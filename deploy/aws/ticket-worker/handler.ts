/**
 * A sample consumer of admission notices, as an AWS Lambda function on the SQS FIFO queue. It reads and logs; a real one
 * would send a push message here. It needs no package, so that it can be deployed as the one file it is.
 */
export async function handler(event: SqsEvent): Promise<SqsBatchResponse> {
  const stuckGroups = new Set<string>();
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of event.Records) {
    const { messageId } = record;
    const group = record.attributes.MessageGroupId ?? messageId;
    // Once a message of an event has failed, those behind it must wait too, or the retry would come out of order.
    const notice = stuckGroups.has(group) ? null : readNotice(record.body);
    if (notice === null) {
      if (!stuckGroups.has(group)) console.error(JSON.stringify({ messageId, group, msg: 'not an admission notice' }));
      stuckGroups.add(group);
      batchItemFailures.push({ itemIdentifier: messageId });
      continue;
    }
    // The entry token opens the shop to anyone who holds it: it goes to its user and never into a log.
    const { eventId, userId, timestamp } = notice;
    console.log(JSON.stringify({ messageId, eventId, userId, timestamp, msg: 'admitted' }));
  }
  return { batchItemFailures };
}

/** What Lambda hands over, as far as it is read here. */
export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}

export interface SqsRecord {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: { readonly MessageGroupId?: string };
}

/** With `ReportBatchItemFailures`, Lambda deletes all messages but these. */
export interface SqsBatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

interface Notice {
  readonly action: 'admitted';
  readonly eventId: string;
  readonly userId: string;
  readonly entryToken: string;
  readonly timestamp: string;
}

function readNotice(body: string): Notice | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const notice = parsed as Partial<Record<keyof Notice, unknown>>;
  const texts = [notice.eventId, notice.userId, notice.entryToken, notice.timestamp];
  if (notice.action !== 'admitted' || !texts.every((text) => typeof text === 'string' && text !== '')) return null;
  // All its fields were just looked at.
  return notice as Notice;
}
