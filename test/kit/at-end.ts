import { afterAll } from 'vitest';

const endings: (() => Promise<unknown>)[] = [];

/**
 * Runs when the test file has run, newest first. Unlike `afterAll`, which is silently lost inside a `beforeAll`, it may
 * be called from anywhere: this module is loaded anew for each file, and registers itself at the file's top.
 */
export function atEnd(ending: () => Promise<unknown>): void {
  endings.push(ending);
}

afterAll(async () => {
  const failures: unknown[] = [];
  // One that fails must not keep the others from being run: they end engines and processes.
  for (const ending of endings.splice(0).reverse()) await ending().catch((error: unknown) => failures.push(error));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'several things could not be ended after the tests');
});
