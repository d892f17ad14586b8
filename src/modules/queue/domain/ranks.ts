import { numbersPerEra, type PlaceOrder } from './place-order.ts';

/** A known point of the line: who has this order is the `rank`-th (from 1). */
export interface Breakpoint {
  readonly rank: number;
  readonly order: PlaceOrder;
}

const evenStep = 50;
const evenUntil = 2_001;

/** The ranks that a snapshot carries: 1, 51, 101 … 2,001, then each 2 % further, and the last one. */
export function breakpointRanks(waiting: number): number[] {
  const ranks: number[] = [];
  for (let rank = 1; rank < waiting; rank += rank < evenUntil ? evenStep : Math.floor(rank / 50)) ranks.push(rank);
  if (waiting > 0) ranks.push(waiting);
  return ranks;
}

/**
 * The rank of an order from the breakpoints of a snapshot, without asking the store: exact where the line has no gaps,
 * otherwise between the ranks of the two points around it. A later order never gets a smaller rank.
 */
export function rankOf(order: PlaceOrder, breakpoints: readonly Breakpoint[], waiting: number): number {
  const after = firstNotBefore(order, breakpoints);
  const next = breakpoints[after];
  const previous = breakpoints[after - 1];
  if (next === undefined) return rankBehind(order, breakpoints, waiting);
  if (next.order === order || previous === undefined) return next.rank;

  // Orders are whole numbers, so no more people fit between two of them than there are numbers between.
  const mostBehind = previous.rank + (order - previous.order);
  const leastBefore = next.rank - (next.order - order);
  const least = previous.rank + 1;
  const most = Math.max(least, next.rank - 1);
  return clamp(guess(order, previous, next), Math.max(least, leastBefore), Math.min(most, mostBehind));
}

function guess(order: PlaceOrder, previous: Breakpoint, next: Breakpoint): number {
  if (eraOf(previous.order) === eraOf(next.order)) {
    const share = (order - previous.order) / (next.order - previous.order);
    return Math.ceil(previous.rank + share * (next.rank - previous.rank));
  }
  // Where eras meet, distance says nothing: the later era is taken to be without gaps up to the known point.
  return next.rank - (next.order - eraOf(next.order) * numbersPerEra);
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(Math.min(value, most), least);
}

/** Someone who came after the snapshot was taken: the line goes on as densely as it was. */
function rankBehind(order: PlaceOrder, breakpoints: readonly Breakpoint[], waiting: number): number {
  const first = breakpoints.find((point) => eraOf(point.order) === eraOf(order));
  const last = breakpoints.at(-1);
  if (first === undefined || last === undefined || first === last) return waiting + 1;
  const density = (last.rank - first.rank) / (last.order - first.order);
  return waiting + Math.max(1, Math.ceil((order - last.order) * density));
}

/** Lane and era as one number. */
function eraOf(order: PlaceOrder): number {
  return Math.floor(order / numbersPerEra);
}

function firstNotBefore(order: PlaceOrder, breakpoints: readonly Breakpoint[]): number {
  let low = 0;
  let high = breakpoints.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((breakpoints[middle]?.order ?? 0) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
