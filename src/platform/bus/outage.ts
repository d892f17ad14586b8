import { isFault } from '../errors.ts';
import { failureKind, sqlState } from '../postgres/failure.ts';

/**
 * Whether an engine was away, as opposed to a message that cannot be handled. An outage is waited for without limit and
 * costs a message none of its retries: a database that is down for an hour must not empty a topic into the dead letters.
 */
export function isOutage(error: unknown): boolean {
  // A statement that always runs into its time limit is the message's fault or the handler's; it must not block the partition.
  if (error instanceof Error && sqlState(error.cause) === '57014') return false;
  if (isFault(error)) return error.definition.status === 503;
  return failureKind(error) !== 'other';
}
