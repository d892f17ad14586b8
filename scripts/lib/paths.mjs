import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Everything fetched or built that is not ours; ignored by git, safe to delete at any time. */
export const cache = join(root, '.cache');

const abandonedAfterMs = 60 * 60_000;

/**
 * Makes a folder as a whole or not at all: `build` fills a draft beside it, which is renamed when complete. Several
 * processes may do so at once, and each may be killed at any moment.
 * @param {string} target
 * @param {(draft: string) => Promise<string | void>} build may return a folder inside the draft to move instead
 */
export async function replaceFolder(target, build) {
  await mkdir(cache, { recursive: true });
  await removeAbandoned();
  const draft = join(cache, `draft-${process.pid}-${randomBytes(4).toString('hex')}`);
  const old = `${draft}-old`;
  await mkdir(draft);
  try {
    const made = (await build(draft)) ?? draft;
    await mkdir(dirname(target), { recursive: true });
    await rename(target, old).catch(unlessMissing);
    await rename(made, target).catch((error) => {
      // Somebody else was faster and put the same thing there.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

export async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function removeAbandoned() {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('draft-')) continue;
    const found = await stat(join(cache, name)).catch(() => null);
    if (found && Date.now() - found.mtimeMs > abandonedAfterMs)
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

function unlessMissing(error) {
  if (error.code !== 'ENOENT') throw error;
}
