const offset = '+09:00';
const offsetMs = 9 * 60 * 60_000;
const withOffset = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** Toss's times are of Seoul; where one names no offset, it is that. NaN: no time. */
export function tossTimeMs(text: string): number {
  return Date.parse(withOffset.test(text) ? text : `${text}${offset}`);
}

/** `2026-11-18T21:04:05`, in Seoul: how Toss wants the borders of a list. */
export function seoulSecond(ms: number): string {
  return new Date(ms + offsetMs).toISOString().slice(0, 19);
}
