#!/usr/bin/env node
// `npm test`: fetches what is missing, checks the sources, runs every suite on real engines, and cleans up.
//   npm test -- --project unit      npm test -- src/platform/errors.unit.test.ts      npm test -- --watch
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guard } from './lib/guard.mjs';
import { ensureKafka } from './lib/kafka.mjs';
import { runChild } from './lib/launch.mjs';
import { ensureNode } from './lib/node.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { ensurePages } from './lib/pages.mjs';
import { root } from './lib/paths.mjs';
import { createScratch, readNotRun, removeScratch } from './lib/scratch.mjs';
import { chooseWork } from './lib/selection.mjs';
import { ensureChromium, ensureRedis } from './lib/system.mjs';

const ensureEngine = { redis: ensureRedis, kafka: ensureKafka, chromium: ensureChromium };

const work = chooseWork(process.argv.slice(2));
process.chdir(root);
const node = await guard(async () => {
  const found = await ensureNode();
  await ensurePackages(found);
  if (work.pages) await ensurePages(found);
  return found;
});
const missing = new Map();
for (const engine of work.engines) {
  const reason = await ensureEngine[engine]();
  if (reason) missing.set(engine, reason);
}

const scratch = await createScratch();
const total = { passed: 0, failed: 0 };
try {
  if (work.check) count((await runChild(node, [join('tools', 'check.ts')])) === 0);
  const exitCode = await runVitest();
  if (!work.watch) await addResults(exitCode);
  await reportMissing();
} finally {
  await removeScratch(scratch);
}
if (!work.watch) console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

function count(passed) {
  if (passed) total.passed++;
  else total.failed++;
}

function runVitest() {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(scratch, 'results.json')}`];
  const args = work.watch ? ['watch', ...work.vitestArgs] : ['run', ...report, ...work.vitestArgs];
  const env = {
    URR_TEST_SCRATCH: scratch,
    URR_TEST_ENGINES: work.engines.filter((engine) => !missing.has(engine)).join(','),
    TMPDIR: join(scratch, 'tmp'),
  };
  return runChild(node, [vitest, ...args], env, { interactive: work.watch });
}

async function addResults(exitCode) {
  const results = await readFile(join(scratch, 'results.json'), 'utf8').then(JSON.parse, () => null);
  const failedBefore = total.failed;
  total.passed += results?.numPassedTests ?? 0;
  total.failed += results?.numFailedTests ?? 0;
  // A file that does not even load has no tests to fail, and an error between tests belongs to none of them.
  if (exitCode !== 0 && total.failed === failedBefore) total.failed++;
}

async function reportMissing() {
  const notRun = await readNotRun(scratch);
  for (const [engine, reason] of missing) {
    const suites = [...new Set(notRun.filter((suite) => suite.missing.includes(engine)).map((suite) => suite.name))];
    console.log(`NOT RUN for want of ${engine}: ${suites.join('; ') || 'no suite of this selection'}. ${reason}`);
    if (process.env.URR_TEST_REQUIRE === 'all') total.failed++;
  }
}
