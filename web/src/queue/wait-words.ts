export type WaitWords =
  | { readonly kind: 'unknown' }
  /** Less than a minute. */
  | { readonly kind: 'soon' }
  | { readonly kind: 'minutes' | 'hours'; readonly low: number; readonly high: number }
  /** Only the end is worth telling. */
  | { readonly kind: 'up-to'; readonly unit: 'minutes' | 'hours'; readonly high: number };

const minuteSeconds = 60;
const hourMinutes = 60;
/** From here on people plan in hours. */
const hoursFromMinutes = 120;
/** A range whose end is so many times its beginning says nothing but its end: so it is before anything was measured. */
const vagueFactor = 2;

/** A range that claims no more than is known: whole minutes, coarser the longer it is. */
export function waitWords(lowSeconds: number | null, highSeconds: number | null): WaitWords {
  if (lowSeconds === null) return { kind: 'unknown' };
  const longest = Math.max(lowSeconds, highSeconds ?? lowSeconds);
  if (longest < minuteSeconds) return { kind: 'soon' };
  const lowMinutes = lowSeconds / minuteSeconds;
  const highMinutes = longest / minuteSeconds;
  if (longest >= lowSeconds * vagueFactor) return upTo(highMinutes);
  if (lowMinutes >= hoursFromMinutes) {
    const low = Math.floor(lowMinutes / hourMinutes);
    return { kind: 'hours', low, high: Math.max(low, Math.ceil(highMinutes / hourMinutes)) };
  }
  const step = lowMinutes >= 30 ? 10 : lowMinutes >= 10 ? 5 : 1;
  const low = Math.max(step === 1 ? 1 : step, Math.floor(lowMinutes / step) * step);
  return { kind: 'minutes', low, high: Math.max(low, Math.ceil(highMinutes / step) * step) };
}

function upTo(minutes: number): WaitWords {
  if (minutes >= hoursFromMinutes) return { kind: 'up-to', unit: 'hours', high: Math.ceil(minutes / hourMinutes) };
  const step = minutes >= 10 ? 5 : 1;
  return { kind: 'up-to', unit: 'minutes', high: Math.ceil(minutes / step) * step };
}
