import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './commands.mjs';

const goneWithinMs = 5_000;

/** The one folder that a test run writes to. Passable, not listable, for the user that PostgreSQL runs as under root. */
export async function createScratch() {
  const folder = await mkdtemp(join(tmpdir(), 'urr-test-'));
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'tmp'));
  await chmod(join(folder, 'tmp'), 0o1777);
  return folder;
}

/** Ends what tests left running, as their pid files tell, and removes everything. */
export async function removeScratch(folder) {
  const pids = join(folder, 'pids');
  for (const name of await readdir(pids).catch(() => [])) {
    // A process that was killed while it wrote this down has left half of it.
    const { pid, dir } = await readFile(join(pids, name), 'utf8')
      .then(JSON.parse)
      .catch(() => ({}));
    // The number may have been given to somebody else since; the folder in its command line tells.
    if (pid && (await commandOf(pid)).includes(dir)) await end(pid);
  }
  // An engine is named a moment after it was started, which a process that is killed may not live to see.
  for (const pid of await allPids()) if ((await commandOf(pid)).includes(folder)) await end(pid);
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** What tests wrote down for the closing report: which suites did not run, and for want of what. */
export async function readNotRun(folder) {
  const text = await readFile(join(folder, 'not-run.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  for (const deadline = Date.now() + goneWithinMs; Date.now() < deadline; ) {
    if ((await commandOf(pid)) === '') return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Where the system lists them as files; nowhere else is it worth the trouble. */
async function allPids() {
  const names = await readdir('/proc').catch(() => []);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

async function commandOf(pid) {
  if (process.platform === 'linux') {
    return readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (text) => text.replaceAll('\0', ' ').trim(),
      () => '',
    );
  }
  return run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => '');
}
