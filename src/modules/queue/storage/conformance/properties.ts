import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { createClearLaw } from './clear-law.ts';
import { ids, type StoreFactory, type StoreUnderTest } from './harness.ts';
import { createLaws, emptyTally, type Tally } from './laws.ts';
import { operations } from './operations.ts';
import { type Played, play } from './play.ts';

/**
 * A run that fails prints its seed and its path, with the shortest operations that fail. The same seed and path given here
 * play exactly them again.
 */
export interface PropertyOptions {
  readonly runs: number;
  readonly seed?: number;
  readonly path?: string;
  /** False: the first operations that fail will do. Finding the shortest takes long, and may end at another fault than it began. */
  readonly shortest?: boolean;
}

/** Random operations, times and losses on two stores in lock-step: every answer must be the same, and every law must hold. */
export async function compareStores(
  options: PropertyOptions & { model: StoreFactory; subject: StoreFactory },
): Promise<Tally> {
  return checkAll([options.model, options.subject], options);
}

/** The same on one store: the laws alone. */
export async function checkLaws(options: PropertyOptions & { subject: StoreFactory }): Promise<Tally> {
  return checkAll([options.subject], options);
}

async function checkAll(factories: readonly StoreFactory[], options: PropertyOptions): Promise<Tally> {
  const { runs, seed, path, shortest = true } = options;
  const tally = emptyTally();
  const stores: StoreUnderTest[] = [];
  try {
    for (const factory of factories) stores.push(await factory.create());
    // The bias to small values would make most runs too short to come anywhere.
    const property = fc.asyncProperty(fc.noBias(operations), async (played) => {
      const laws = [createLaws(tally), createClearLaw()];
      const observe = (step: Played) => {
        for (const law of laws) law.observe(step);
      };
      await play({ eventId: ids.next(), stores, operations: played, compare, observe });
    });
    await fc.assert(property, {
      numRuns: runs,
      endOnFailure: !shortest,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path }),
    });
    return tally;
  } finally {
    await Promise.all(stores.map((store) => store.close?.()));
  }
}

function compare(what: string, [expected, ...others]: readonly unknown[]): void {
  for (const answer of others) {
    if (isDeepStrictEqual(answer, expected)) continue;
    const shown = (value: unknown) => inspect(value, { depth: 6, sorted: true, breakLength: 160 });
    throw new Error(`the stores differ in ${what}\nexpected ${shown(expected)}\nbut got  ${shown(answer)}`);
  }
}
