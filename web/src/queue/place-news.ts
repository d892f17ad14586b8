import { worthTelling } from './announcements.ts';
import type { QueueView } from './queue-view.ts';

/** What a screen reader is told of a place while its page is not shown. */
export type PlaceNews =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'turn' | 'lastMinute' | 'over' | 'passed' | 'ended' | 'closed' };

/** What was told of one place so far. */
export interface ToldPlace {
  readonly kind: QueueView['kind'];
  readonly position: number;
  readonly atMs: number;
  readonly hasWarned: boolean;
}

export const warnMs = 60_000;

/**
 * What is worth saying, and what has been said then. The first sight of a place says nothing: its own page has told it, or
 * the visitor has just loaded this one. After that: positions at milestones, the turn, its last minute, and any end.
 */
export function placeNews(
  told: ToldPlace | null,
  view: QueueView,
  nowMs: number,
): { readonly news: PlaceNews | null; readonly told: ToldPlace } {
  const before = told ?? { kind: view.kind, position: positionOf(view), atMs: nowMs, hasWarned: false };
  const same = { ...before, kind: view.kind };
  if (view.kind === 'waiting') {
    const now = { position: view.position, atMs: nowMs };
    if (before.kind !== 'waiting') return { news: null, told: { ...same, ...now } };
    if (!worthTelling(before, now)) return { news: null, told: same };
    return { news: { kind: 'position', position: view.position }, told: { ...same, ...now } };
  }
  if (view.kind === 'turn') {
    if (before.kind !== 'turn') return { news: { kind: 'turn' }, told: { ...same, hasWarned: false } };
    const isLast = view.slotEndsAtMs !== null && view.slotEndsAtMs - nowMs <= warnMs;
    if (!isLast || before.hasWarned) return { news: null, told: same };
    return { news: { kind: 'lastMinute' }, told: { ...same, hasWarned: true } };
  }
  const end = view.kind === 'closed' ? 'closed' : view.kind === 'gone' && view.why !== 'left' ? view.why : null;
  return { news: before.kind === view.kind || end === null ? null : { kind: end }, told: same };
}

function positionOf(view: QueueView): number {
  return view.kind === 'waiting' ? view.position : Number.POSITIVE_INFINITY;
}
