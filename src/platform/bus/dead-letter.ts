import type { Clock } from '../clock.ts';
import { isoTime } from '../clock.ts';
import { describeThrown } from '../telemetry/thrown.ts';
import type { Headers, Message } from './message.ts';

/** A message that a group could not handle, with why. It keeps its key and value as they were. */
export interface DeadLetter {
  readonly message: Message;
  readonly reason: string;
  /** Calls of the handler that failed; 0 for what could not be read. */
  readonly attempts: number;
  /** What its copy in the dead-letter topic says. */
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

/** On a message that an earlier version replayed through its topic: the only group that still has to handle it. All others skip it. */
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
    reason,
    attempts,
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
