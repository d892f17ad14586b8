import { lookup } from 'node:dns/promises';
import { createConnection } from 'node:net';
import { type LoadedConfig, loadConfig } from '#app/config.ts';
import { demonstrationAccounts } from '#app/demonstration.ts';
import { openBus } from '#app/engines/bus.ts';
import { openRedis } from '#app/engines/redis.ts';
import { rootCause } from '#app/engines/wait.ts';
import { migrationSets } from '#app/migrations.ts';
import { remoteUrl, roleNames } from '#app/roles.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { schemaProblem } from '#platform/postgres/migrate.ts';
import { systemRandom } from '#platform/random.ts';
import type { Redis } from '#platform/redis/port.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { type Command, exitCodes } from './command.ts';
import { withDatabase } from './with-database.ts';

const clockSkewMaxMs = 1_000;
/** Slots end by Redis' clock, their tokens by that of the gateway. */
const redisSkewMaxMs = 2_000;
const checkLimitMs = 5_000;
/** Two steps fit into one check. */
const stepLimitMs = 2_000;
/** A relay that runs delivers within a second. */
const outboxOldestMaxMs = 60_000;
const refusedLookMax = 1_000;

type Report = (name: string, check: () => Promise<string>) => Promise<boolean>;

/** Something that is no fault where it was meant, and that a person should know. */
export class Warning extends Error {}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Can everything be reached, is the schema current, are the clocks close?',
  usage: 'doctor',
  help: `
Checks the configuration, each engine, the schema and the clocks, and says what to do about what is wrong. The exit
code is 1 if anything is.`,
  options: {},
  async run(input) {
    const { config } = loadConfig(input.env);
    let healthy = true;
    const report: Report = async (name, check) => {
      try {
        const finding = await withTimeout(
          check(),
          checkLimitMs,
          () => new Error(`no answer within ${checkLimitMs} ms`),
        );
        input.print(`ok     ${name}: ${finding}`);
        return true;
      } catch (error) {
        if (error instanceof Warning) {
          input.print(`warn   ${name}: ${error.message}`);
          return true;
        }
        healthy = false;
        input.print(`WRONG  ${name}: ${rootCause(error)}`);
        return false;
      }
    };
    await report('configuration', async () => `${config.mode} mode`);
    await checkRedis(config, report);
    await checkRoles(config, report);
    await report('node', async () => process.version);
    try {
      await withDatabase(input, (context) =>
        checkDatabase({ ...context, embedded: config.databaseUrl === null }, report),
      );
    } catch (error) {
      await report('PostgreSQL', () => Promise.reject(error));
    }
    return healthy ? exitCodes.ok : exitCodes.failed;
  },
};

async function checkDatabase(
  { database, config, embedded }: { database: Database; config: LoadedConfig['config']; embedded: boolean },
  report: Report,
): Promise<void> {
  const reached = await report('PostgreSQL', async () => {
    if (!embedded) await knock(database.url, 5_432);
    const { rows } = await database.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
    return `version ${rows[0]?.version}${embedded ? ', embedded' : ''}`;
  });
  if (!reached) {
    // What else is wrong is worth knowing, too.
    if (config.kafkaBrokers.length > 0) await report('Kafka', () => anyOf(config.kafkaBrokers));
    return;
  }
  const isCurrent = await report('schema', async () => {
    const problem = await schemaProblem(database, migrationSets);
    if (problem !== null) throw new Error(problem);
    return 'up to date';
  });
  await report('writing', () => tryToWrite(database));
  if (isCurrent && !embedded) await checkAccounts(database, config, report);
  await report('clocks', async () => {
    const before = Date.now();
    const { rows } = await database.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    const after = Date.now();
    const skewMs = Math.round((rows[0]?.ms ?? 0) - (before + after) / 2);
    if (Math.abs(skewMs) > clockSkewMaxMs) throw new Error(`the database is ${skewMs} ms off; keep both on NTP`);
    return `${skewMs} ms between this machine and the database`;
  });
  await report(config.kafkaBrokers.length > 0 ? 'Kafka' : 'bus', async () => {
    const ids = createIds({ clock: systemClock, random: systemRandom });
    const bus = await openBus({ config, database, clock: systemClock, ids, logger: silentLogger, relay: false });
    try {
      if (isCurrent) await report('events', () => whatWaits(bus));
      await bus.ping();
      return config.kafkaBrokers.length > 0 ? config.kafkaBrokers.join(', ') : 'a log in PostgreSQL';
    } finally {
      await bus.stop();
    }
  });
}

/** A megabyte that is taken back: reading works on a full disk, too. */
async function tryToWrite(database: Database): Promise<string> {
  await database.transaction(
    async (tx) => {
      await tx.query(
        `CREATE TEMPORARY TABLE urr_doctor ON COMMIT DROP AS SELECT repeat(md5(n::text), 40) AS text FROM generate_series(1, 800) AS n`,
      );
    },
    { retry: false },
  );
  return 'there is room';
}

/** What waits for a person, or for longer than it should. It needs PostgreSQL only. */
export async function whatWaits(
  bus: Pick<BusEngine, 'letterCounts' | 'refusedRows' | 'outboxBacklog'>,
): Promise<string> {
  const letters = (await bus.letterCounts())
    .filter(({ state }) => state === 'waiting-for-a-person')
    .reduce((sum, { count }) => sum + count, 0);
  const refused = (await bus.refusedRows({ limit: refusedLookMax })).length;
  const { rows, oldestMs } = await bus.outboxBacklog();
  const found = [
    ...(letters > 0 ? [`${letters} letters wait for a person (urr bus letters)`] : []),
    ...(refused > 0 ? [`the broker refuses ${refused} events (urr bus refused)`] : []),
    ...(oldestMs > outboxOldestMaxMs
      ? [`${rows} events wait in the outbox, the oldest for ${Math.round(oldestMs / 1_000)} s (urr bus lag)`]
      : []),
  ];
  if (found.length > 0) throw new Warning(found.join('; '));
  return `${rows} in the outbox, no letter waits for a person`;
}

/** In a database of one's own: the embedded one is there to try things out. */
async function checkAccounts(database: Database, config: LoadedConfig['config'], report: Report): Promise<void> {
  const accounts = await demonstrationAccounts(database);
  if (accounts.length === 0) return;
  await report('demonstration accounts', async () => {
    const found = `${accounts.join(', ')} can sign in with a known password; disable them before this serves anybody`;
    throw config.mode === 'production' ? new Error(found) : new Warning(found);
  });
}

async function checkRedis(config: LoadedConfig['config'], report: Report): Promise<void> {
  await report('Redis', async () => {
    const redis = openRedis({ config, logger: silentLogger, metrics: createMetrics() });
    if (redis === null) return 'not configured; that state lives in the process';
    try {
      await (config.redisUrl === null ? anyOf(config.redisCluster) : knock(config.redisUrl, 6_379));
      await redis.ping();
      await report('clock of Redis', () => redisClock(redis, systemClock));
      return redis.kind;
    } finally {
      await redis.close();
    }
  });
}

/** Of a Cluster one node answers. */
export async function redisClock(redis: Pick<Redis, 'command'>, clock: Pick<Clock, 'now'>): Promise<string> {
  const before = clock.now();
  const answer = await redis.command('TIME');
  const after = clock.now();
  if (!Array.isArray(answer)) throw new Error('Redis does not say what time it is');
  const [seconds, micros] = answer.map(Number);
  const skewMs = Math.round((seconds ?? Number.NaN) * 1_000 + (micros ?? 0) / 1_000 - (before + after) / 2);
  if (!(Math.abs(skewMs) <= redisSkewMaxMs)) throw new Warning(`Redis is ${skewMs} ms off; keep both on NTP`);
  return `${skewMs} ms between this machine and Redis`;
}

async function checkRoles(config: LoadedConfig['config'], report: Report): Promise<void> {
  for (const role of roleNames) {
    const address = remoteUrl(config, role);
    if (address !== null) await report(`role ${role}`, () => reach(new URL(address)));
  }
}

/** Brokers, and nodes of a Cluster, say by themselves where the others are, so one that answers is enough. */
async function anyOf(brokers: readonly string[]): Promise<string> {
  const problems: string[] = [];
  for (const broker of brokers) {
    const { hostname, port } = new URL(`tcp://${broker}`);
    try {
      await connect(hostname, Number(port));
      return `${broker} takes connections`;
    } catch (error) {
      problems.push(`${broker}: ${rootCause(error)}`);
    }
  }
  throw new Error(problems.join('; '));
}

/** Says more of an engine that is away than its client, which goes on trying. A URL may name no host but a socket. */
async function knock(address: string, portDefault: number): Promise<void> {
  const { hostname, port } = new URL(address);
  if (hostname !== '') await connect(hostname, Number(port || portDefault));
}

async function reach(address: URL): Promise<string> {
  await connect(address.hostname, Number(address.port || (address.protocol === 'https:' ? 443 : 80)));
  return `${address.origin} answers`;
}

async function connect(hostname: string, port: number): Promise<void> {
  // URLs write IPv6 addresses in brackets, which no lookup knows.
  const host = hostname.replace(/^\[|\]$/g, '');
  // Apart from the connection: a name that nobody can look up is another thing to mend than a server that is away.
  const { address } = await withTimeout(
    lookup(host),
    stepLimitMs,
    () => new Error(`the name ${host} was not resolved within ${stepLimitMs} ms; is it right, and does DNS work here?`),
  );
  await new Promise<void>((resolve, reject) => {
    const socket = createConnection({ host: address, port, timeout: stepLimitMs });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () =>
      socket.destroy(new Error(`${hostname}:${port} did not answer within ${stepLimitMs} ms`)),
    );
    socket.once('error', reject);
  });
}
