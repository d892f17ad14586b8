#!/usr/bin/env node
// `npm test`: fetches what is missing, checks the sources, runs every suite on real engines, and cleans up.
//   npm test -- --project unit      npm test -- src/platform/errors.unit.test.ts      npm test -- --watch
import { join } from 'node:path';
import { guard } from './lib/guard.mjs';
import { ensureKafka } from './lib/kafka.mjs';
import { runChild } from './lib/launch.mjs';
import { ensureNode } from './lib/node.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { ensurePages } from './lib/pages.mjs';
import { root } from './lib/paths.mjs';
import { readResults } from './lib/results.mjs';
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

/** What the shell's convention adds to the number of the signal that ended a program. */
const signalled = 128;
const scratch = await createScratch();
let passed = 0;
const failed = [];
try {
  const checked = work.check ? await runChild(node, [join('tools', 'check.ts')]) : null;
  if (checked === 0) passed++;
  else if (checked !== null) failed.push('the check of the sources (npm run check)');
  // Whoever interrupts the check does not want the tests either.
  if (checked === null || checked < signalled) {
    const exitCode = await runVitest();
    if (!work.watch) await addResults(exitCode);
    await reportMissing();
  }
} finally {
  await removeScratch(scratch);
}
for (const what of failed) console.log(`FAILED ${what}`);
if (!work.watch) console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

function runVitest() {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const guard = `--reporter=${join(root, 'test', 'kit', 'hang-guard.ts')}`;
  const report = ['--reporter=default', guard, '--reporter=json', `--outputFile.json=${join(scratch, 'results.json')}`];
  const args = work.watch ? ['watch', ...work.vitestArgs] : ['run', ...report, ...work.vitestArgs];
  const env = {
    URR_TEST_SCRATCH: scratch,
    URR_TEST_ENGINES: work.engines.filter((engine) => !missing.has(engine)).join(','),
    TMPDIR: join(scratch, 'tmp'),
  };
  return runChild(node, [vitest, ...args], env, { interactive: work.watch });
}

async function addResults(exitCode) {
  const results = await readResults(join(scratch, 'results.json'));
  passed += results.passed;
  failed.push(...results.failed);
  // An error between tests belongs to none of them, and a run that was cut off names nothing.
  if (exitCode === 0 || results.failed.length > 0) return;
  failed.push(`vitest, which ended with exit code ${exitCode}: see above`);
}

async function reportMissing() {
  const notRun = await readNotRun(scratch);
  for (const [engine, reason] of missing) {
    const suites = [...new Set(notRun.filter((suite) => suite.missing.includes(engine)).map((suite) => suite.name))];
    console.log(`NOT RUN for want of ${engine}: ${suites.join('; ') || 'no suite of this selection'}. ${reason}`);
    if (process.env.URR_TEST_REQUIRE === 'all') failed.push(`whatever needs ${engine}, which is required`);
  }
}
