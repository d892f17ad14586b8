#!/usr/bin/env node
// Runs one of our files, or a package's command, with a Node that is new enough:
//   node scripts/run.mjs tools/check.ts …     node scripts/run.mjs --bin biome …
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { guard } from './lib/guard.mjs';
import { launch } from './lib/launch.mjs';
import { ensureNode } from './lib/node.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { root } from './lib/paths.mjs';

const [first, ...rest] = process.argv.slice(2);
if (!first || (first === '--bin' && !rest[0])) {
  console.error(
    'usage: node scripts/run.mjs <file> [arguments]\n       node scripts/run.mjs --bin <command> [arguments]',
  );
  process.exit(2);
}
const node = await guard(async () => {
  const found = await ensureNode();
  await ensurePackages(found);
  return found;
});
if (first === '--bin') await launch(node, await findCommand(rest[0]), rest.slice(1));
else await launch(node, resolve(root, first), rest);

/** The script behind a command in node_modules/.bin, read from the package that declares it. */
async function findCommand(name) {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { bin }] of Object.entries(lock.packages)) {
    if (path.startsWith('node_modules/') && bin?.[name]) return join(root, path, bin[name]);
  }
  throw new Error(`No installed package has the command "${name}".`);
}
