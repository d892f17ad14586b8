import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { isGone } from '#platform/lifecycle/processes.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { freePort } from '#test/kit/engines/ports.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { findBinaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import { DataFolderBusy } from './data-folder.ts';
import { chooseRunner } from './runner.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from './start.ts';

const run = promisify(execFile);
const cleanUps: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe('the embedded PostgreSQL', () => {
  test('starts on a new folder, on loopback, and lets nobody in without the password', async () => {
    const server = await start(await aDataDir());
    expect(await ask(server.url, 'SHOW listen_addresses')).toBe('127.0.0.1');
    expect(await ask(server.url, 'SHOW server_encoding')).toBe('UTF8');
    expect(await ask(server.url, `SELECT lower('ÄÖÜ')`)).toBe('äöü');
    const wrong = new URL(server.url);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  test('keeps commits durable and its password to itself', async () => {
    const dataDir = await aDataDir();
    const server = await start(dataDir);
    expect(await ask(server.url, 'SHOW fsync')).toBe('on');
    expect(await ask(server.url, 'SHOW synchronous_commit')).toBe('on');
    expect((await stat(join(dataDir, 'urr-password'))).mode & 0o077).toBe(0);
  });

  test('has the same data at the same address after a restart', async () => {
    const dataDir = await aDataDir();
    const first = await start(dataDir, { port: await freePort() });
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'SELECT answer FROM kept')).toBe(42);
  });

  test('starts again right after it was killed with sessions open', async () => {
    const dataDir = await aDataDir();
    const first = await start(dataDir);
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const busy = ask(first.url, 'SELECT pg_sleep(60)').catch(() => 'cut off');
    await first.kill('SIGKILL');
    const second = await start(dataDir);
    expect(await ask(second.url, 'SELECT answer FROM kept')).toBe(42);
    expect(await busy).toBe('cut off');
  });

  test('takes another port when its own is taken', async () => {
    const dataDir = await aDataDir();
    const first = await start(dataDir, { port: await freePort() });
    await first.stop();
    const usurper = await start(await aDataDir(), { port: first.port });
    const second = await start(dataDir);
    expect(second.port).not.toBe(usurper.port);
    expect(await ask(second.url, 'SELECT 1')).toBe(1);
  });

  test('tells its owner when it ends unasked', async () => {
    const reasons: string[] = [];
    const server = await start(await aDataDir(), { onExit: (reason) => reasons.push(reason) });
    process.kill(server.pid, 'SIGQUIT');
    await eventually(() => reasons.length > 0, { withinMs: 60_000, what: 'word of the exit' });
  });

  test('says plainly that a folder holds something else', async () => {
    const dataDir = await aFolder('foreign');
    await writeFile(join(dataDir, 'holiday.jpg'), '');
    await expect(start(dataDir)).rejects.toThrow('no database');
  });
});

describe('when the owner is killed', () => {
  test('the server ends by itself, and the next start has the data', async () => {
    const dataDir = await aDataDir();
    const holder = await hold(dataDir);
    await ask(holder.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    holder.process.kill('SIGKILL');
    await eventually(() => isGone(holder.pid), { withinMs: 20_000, what: 'the server to follow its owner' });
    const server = await start(dataDir);
    expect(await ask(server.url, 'SELECT answer FROM kept')).toBe(42);
  });

  test('a start at the same moment works too', async () => {
    const dataDir = await aDataDir();
    const holder = await hold(dataDir);
    holder.process.kill('SIGKILL');
    const server = await start(dataDir);
    expect(await ask(server.url, 'SELECT 1')).toBe(1);
    expect(isGone(holder.pid)).toBe(true);
  });

  test('an orphan that nobody watches is found and replaced', async () => {
    const dataDir = await aDataDir();
    const holder = await hold(dataDir);
    for (const pid of await deathWatchesOf(holder.pid)) process.kill(pid, 'SIGKILL');
    holder.process.kill('SIGKILL');
    await new Promise((done) => holder.process.once('exit', done));
    expect(isGone(holder.pid)).toBe(false);
    const server = await start(dataDir);
    expect(isGone(holder.pid)).toBe(true);
    expect(await ask(server.url, 'SELECT 1')).toBe(1);
  });

  test('half-made databases are swept away', async () => {
    const dataDir = await aDataDir();
    const drafts = async () => (await readdir(dirname(dataDir))).filter((name) => name.includes('.init-'));
    const holder = spawnHolder(dataDir);
    await eventually(async () => (await drafts()).length > 0, { withinMs: 20_000, what: 'the preparation to begin' });
    holder.kill('SIGKILL');
    await new Promise((done) => holder.once('exit', done));
    expect(await drafts()).not.toHaveLength(0);
    const server = await start(dataDir);
    expect(await ask(server.url, 'SELECT 1')).toBe(1);
    expect(await drafts()).toHaveLength(0);
  });

  test('a half-made database that is still being written to does not stop the next start', async () => {
    const dataDir = await aDataDir();
    const gone = spawn('true');
    await new Promise((done) => gone.once('exit', done));
    const draft = `${dataDir}.init-${gone.pid}-0000`;
    await mkdir(draft);
    // As initdb does, which outlives the start that was killed. It ends by itself, or when its folder is gone.
    const writer = spawn('sh', ['-c', 'n=0; while [ $n -lt 60000 ] && : >"$0/$n"; do n=$((n+1)); done', draft]);
    cleanUps.push(() => writer.kill('SIGKILL'));
    await eventually(async () => (await readdir(draft)).length > 0, { withinMs: 20_000, what: 'the writer' });
    const server = await start(dataDir);
    expect(await ask(server.url, 'SELECT 1')).toBe(1);
  });
});

describe('the data folder', () => {
  test('is refused to a second owner while the first lives', async () => {
    const dataDir = await aDataDir();
    await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(DataFolderBusy);
  });

  test('has one owner when two processes start at once on an empty folder, and the other is told who', async () => {
    const dataDir = await aDataDir();
    const both = [spawnHolder(dataDir), spawnHolder(dataDir)] as const;
    const outcomes = await Promise.all(both.map(outcomeOf));
    const [owner, loser] = outcomes[0]?.url === undefined ? [both[1], outcomes[0]] : [both[0], outcomes[1]];
    expect(loser?.said).toContain(`is in use by process ${owner.pid}`);
    const found = await findEmbeddedPostgres(dataDir);
    expect(found?.url).toBe(outcomes.find(({ url }) => url !== undefined)?.url);
    expect(await ask(found?.url ?? '', 'SELECT 1')).toBe(1);
  });

  test('is one folder by whichever path: its server lives on when it is started through a link', async () => {
    const dataDir = await aDataDir();
    const holder = await hold(dataDir);
    const link = join(await aFolder('link'), 'data');
    await symlink(dataDir, link);
    expect(await findEmbeddedPostgres(link)).toEqual({ url: holder.url, pid: holder.pid });
    const other = await outcomeOf(spawnHolder(link));
    expect(other.said).toContain(`is in use by process ${holder.process.pid}`);
    expect(isGone(holder.pid)).toBe(false);
    expect(await ask(holder.url, 'SELECT 1')).toBe(1);
  });

  test('tells other processes how to connect while its server runs', async () => {
    const dataDir = await aDataDir();
    expect(await findEmbeddedPostgres(dataDir)).toBeNull();
    const server = await start(dataDir);
    expect(await findEmbeddedPostgres(dataDir)).toEqual({ url: server.url, pid: server.pid });
  });

  test('opens although its pid file names a process that is somebody else by now', async () => {
    const dataDir = await aDataDir();
    await (await start(dataDir)).stop();
    const { uid, gid } = await stat(dataDir);
    const stranger = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {});
    cleanUps.push(() => stranger.kill('SIGKILL'));
    const pidFile = [stranger.pid, dataDir, 1_700_000_000, 1, '', '127.0.0.1', '  1234567  7', 'ready   ', ''].join(
      '\n',
    );
    await writeFile(join(dataDir, 'postmaster.pid'), pidFile);
    const server = await start(dataDir);
    expect(await ask(server.url, 'SELECT 1')).toBe(1);
    expect(stranger.exitCode).toBeNull();
  });
});

describe.runIf(process.getuid?.() === 0)('as root', () => {
  test('a first start on a full disk keeps nothing half-made, says so, and the next one works when there is room', async () => {
    const disk = await aFolder('disk');
    const mount = (options: string) => run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
    await mount('size=36m');
    cleanUps.push(() => run('umount', ['--lazy', disk]));
    const dataDir = join(disk, 'data');
    // From too little for initdb up to almost enough: each step may be the one that finds the disk full.
    for (const size of [12, 36, 42, 45]) {
      await mount(`remount,size=${size}m`);
      await expect(start(dataDir)).rejects.toThrow(/The disk of .* is full .*Make room, or set URR_DATA_DIR/);
      expect((await readdir(disk)).filter((name) => name !== 'data.lock')).toEqual([]);
    }
    await mount('remount,size=400m');
    const server = await start(dataDir);
    expect(await ask(server.url, 'SELECT current_database()')).toBe('urr');
  });

  test('the server runs as somebody else', async () => {
    const server = await start(await aDataDir());
    expect(await userOf(server.pid)).not.toBe('0');
  });

  test('works below a folder that only root may enter, with that one right and no other', async () => {
    const closed = await aFolder('closed');
    await chmod(closed, 0o700);
    const server = await start(join(closed, 'data'));
    expect(await ask(server.url, 'SELECT 1')).toBe(1);
    expect(await userOf(server.pid)).not.toBe('0');
    const effective = BigInt(`0x${await statusOf(server.pid, 'CapEff')}`);
    expect([0b10n, 0b100n]).toContain(effective);
  });

  test('works when its own programs lie below such a folder, as in a clone under /root', async () => {
    const closed = await aFolder('closed');
    await chmod(closed, 0o700);
    const folder = join(closed, 'native');
    await cp((await findBinaries()).folder, folder, { recursive: true, verbatimSymlinks: true });
    const binaries = { folder, initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
    const dataDir = join(closed, 'data');
    const runner = await chooseRunner({ dataDir, binaries });
    await createCluster({ dataDir, binaries, runner, logger: silentLogger, durable: false });
    expect((await stat(join(dataDir, 'PG_VERSION'))).uid).not.toBe(0);
  });
});

async function aDataDir(): Promise<string> {
  return join(await aFolder('embedded'), 'data');
}

async function start(dataDir: string, more: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger, ...more });
  cleanUps.push(() => server.stop());
  return server;
}

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return rows[0] && Object.values(rows[0])[0];
  } finally {
    await client.end().catch(() => {});
  }
}

function spawnHolder(dataDir: string): ChildProcess {
  const program = fileURLToPath(import.meta.resolve('#test/kit/engines/hold-postgres.ts'));
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'pipe'] });
  cleanUps.push(() => child.kill('SIGKILL'));
  return child;
}

async function hold(dataDir: string): Promise<{ process: ChildProcess; url: string; pid: number }> {
  const child = spawnHolder(dataDir);
  if (!child.stdout) throw new Error('no output to read');
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, pid } = JSON.parse(line) as { url: string; pid: number };
    return { process: child, url, pid };
  }
  throw new Error('the holder ended without starting a server');
}

/** Where its server is, or what it said when it ended without one. */
function outcomeOf(child: ChildProcess): Promise<{ url?: string; said: string }> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return new Promise((done) => {
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => done({ ...JSON.parse(line), said }));
    child.once('close', () => done({ said }));
  });
}

async function deathWatchesOf(server: number): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('death-watch') && command.includes(`\0${server}\0`)) found.push(Number(pid));
  }
  return found;
}

async function userOf(pid: number): Promise<string | undefined> {
  return statusOf(pid, 'Uid');
}

async function statusOf(pid: number, field: string): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return new RegExp(`^${field}:\\s+(\\S+)`, 'm').exec(status)?.[1];
}
