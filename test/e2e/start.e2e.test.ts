import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClient } from '#test/kit/client.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { freePort } from '#test/kit/engines/ports.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { runUrr, runUrrUnread, spawnUrr, startLikeNpm, startUrrProcess } from '#test/kit/processes.ts';

const nowhere = 'postgres://urr:urr@127.0.0.1:9/urr';
const project = fileURLToPath(new URL('../../', import.meta.url));

async function aHome(): Promise<Record<string, string>> {
  return { URR_DATA_DIR: await aFolder('home'), URR_LOG_LEVEL: 'warn' };
}

async function register(url: string, email: string): Promise<void> {
  await aClient(url).register({ body: { email, password: 'long enough', name: 'Somebody' } });
}

const canSignIn = async (url: string, email: string) =>
  (await aClient(url).signIn(email, 'long enough')).email === email;

/** Processes of ours that work in this folder, no matter who their parent is. */
async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return command.includes(folder) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

describe('npm start', () => {
  test('serves the demonstration, leaves the work tree as it was, stops cleanly and resumes with its data', async () => {
    const home = await aHome();
    const status = () =>
      promisify(execFile)('git', ['status', '--porcelain'], { cwd: project }).then(
        (run) => run.stdout,
        () => '',
      );
    const before = await status();
    const first = await startLikeNpm(home);
    expect(first.output()).toContain('buyer1@urr.test');
    const { items } = await aClient(first.url).listEvents();
    expect(items.length).toBeGreaterThan(3);
    expect(await (await fetch(first.url)).text()).toContain('<title>');
    await register(first.url, 'keeps@urr.test');
    expect(await first.stop()).toBe(0);
    expect(await processesIn(home.URR_DATA_DIR ?? '')).toEqual([]);
    expect(await status()).toBe(before);

    const second = await startLikeNpm(home);
    expect(await canSignIn(second.url, 'keeps@urr.test')).toBe(true);
    expect((await aClient(second.url).listEvents()).items.map((event) => event.id)).toEqual(
      items.map((event) => event.id),
    );
    await second.stop();
  });

  test('survives kill -9 of what started it: nothing stays behind and the next start works', async () => {
    const home = await aHome();
    const first = await startLikeNpm(home);
    await register(first.url, 'survivor@urr.test');
    await first.kill();
    await eventually(async () => (await processesIn(home.URR_DATA_DIR ?? '')).length === 0, {
      withinMs: 60_000,
      what: 'the orphans to end',
    });
    const second = await startLikeNpm(home);
    expect(await canSignIn(second.url, 'survivor@urr.test')).toBe(true);
    await second.stop();
  });
});

describe('urr serve, embedded', () => {
  test('survives kill -9 of itself: the next start works at once, without waiting for anything to be cleaned up', async () => {
    const home = await aHome();
    const first = await startUrrProcess({ env: home });
    await register(first.url, 'again@urr.test');
    await first.kill();
    const second = await startUrrProcess({ env: home });
    expect(await canSignIn(second.url, 'again@urr.test')).toBe(true);
    await second.stop();
  });

  test('its PostgreSQL may be killed: it is started again and requests work', async () => {
    const home = await aHome();
    const urr = await startUrrProcess({ env: home });
    const pidFile = `${home.URR_DATA_DIR}/postgres/postmaster.pid`;
    const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    await eventually(() => register(urr.url, 'after@urr.test'), { withinMs: 60_000, what: 'the database to be back' });
    expect(await urr.stop()).toBe(0);
  });

  test('a second one on the same folder is refused and told what to do', async () => {
    const home = await aHome();
    const first = await startUrrProcess({ env: home });
    const second = await runUrr(['serve'], home);
    expect(second.code).toBe(1);
    expect(second.output).toMatch(/URR_DATA_DIR/);
    expect((await fetch(`${first.url}/ready`)).status).toBe(200);
    await first.stop();
  });
});

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s ends a start that still waits for its engines',
    async (signal) => {
      // Nothing listens there, and it would be waited for a minute.
      const urr = spawnUrr({
        args: [],
        env: { ...(await aHome()), URR_DATABASE_URL: nowhere },
        port: await freePort(),
      });
      await eventually(() => urr.output().includes('waiting for PostgreSQL'), { withinMs: 60_000, what: 'it to wait' });
      urr.signal(signal);
      expect(await urr.ended).toBe(0);
      // It did not come to the end of its patience.
      expect(urr.output()).not.toContain('could not be reached');
    },
  );

  test('a log that nobody reads keeps neither the program from serving nor from stopping', async () => {
    const urr = await startUrrProcess({
      env: { ...(await aHome()), URR_LOG_LEVEL: 'trace', URR_LOG_SAMPLE_EVERY: '1' },
      isLogRead: false,
    });
    // More than any pipe holds.
    for (let n = 0; n < 300; n++) await fetch(`${urr.url}/api/events?q=${'x'.repeat(50)}`);
    expect(await urr.stop()).toBe(0);
  });

  test('SIGHUP, as of a terminal that was closed, is a clean stop', async () => {
    const home = await aHome();
    const urr = spawnUrr({ args: [], env: home, port: await freePort() });
    await eventually(async () => (await fetch(`${urr.url}/ready`)).ok, { withinMs: 120_000, what: 'it to be ready' });
    urr.signal('SIGHUP');
    expect(await urr.ended).toBe(0);
    expect(await processesIn(home.URR_DATA_DIR ?? '')).toEqual([]);
  });
});

describe('the command line', () => {
  test('helps, and refuses what it does not know with a usage code', async () => {
    expect(await runUrr(['help'], {})).toMatchObject({ code: 0, output: expect.stringContaining('serve') });
    expect((await runUrr(['sevre'], {})).code).toBe(2);
    expect((await runUrr(['serve', '--rolls', 'x'], {})).code).toBe(2);
    expect(await runUrr(['serve', '--roles', 'gatway'], {})).toMatchObject({
      code: 2,
      output: expect.stringContaining('gatway'),
    });
  });

  test('reports every problem of the configuration together', async () => {
    const wrong = { URR_PORT: 'x', URR_LOG_LEVEL: 'loud', URR_MODE: 'production', URR_INTERNAL_SECRET: 'short' };
    const { code, output } = await runUrr(['config'], wrong);
    expect(code).toBe(3);
    for (const variable of ['URR_PORT', 'URR_LOG_LEVEL', 'URR_INTERNAL_SECRET']) expect(output).toContain(variable);
  });

  test('refuses production without secrets, and equal secrets', async () => {
    const secret = 'the-same-secret-twice-0123456789abcdef';
    const none = await runUrr(['config'], { URR_MODE: 'production', URR_VWR_TOKEN_SECRET: '' });
    expect(none).toMatchObject({ code: 3, output: expect.stringContaining('URR_VWR_TOKEN_SECRET') });
    const equal = await runUrr(['config'], { URR_VWR_TOKEN_SECRET: secret, URR_TICKET_SECRET: secret });
    expect(equal.code).toBe(3);
  });

  test('masks secrets and passwords', async () => {
    const { output } = await runUrr(['config'], {
      URR_DATABASE_URL: 'postgres://urr:hunter2@db.example:5432/urr',
      URR_TICKET_SECRET: 'a-very-secret-ticket-secret-0123456789',
    });
    expect(output).toContain('db.example');
    expect(output).not.toMatch(/hunter2|a-very-secret/);
  });

  test('migrate, doctor, check-ledger and bus lag work on an embedded database, running or not', async () => {
    const home = await aHome();
    expect(await runUrr(['migrate', '--dry-run'], home)).toMatchObject({
      code: 0,
      output: expect.stringContaining('would run auth/'),
    });
    expect(await runUrr(['doctor'], home)).toMatchObject({
      code: 1,
      output: expect.stringContaining('run urr migrate'),
    });
    expect((await runUrr(['migrate'], home)).code).toBe(0);
    expect(await runUrr(['migrate'], home)).toMatchObject({ code: 0, output: expect.stringContaining('up to date') });
    const agree = { code: 0, output: expect.stringContaining('the ledger and what stands agree') };
    expect(await runUrr(['check-ledger'], home)).toMatchObject(agree);
    const urr = await startUrrProcess({ env: home });
    expect(await runUrr(['check-ledger'], home)).toMatchObject(agree);
    // Side by side: each of them only looks.
    const read = [['doctor'], ['bus', 'lag']].map((args) => runUrr(args, home));
    const unread = [['bus', 'lag'], ['doctor'], ['config'], ['roles'], ['help']];
    const unreadEnds = unread.map(async (args) => [args, await runUrrUnread(args, home)]);
    expect(await Promise.all(read)).toMatchObject([
      { code: 0, output: expect.stringContaining('embedded') },
      { code: 0, output: expect.stringContaining('outbox') },
    ]);
    expect(await Promise.all(unreadEnds)).toEqual(unread.map((args) => [args, { code: 0, output: '' }]));
    await urr.stop();
  });

  test('workers without Redis are refused, with what to set', async () => {
    const { code, output } = await runUrr(['serve', '--workers', '2'], await aHome());
    expect({ code, says: output.includes('URR_REDIS_URL') }).toEqual({ code: 1, says: true });
  });

  test('a database that a newer version has migrated is nowhere called up to date or ready', async () => {
    const { url } = await aDatabase();
    const env = { URR_DATABASE_URL: url };
    const database = createDatabase({ url, poolMax: 2 });
    atEnd(() => database.close());
    await database.query(`INSERT INTO urr.migrations (schema, name, checksum) VALUES ('queue', '9999_later.sql', 'x')`);
    const named = expect.stringMatching(/newer version: queue\/9999_later\.sql/);
    expect(await runUrr(['migrate'], env)).toEqual({ code: 1, output: named });
    expect(await runUrr(['migrate', '--dry-run'], env)).toEqual({ code: 1, output: named });
    const urr = spawnUrr({ args: [], env, port: await freePort() });
    await eventually(() => urr.output().includes('the API'), { withinMs: 120_000, what: 'the lines of a start' });
    expect(urr.output()).toMatch(/NOT ready.*queue\/9999_later\.sql/);
    expect(urr.output()).not.toContain('urr is ready');
    expect((await fetch(`${urr.url}/ready`)).status).toBe(503);
    expect(await urr.stop()).toBe(0);
  });

  test('doctor names what cannot be reached', async () => {
    const { code, output } = await runUrr(['doctor'], {
      URR_DATABASE_URL: 'postgres://urr:x@127.0.0.1:1/urr',
      URR_REDIS_URL: 'redis://127.0.0.1:1',
      URR_KAFKA_BROKERS: '127.0.0.1:1,[::1]:1',
      URR_AUTH_URL: 'http://nobody.invalid:3000',
    });
    expect(code).toBe(1);
    expect(output).toMatch(/WRONG {2}PostgreSQL/);
    expect(output).toMatch(/WRONG {2}Redis/);
    // What else is wrong is said, too, and a name that nobody knows is no server that does not answer.
    expect(output).toMatch(/WRONG {2}Kafka: .*127\.0\.0\.1:1/);
    expect(output).toMatch(/WRONG {2}role auth: .*(?:ENOTFOUND|EAI_AGAIN|was not resolved)/);
    // An address is no name.
    expect(output).not.toMatch(/(?:ENOTFOUND|EAI_AGAIN) \[::1\]/);
  });
});
