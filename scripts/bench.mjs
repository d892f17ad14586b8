#!/usr/bin/env node
// `npm run bench -- <subject> …`: fetches what benchmarks need, then runs bench/main.ts.
import { join } from 'node:path';
import { guard } from './lib/guard.mjs';
import { ensureKafka } from './lib/kafka.mjs';
import { launch } from './lib/launch.mjs';
import { ensureNode } from './lib/node.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { ensurePages } from './lib/pages.mjs';
import { root } from './lib/paths.mjs';
import { ensureRedis, ensureWrk } from './lib/system.mjs';

const node = await guard(async () => {
  const found = await ensureNode();
  await ensurePackages(found);
  await ensurePages(found);
  for (const ensure of [ensureRedis, ensureKafka, ensureWrk]) {
    const reason = await ensure();
    if (reason) console.error(`A benchmark may fail: ${reason}.`);
  }
  return found;
});
await launch(node, join(root, 'bench', 'main.ts'), process.argv.slice(2));
