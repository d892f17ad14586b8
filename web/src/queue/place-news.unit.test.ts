import { describe, expect, test } from 'vitest';
import { placeNews, type ToldPlace } from './place-news.ts';
import type { EndOfPlace, QueueView } from './queue-view.ts';

const at = (seconds: number) => seconds * 1_000;
const waiting = (position: number): QueueView => ({
  kind: 'waiting',
  position,
  startPosition: position,
  wait: { lowSeconds: null, highSeconds: null, atMs: 0, because: null, doubtSinceMs: null },
  answer: { status: 'waiting' },
  connection: 'good',
  event: null,
});
const turn = (endsAtSeconds: number): QueueView => ({ kind: 'turn', slotEndsAtMs: at(endsAtSeconds), event: null });
const gone = (why: EndOfPlace): QueueView => ({ kind: 'gone', why, message: null, event: null });

/** What is said while these are seen, one after the other. */
function said(...seen: (readonly [seconds: number, view: QueueView])[]): unknown[] {
  let told: ToldPlace | null = null;
  return seen.flatMap(([seconds, view]) => {
    const next = placeNews(told, view, at(seconds));
    told = next.told;
    return next.news === null ? [] : [next.news.kind === 'position' ? next.news.position : next.news.kind];
  });
}

describe('what is said of a place whose page is not shown', () => {
  test('nothing at first sight, then a position a minute, or at a milestone', () => {
    expect(said([0, waiting(400)], [1, waiting(390)], [30, waiting(350)], [61, waiting(300)])).toEqual([300]);
    expect(said([0, waiting(400)], [1, waiting(99)], [2, waiting(98)])).toEqual([99]);
  });

  test('the turn at once, its last minute once, and its end', () => {
    const slot = turn(600);
    expect(said([0, waiting(2)], [1, slot], [2, slot], [541, slot], [542, slot], [600, gone('over')])).toEqual([
      'turn',
      'lastMinute',
      'over',
    ]);
    expect(said([580, turn(600)], [581, turn(600)])).toEqual(['lastMinute']);
  });

  test('an end that was not the visitor’s doing, and that a turn was passed on', () => {
    expect(said([0, waiting(9)], [1, gone('ended')], [2, gone('ended')])).toEqual(['ended']);
    expect(said([0, waiting(9)], [1, gone('left')])).toEqual([]);
    expect(said([0, turn(600)], [1, gone('passed')])).toEqual(['passed']);
  });
});
