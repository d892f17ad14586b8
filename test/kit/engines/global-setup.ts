import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { watchParent } from '#platform/lifecycle/parent-watch.ts';
import { testSeed } from '../seed.ts';
import { openEngineDesk } from './desk.ts';
import { createScratchRoot } from './scratch.ts';
import './shared.ts';

/** Runs once per vitest run, in its main process. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = process.env.URR_TEST_SCRATCH ? null : await createScratchRoot();
  if (own) process.env.URR_TEST_SCRATCH = own;
  // Drawn here, a random seed is one for all processes of the run, and named before anything could fail by it.
  if (process.env.URR_TEST_SEED) {
    process.env.URR_TEST_SEED = String(testSeed());
    console.log(`URR_TEST_SEED=${process.env.URR_TEST_SEED}`);
  }
  // When `npm test` itself is killed, the engines must not run on for nobody.
  const endWatch = await watchParent(() => process.exit(1));
  const desk = await openEngineDesk();
  project.provide('engineDesk', desk.url);
  return async () => {
    endWatch();
    await desk.close();
    if (own) await rm(own, { recursive: true, force: true });
  };
}
