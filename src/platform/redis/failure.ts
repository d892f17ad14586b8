/** Replies by which a server says that it cannot serve at the moment, as opposed to that the call is wrong. */
const awayReplies = new Set([
  'LOADING',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'READONLY',
  'TRYAGAIN',
  'BUSY',
  'OOM',
  'MISCONF',
  'NOREPLICAS',
]);

/** Connection failures, timeouts and "not now" replies. Anything else (WRONGTYPE, a script's own error) is our mistake. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error.name !== 'ReplyError') return true;
  return awayReplies.has(error.message.split(' ', 1)[0] ?? '');
}
