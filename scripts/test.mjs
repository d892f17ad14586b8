#!/usr/bin/env node
// `npm test`: fetches what is missing, checks the sources, runs every suite on real engines, and cleans up.
//   npm test -- --project unit      npm test -- src/platform/errors.unit.test.ts      npm test -- --watch
import { join } from 'node:path';
import { guard } from './lib/guard.mjs';
import { ensureKafka } from './lib/kafka.mjs';
import { runChild } from './lib/launch.mjs';
import { ensureNode } from './lib/node.mjs';
import { readOutcomes } from './lib/outcomes.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { ensurePages } from './lib/pages.mjs';
import { root } from './lib/paths.mjs';
import { plainRoot } from './lib/plain-path.mjs';
import { createScratch, readNotRun, removeScratch } from './lib/scratch.mjs';
import { chooseWork } from './lib/selection.mjs';
import { ensureChromium, ensureNginx, ensureRedis } from './lib/system.mjs';

const ensureEngine = { redis: ensureRedis, kafka: ensureKafka, nginx: ensureNginx, chromium: ensureChromium };

const beganAt = Date.now();
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
const readyAt = Date.now();
let passed = 0;
const times = [`set-up: ${seconds(readyAt - beganAt)}`];
const failed = [];
try {
  const checked = work.check ? await runChild(node, [join('tools', 'check.ts')]) : null;
  if (checked !== null) times.push(`check: ${seconds(Date.now() - readyAt)}`);
  if (checked === 0) passed++;
  else if (checked !== null) failed.push('the check of the sources (npm run check)');
  // Anyone who interrupts the check does not want the tests either.
  if (checked === null || checked < signalled) {
    const exitCode = await runVitest();
    if (!work.watch) await addOutcomes(exitCode);
    await reportMissing();
  }
} finally {
  await removeScratch(scratch);
}
if (!work.watch)
  for (const line of [...times, `everything: ${seconds(Date.now() - beganAt)}`]) console.log(`TOOK ${line}`);
for (const what of failed) console.log(`FAILED ${what}`);
if (!work.watch) console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runVitest() {
  const plain = await plainRoot(scratch);
  const vitest = join(plain.path, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['hang-guard.ts', 'outcome-log.ts'].map((file) => join(plain.path, 'test', 'kit', file));
  const report = ['default', ...reporters].map((reporter) => `--reporter=${reporter}`);
  const how = ['--root', plain.path, ...plain.args];
  const args = work.watch ? ['watch', ...how, ...work.vitestArgs] : ['run', ...how, ...report, ...work.vitestArgs];
  const env = {
    ...plain.env,
    URR_TEST_SCRATCH: scratch,
    URR_TEST_ENGINES: work.engines.filter((engine) => !missing.has(engine)).join(','),
    TMPDIR: join(scratch, 'tmp'),
  };
  return runChild(node, [vitest, ...args], env, { interactive: work.watch });
}

async function addOutcomes(exitCode) {
  const outcomes = await readOutcomes(join(scratch, 'outcomes.jsonl'));
  passed += outcomes.passed;
  failed.push(...outcomes.failed);
  for (const { name, files, wallMs, workMs, inTestsMs } of outcomes.projects) {
    const work = `its ${files} files ${seconds(workMs)}, ${seconds(inTestsMs)} of that in tests`;
    times.push(`${name}: ${seconds(wallMs)} from the first file to the last; ${work}`);
  }
  if (outcomes.cutOff) {
    for (const error of outcomes.errors) console.log(error);
    const where = outcomes.underWay.length > 0 ? ` while it ran ${outcomes.underWay.join(', ')}` : '';
    failed.push(`vitest, which was cut off (exit code ${exitCode})${where}`);
  } else if (exitCode !== 0 && outcomes.failed.length === 0) {
    failed.push(`vitest, which ended with exit code ${exitCode}: see above`);
  }
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`;
}

async function reportMissing() {
  const notRun = await readNotRun(scratch);
  for (const [engine, reason] of missing) {
    const suites = [...new Set(notRun.filter((suite) => suite.missing.includes(engine)).map((suite) => suite.name))];
    console.log(`NOT RUN for want of ${engine}: ${suites.join('; ') || 'no suite of this selection'}. ${reason}`);
    if (process.env.URR_TEST_REQUIRE === 'all') failed.push(`whatever needs ${engine}, which is required`);
  }
}
