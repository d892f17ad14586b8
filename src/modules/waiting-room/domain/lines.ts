import { assert } from '#platform/assert.ts';

/**
 * The whole line of a room across its eras. Numbers begin anew with each era, and go on behind the durable bound when the
 * counters were lost; places in line have no gaps, so nobody waits for numbers that were never given.
 */
export interface Segment {
  readonly epoch: number;
  readonly era: number;
  /** Its first number is the next one after this. */
  readonly first: number;
  /** The last one known to have been given; null: it is the present one, and goes on. */
  readonly last: number | null;
  readonly lineOffset: number;
}

/**
 * The place in line of a number; null: no such era. Numbers that were given before a loss and never saved keep the place that was told;
 * those who came behind the loss stand there, too. Numbers that were given while the next era began stand with the last one.
 */
export function lineOf(segments: readonly Segment[], { era, number }: { era: number; number: number }): number | null {
  const at = segments.findLastIndex((one) => one.era === era && one.first < number);
  const segment = segments[at];
  if (segment === undefined) return null;
  const isBeforeLoss = segments[at + 1]?.era === era;
  return segment.lineOffset + (isBeforeLoss ? number : Math.min(number, segment.last ?? number));
}

/** The last place that may have been told before a loss without being saved; 0: there was none. */
export function lastToldLine(segments: readonly Segment[]): number {
  const told = segments.map(({ era, last, lineOffset }, at) => {
    const next = segments[at + 1];
    if (next?.era !== era || last === null || next.first <= last) return 0;
    // Before a draw no number of the era was given.
    const isDrawn = segments.slice(at + 2).some((later) => later.era === era && later.first < next.first);
    return isDrawn ? 0 : lineOffset + next.first;
  });
  return Math.max(0, ...told);
}

/** The highest number of an era that stands at this place of the line or before it; 0: none does. */
export function numberAt(segments: readonly Segment[], { era, line }: { era: number; line: number }): number {
  const reached = segments.findLast((one) => one.era === era && one.lineOffset + one.first <= line);
  if (reached === undefined) return 0;
  return Math.min(line - reached.lineOffset, reached.last ?? Number.MAX_SAFE_INTEGER);
}

/** The present one: the last that was begun. */
export function presentSegment(segments: readonly Segment[]): Segment {
  const segment = segments.at(-1);
  assert(segment !== undefined, 'a room has a segment from its first activation on');
  return segment;
}

/** A later era: numbers begin with 1, behind everybody who was given a number before. */
export function nextEra(before: Segment | null, given: number, era: number): Segment {
  if (before === null) return { epoch: 1, era, first: 0, last: null, lineOffset: 0 };
  return { epoch: before.epoch + 1, era, first: 0, last: null, lineOffset: before.lineOffset + given };
}

/** The counters were lost: the era goes on behind the bound, with the place in line that comes next. */
export function nextEpoch(before: Segment, { given, bound }: { given: number; bound: number }): Segment {
  return {
    ...before,
    epoch: before.epoch + 1,
    first: bound,
    last: null,
    lineOffset: before.lineOffset + given - bound,
  };
}
