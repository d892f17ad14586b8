import type { ApiProblem } from '../api/problem.ts';
import { problemText } from '../app/problem-text.ts';
import type { Formats } from '../i18n/formats.ts';
import type { Messages } from '../i18n/ko.ts';

interface Spoken {
  readonly t: Messages;
  readonly format: Formats;
}

/** Why nothing was held, what to do about it, and what the server adds: a limit, a moment. */
export function holdWords(problem: ApiProblem, { t, format }: Spoken): string {
  const { code, document } = problem;
  // Nothing else that the page names can be unknown: the event has a map, and the places are those of the map.
  if (code === 'NOT_FOUND') return t.seats.holdGone;
  const { text } = problemText(problem, t);
  if (code === 'PURCHASE_LIMIT' && typeof document.limit === 'number' && typeof document.have === 'number') {
    return `${text} ${t.seats.haveOfLimit(format.count(document.have), format.count(document.limit))}`;
  }
  const opensAtMs = typeof document.opensAt === 'string' ? Date.parse(document.opensAt) : Number.NaN;
  return Number.isNaN(opensAtMs) ? text : `${text} ${t.seats.opensAt(format.dateTime(opensAtMs))}`;
}
