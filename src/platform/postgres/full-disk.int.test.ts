import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { isFault } from '../errors.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { startEmbeddedPostgres } from './embedded/start.ts';
import { createDatabase } from './pool.ts';

const run = promisify(execFile);
const oneMegabyte = 2 ** 20;

// A disk of its own is something that only root can make.
describe.runIf(process.getuid?.() === 0)('a disk that fills while the server runs', async () => {
  const disk = await aFolder('disk');
  await run('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk]);
  const server = await startEmbeddedPostgres({ dataDir: join(disk, 'data'), logger: silentLogger });
  const database = createDatabase({ url: server.url, poolMax: 4 });
  afterAll(async () => {
    await database.close();
    await server.stop();
    await run('umount', ['--lazy', disk]);
  });
  await database.query('CREATE TABLE lines (text text)');
  const ballast = join(disk, 'ballast');
  const write = () =>
    database.query(`INSERT INTO lines SELECT repeat(md5(n::text), 40) FROM generate_series(1, 4000) AS n`);

  async function fill(): Promise<void> {
    // Until the disk refuses: a page at the end, so that nothing is left that a small write could use.
    for (let size = 64 * oneMegabyte; size >= 4_096; size /= 2) {
      const flag = { flag: 'a' };
      while (
        await writeFile(ballast, Buffer.alloc(size), flag).then(
          () => true,
          () => false,
        )
      );
    }
  }

  test('is an outage: 503 for who writes, known to readiness, and over when there is room', async () => {
    await database.ping();
    await fill();
    const failure = await write().then(
      () => null,
      (error: unknown) => error,
    );
    expect(isFault(failure, 'DATABASE_UNAVAILABLE')).toBe(true);
    const ping = await database.ping().then(
      () => null,
      (error: unknown) => error,
    );
    expect(isFault(ping, 'DATABASE_UNAVAILABLE')).toBe(true);
    await rm(ballast);
    await eventually(write, { withinMs: 60_000, what: 'writing to work again' });
    await eventually(() => database.ping().then(() => true), { withinMs: 60_000, what: 'it to be ready again' });
  });
});
