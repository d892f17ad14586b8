import type { Visit } from './visitor.ts';

export interface Admission {
  readonly userId: string;
  readonly slotId: string;
  readonly order: number;
  readonly admittedMs: number;
}

export interface Facts {
  readonly absentMs: number;
  /** The store lost everything at some moment between these: signs from before prove nothing after. */
  readonly loss: { readonly fromMs: number; readonly untilMs: number };
}

/** One machine, one clock; what is left are roundings. */
const toleranceMs = 5;

/** Nobody is admitted before somebody who is ahead and surely present at that moment. */
export function passedOver(visits: readonly Visit[], admissions: readonly Admission[], facts: Facts): string[] {
  const byTime = [...admissions].sort((one, other) => one.admittedMs - other.admittedMs);
  const found: string[] = [];
  for (const { who, order, signs, left } of visits) {
    if (order === null) continue;
    const own = admissions.filter(({ userId }) => userId === who.userId).map(({ admittedMs }) => admittedMs);
    // From either on nobody waits there any more.
    const overMs = Math.min(...own, left?.sentMs ?? Number.POSITIVE_INFINITY);
    for (const { sentMs, receivedMs } of signs) {
      const lossMs = sentMs > facts.loss.untilMs ? Number.POSITIVE_INFINITY : facts.loss.fromMs;
      const untilMs = Math.min(sentMs + facts.absentMs, lossMs, overMs) - toleranceMs;
      for (let n = firstAtOrAfter(byTime, receivedMs + toleranceMs); n < byTime.length; n++) {
        const other = byTime[n];
        if (other === undefined || other.admittedMs >= untilMs) break;
        if (other.order > order)
          found.push(
            `${other.order} was admitted at ${other.admittedMs} while ${order}, seen at ${sentMs}, was waiting`,
          );
      }
    }
  }
  return [...new Set(found)];
}

function firstAtOrAfter(byTime: readonly Admission[], ms: number): number {
  let [low, high] = [0, byTime.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((byTime[middle]?.admittedMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Anyone who was answered before another one asked stands before them. */
export function notFirstComeFirst(visits: readonly Visit[]): string[] {
  const asked = visits.flatMap(({ entered, order }) =>
    entered !== null && order !== null ? [{ ...entered, order }] : [],
  );
  const answered = [...asked].sort((one, other) => one.receivedMs - other.receivedMs);
  asked.sort((one, other) => one.sentMs - other.sentMs);
  const found: string[] = [];
  let next = 0;
  let highest = 0;
  for (const { sentMs, order } of asked) {
    for (let before = answered[next]; before !== undefined && before.receivedMs < sentMs; before = answered[++next])
      highest = Math.max(highest, before.order);
    if (order < highest) found.push(`${order} asked at ${sentMs}, after ${highest} had been answered`);
  }
  return found;
}

/** The most users who believed at one moment that they may shop. */
export function mostShoppers(visits: readonly Visit[]): number {
  const changes = visits.flatMap(({ shopping }) =>
    shopping === null
      ? []
      : [
          { atMs: shopping.fromMs, by: 1 },
          { atMs: shopping.untilMs, by: -1 },
        ],
  );
  // Who ends in the same millisecond in which another begins was first.
  changes.sort((one, other) => one.atMs - other.atMs || one.by - other.by);
  let [now, most] = [0, 0];
  for (const { by } of changes) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
