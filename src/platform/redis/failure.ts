/** Replies by which a server refuses before it does anything, for a state that usually passes. */
const notNowReplies = new Set(['LOADING', 'CLUSTERDOWN', 'MASTERDOWN', 'READONLY', 'TRYAGAIN']);

/** Replies by which a server says that it cannot serve at the moment, as opposed to that the call is wrong. */
const awayReplies = new Set([...notNowReplies, 'BUSY', 'OOM', 'MISCONF', 'NOREPLICAS']);

/** Connection failures, timeouts and "not now" replies. Anything else (WRONGTYPE, a script's own error) is our mistake. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error.name !== 'ReplyError') return true;
  return awayReplies.has(codeOf(error));
}

export function isNotNow(reply: Error): boolean {
  return notNowReplies.has(codeOf(reply));
}

/** It takes no writes: a read replica, or a former primary that follows the new one. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === 'READONLY';
}

export function isForgottenScript(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === 'NOSCRIPT';
}

function codeOf({ message }: Error): string {
  return message.split(' ', 1)[0] ?? '';
}
