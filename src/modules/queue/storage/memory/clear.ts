import { assert } from '#platform/assert.ts';
import { type Lane, placeOrdersPerLane } from '../../domain/place-order.ts';
import type { Cleared, LastPlaces } from '../../ports.ts';
import { type EventState, spendPlace } from './event-state.ts';
import type { ScoredMember, ScoredSet } from './scored-set.ts';

/** Ends places up to one of each lane, those who wait before those who are away. */
export function clear(state: EventState, call: { limit: number; upTo?: LastPlaces }): Cleared {
  const { limit, upTo = lastPlaces(state) } = call;
  const lines = [state.queue, state.parked];
  const last = [0, 0];
  let cleared = 0;
  for (const line of lines) {
    for (const lane of lanes) {
      const some = placesOf(line, { lane, upTo: upTo[lane], limit: limit - cleared });
      for (const { member } of some) {
        const person = state.people.get(member);
        assert(person !== undefined, `${member} has no place`);
        spendPlace(state, person);
      }
      cleared += some.length;
      if (line === state.queue) last[lane] = some.at(-1)?.score ?? 0;
    }
  }
  if (cleared > 0) {
    const doneUpTo = (lane: Lane) =>
      countOf(state.queue, { lane, upTo: upTo[lane] }) === 0 ? upTo[lane] : (last[lane] ?? 0);
    state.cleared = { count: state.cleared.count + cleared, upTo: [doneUpTo(0), doneUpTo(1)] };
  }
  const left = lines.flatMap((line) => lanes.map((lane) => countOf(line, { lane, upTo: upTo[lane] })));
  return { cleared, left: left.reduce((sum, count) => sum + count, 0), upTo };
}

const lanes: readonly Lane[] = [0, 1];

function lastPlaces({ queue, parked }: EventState): LastPlaces {
  return [Math.max(lastOf(queue, 0), lastOf(parked, 0)), Math.max(lastOf(queue, 1), lastOf(parked, 1))];
}

function lastOf(line: ScoredSet, lane: Lane): number {
  const count = line.countUpTo((lane + 1) * placeOrdersPerLane - 1);
  return count === before(line, lane) ? 0 : line.at(count - 1).score;
}

function placesOf(line: ScoredSet, range: { lane: Lane; upTo: number; limit: number }): ScoredMember[] {
  const first = before(line, range.lane);
  return Array.from({ length: Math.min(countOf(line, range), range.limit) }, (_, index) => line.at(first + index));
}

function countOf(line: ScoredSet, { lane, upTo }: { lane: Lane; upTo: number }): number {
  return Math.max(0, line.countUpTo(upTo) - before(line, lane));
}

/** How many are in earlier lanes. No order is that of the lane's beginning. */
function before(line: ScoredSet, lane: Lane): number {
  return line.countUpTo(lane * placeOrdersPerLane);
}
