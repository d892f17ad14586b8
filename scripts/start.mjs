#!/usr/bin/env node
// `npm start`: installs what is missing, builds the pages if stale, and starts everything embedded.
import { join } from 'node:path';
import { guard } from './lib/guard.mjs';
import { launch } from './lib/launch.mjs';
import { ensureNode } from './lib/node.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { ensurePages } from './lib/pages.mjs';
import { root } from './lib/paths.mjs';

const node = await guard(async () => {
  const found = await ensureNode();
  await ensurePackages(found);
  await ensurePages(found);
  return found;
});
await launch(node, join(root, 'src', 'main.ts'), ['serve', '--demo', ...process.argv.slice(2)]);
