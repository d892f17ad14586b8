#!/usr/bin/env node
// The `urr` command on any Node: see `urr --help`.
import { join } from 'node:path';
import { guard } from './lib/guard.mjs';
import { launch } from './lib/launch.mjs';
import { ensureNode } from './lib/node.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { root } from './lib/paths.mjs';

const node = await guard(async () => {
  const found = await ensureNode();
  await ensurePackages(found);
  return found;
});
await launch(node, join(root, 'src', 'main.ts'), process.argv.slice(2));
