import type { AdmissionNotices } from '../deps.ts';
import { createNoticeBuffer, type NoticeBufferDeps } from './notice-buffer.ts';
import { createSqsTransport, type SqsQueue } from './sqs-transport.ts';

/** One SQS FIFO message per admission, for push services and the like. SQS away or slow changes nothing for users. */
export function createSqsNotices(options: SqsQueue & Omit<NoticeBufferDeps, 'transport'>): AdmissionNotices {
  return createNoticeBuffer({ ...options, transport: createSqsTransport(options) });
}
