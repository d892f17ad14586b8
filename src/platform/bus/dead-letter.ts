import type { Clock } from '../clock.ts';
import { isoTime } from '../clock.ts';
import { describeThrown } from '../telemetry/thrown.ts';
import type { Headers, Message } from './message.ts';

/** A message that a group could not handle, with why. It keeps its key and value as they were. */
export interface DeadLetter {
  readonly message: Message;
  readonly headers: Headers;
}

export const deadLetterHeader = {
  reason: 'urr-reason',
  stack: 'urr-stack',
  topic: 'urr-topic',
  partition: 'urr-partition',
  offset: 'urr-offset',
  group: 'urr-group',
  attempts: 'urr-attempts',
  failedAt: 'urr-failed-at',
} as const;

/** On a replayed message: the only group that still has to handle it. All others skip it. */
export const replayForHeader = 'urr-replay-for';

export function createDeadLetter(options: {
  message: Message;
  group: string;
  error: unknown;
  attempts: number;
  clock: Clock;
}): DeadLetter {
  const { message, group, error, attempts, clock } = options;
  const { reason, stack } = describeThrown(error);
  return {
    message,
    headers: {
      [deadLetterHeader.reason]: reason,
      [deadLetterHeader.stack]: stack,
      [deadLetterHeader.topic]: message.topic,
      [deadLetterHeader.partition]: String(message.partition),
      [deadLetterHeader.offset]: String(message.offset),
      [deadLetterHeader.group]: group,
      [deadLetterHeader.attempts]: String(attempts),
      [deadLetterHeader.failedAt]: isoTime(clock.now()),
    },
  };
}

/** Where a dead letter goes when it is tried again, or null for one that was not written by a consumer of ours. */
export function replayTarget(headers: Headers): { topic: string; partition: number; headers: Headers } | null {
  const topic = headers[deadLetterHeader.topic];
  const partition = Number(headers[deadLetterHeader.partition]);
  const group = headers[deadLetterHeader.group];
  if (topic === undefined || group === undefined || !Number.isInteger(partition)) return null;
  return { topic, partition, headers: { [replayForHeader]: group } };
}
