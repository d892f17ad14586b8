import { assert } from '#platform/assert.ts';
import { unpackPlaceOrder } from '../../domain/place-order.ts';
import type { Cleared, LastPlaces } from '../../ports.ts';
import type { Played } from './play.ts';

/** What a clearing must not do, said by what there is to see from outside. Made anew for every run: it remembers the last one. */
export function createClearLaw(): { observe(played: Played): void } {
  let begun: LastPlaces | null = null;

  return {
    observe({ operation, before, after, answer }) {
      if (operation.do !== 'clear' || before === null || after === null) return;
      // The type of what was called; play.ts hands answers on as they came.
      const { cleared, left, upTo } = answer as Cleared;
      const bound: LastPlaces = operation.goesOn && begun !== null ? begun : lastPlaces(before);
      begun = bound;
      assert(upTo[0] === bound[0] && upTo[1] === bound[1], `cleared up to ${upTo}, not ${bound}`);
      const kept = new Set(placesIn(after));
      const over = placesIn(before).filter((order) => !kept.has(order));
      assert(over.length === cleared && cleared <= operation.limit, `${over.length} places are over, not ${cleared}`);
      for (const order of over) assert(isUpTo(order, bound), `the place ${order} was cleared, beyond ${bound}`);
      const there = [...kept].filter((order) => isUpTo(order, bound)).length;
      assert(left === there, `${left} places are said to be left, ${there} are`);
      assert(left === 0 || cleared === operation.limit, `${left} places are left though ${cleared} were cleared`);
    },
  };
}

type View = NonNullable<Played['before']>;

function placesIn({ traces }: View): number[] {
  return traces.flatMap(({ place, order }) =>
    order !== null && (place === 'waiting' || place === 'parked') ? [order] : [],
  );
}

function lastPlaces(view: View): LastPlaces {
  const last = (lane: number) =>
    Math.max(0, ...placesIn(view).filter((order) => unpackPlaceOrder(order).lane === lane));
  return [last(0), last(1)];
}

function isUpTo(order: number, bound: LastPlaces): boolean {
  return order <= bound[unpackPlaceOrder(order).lane];
}
