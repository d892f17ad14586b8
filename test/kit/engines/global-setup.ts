import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { openEngineDesk } from './desk.ts';
import { createScratchRoot } from './scratch.ts';
import './shared.ts';

/** Runs once per vitest run, in its main process. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = process.env.URR_TEST_SCRATCH ? null : await createScratchRoot();
  if (own) process.env.URR_TEST_SCRATCH = own;
  const desk = await openEngineDesk();
  project.provide('engineDesk', desk.url);
  return async () => {
    await desk.close();
    if (own) await rm(own, { recursive: true, force: true });
  };
}
