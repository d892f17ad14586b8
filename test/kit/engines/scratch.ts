import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The one place on disk that a test run writes to. `npm test` makes it and removes it with everything inside. */
export function scratchRoot(): string {
  const root = process.env.URR_TEST_SCRATCH;
  if (!root) throw new Error('URR_TEST_SCRATCH is not set: the tests run under vitest.config.ts, which sets it');
  return root;
}

/** Open to be passed through (not listed) by the unprivileged user that PostgreSQL runs as under root. */
const passable = 0o711;

/** A fresh folder for one engine or one test. */
export async function aFolder(name: string): Promise<string> {
  const folder = join(scratchRoot(), `${name}-${randomBytes(4).toString('hex')}`);
  await mkdir(folder, { mode: passable });
  return folder;
}

/** For a run that was not started by `npm test`. */
export async function createScratchRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'urr-test-'));
  await chmod(root, passable);
  return root;
}
