export type WaitWords =
  | { readonly kind: 'unknown' }
  /** Less than a minute. */
  | { readonly kind: 'soon' }
  | { readonly kind: 'minutes' | 'hours'; readonly low: number; readonly high: number };

const minuteSeconds = 60;
const hourMinutes = 60;
/** From here on people plan in hours. */
const hoursFromMinutes = 120;

/** A range that claims no more than is known: whole minutes, coarser the longer it is. */
export function waitWords(lowSeconds: number | null, highSeconds: number | null): WaitWords {
  if (lowSeconds === null) return { kind: 'unknown' };
  const longest = Math.max(lowSeconds, highSeconds ?? lowSeconds);
  if (longest < minuteSeconds) return { kind: 'soon' };
  const lowMinutes = lowSeconds / minuteSeconds;
  const highMinutes = longest / minuteSeconds;
  if (lowMinutes >= hoursFromMinutes) {
    const low = Math.floor(lowMinutes / hourMinutes);
    return { kind: 'hours', low, high: Math.max(low, Math.ceil(highMinutes / hourMinutes)) };
  }
  const step = lowMinutes >= 30 ? 10 : lowMinutes >= 10 ? 5 : 1;
  const low = Math.max(step === 1 ? 1 : step, Math.floor(lowMinutes / step) * step);
  return { kind: 'minutes', low, high: Math.max(low, Math.ceil(highMinutes / step) * step) };
}
