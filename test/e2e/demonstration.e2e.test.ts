import { describe, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { testEnv } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClient } from '#test/kit/client.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { freePort } from '#test/kit/engines/ports.ts';
import { eventually } from '#test/kit/faults.ts';
import { spawnUrr } from '#test/kit/processes.ts';
import { runCommandLine } from '../../src/commands/command-line.ts';

/** Loading takes this lock, so anyone who holds it decides when it is done. */
const loadingLock = 7_277_003;

/** `urr serve --demo` whose demonstration data cannot be loaded until it is let go. */
async function aStartThatIsHeldUp() {
  const { url, name } = await aDatabase();
  const database = createDatabase({ url, poolMax: 3 });
  atEnd(() => database.close());
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: hasLock } = Promise.withResolvers<void>();
  const holding = database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [loadingLock]);
    hasLock();
    await released;
  });
  await locked;
  const urr = spawnUrr({ args: ['--demo', '--into', name], env: { URR_DATABASE_URL: url }, port: await freePort() });
  const opened = eventually(async () => (await fetch(`${urr.url}/ready`)).json(), {
    withinMs: 120_000,
    what: 'the door to open',
  });
  const died = urr.ended.then((code) => {
    throw new Error(`it ended with code ${code}: ${urr.output()}`);
  });
  // It ends in every test, later.
  died.catch(() => undefined);
  const answer = await Promise.race([opened, died]);
  const letGo = async () => {
    release();
    await holding;
  };
  return { urr, database, answer, letGo };
}

const isReady = (url: string) => async () => (await fetch(`${url}/ready`)).status === 200;

describe('urr serve --demo', () => {
  test('is ready when the demonstration data is there, and says until then what is still being done', async () => {
    const { urr, answer, letGo } = await aStartThatIsHeldUp();
    expect(answer).toMatchObject({ status: 'not ready', checks: { 'demonstration data': 'is being loaded' } });
    expect((await fetch(`${urr.url}/ready`)).status).toBe(503);
    expect((await fetch(`${urr.url}/health`)).status).toBe(200);
    // A page that is opened too early must not be what is remembered afterwards.
    expect((await aClient(urr.url).listEvents()).items).toEqual([]);
    expect(urr.output()).not.toContain('urr is ready');
    await letGo();
    await eventually(isReady(urr.url), { withinMs: 120_000, what: 'the demonstration data to be loaded' });
    expect((await aClient(urr.url).listEvents()).items.length).toBeGreaterThan(3);
    await eventually(() => urr.output().includes('urr is ready'), { withinMs: 60_000, what: 'the line' });
    expect(await urr.stop()).toBe(0);
  });

  test('ends with the reason when the data cannot be loaded', async () => {
    const { urr, database, letGo } = await aStartThatIsHeldUp();
    await database.query(`CREATE FUNCTION catalog.no_artists() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no artists today'; END $$`);
    await database.query('CREATE TRIGGER none BEFORE INSERT ON catalog.artists EXECUTE FUNCTION catalog.no_artists()');
    await letGo();
    expect(await urr.ended).toBe(1);
    expect(urr.output()).toMatch(/demonstration data could not be loaded.*no artists today/s);
    expect(urr.output()).not.toContain('urr is ready');
  });

  test('stops when it is asked to while it loads', async () => {
    const { urr, letGo } = await aStartThatIsHeldUp();
    const ended = urr.stop();
    await eventually(
      () =>
        fetch(`${urr.url}/health`).then(
          () => false,
          () => true,
        ),
      { withinMs: 120_000, what: 'the door to close' },
    );
    await letGo();
    expect(await ended).toBe(0);
    expect(urr.output()).not.toContain('urr is ready');
  });
});

describe('a database of one’s own', () => {
  async function urr(args: readonly string[], env: Readonly<Record<string, string>>) {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const code = await runCommandLine(args, { env: { ...testEnv, ...env }, print: say, warn: say });
    return { code, said: said.join('\n') };
  }

  test('gets no demonstration accounts unless it is named, and the doctor sees those it has', async () => {
    const { url, name } = await aDatabase();
    const env = { URR_DATABASE_URL: url, URR_MODE: 'development' };
    const production = { ...env, URR_MODE: 'production' };
    for (const args of [
      ['demo'],
      ['demo', '--into', 'another'],
      ['serve', '--demo'],
      ['serve', '--demo', '--into', 'x'],
    ]) {
      expect([args, await urr(args, env)]).toEqual([
        args,
        { code: 2, said: expect.stringContaining(`--into ${name}`) },
      ]);
    }
    expect((await urr(['demo', '--into', name], production)).code).toBe(2);
    expect((await urr(['doctor'], env)).said).not.toContain('demonstration');

    expect(await urr(['demo', '--into', name], env)).toMatchObject({ code: 0 });
    expect(await urr(['doctor'], env)).toEqual({ code: 0, said: expect.stringMatching(/^warn .*admin@urr\.test/m) });
    expect(await urr(['doctor'], production)).toEqual({
      code: 1,
      said: expect.stringMatching(/^WRONG .*admin@urr\.test/m),
    });
  });
});
