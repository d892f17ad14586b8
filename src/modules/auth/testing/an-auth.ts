import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import type { Bus, TopicDefinition } from '#platform/bus/port.ts';
import { compileSchema } from '#platform/http/validation.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import type { PasswordCost } from '../domain/password-hash.ts';
import { type AuthInstance, createAuth } from '../index.ts';
import { createPasswordHasher, type PasswordHasher } from '../passwords/hasher.ts';
import type { AccessClaims, AuthConfig, AuthDeps } from '../ports.ts';

/** About a millisecond: what these tests measure is not the hash. */
export const lightCost: PasswordCost = {
  argon2id: { memoryKib: 256, passes: 1, parallelism: 1 },
  scrypt: { logN: 10, blockSize: 8, parallelism: 1 },
};

export interface TestAuth extends AuthInstance {
  readonly deps: AuthDeps;
  readonly database: Database;
  readonly time: TestTime;
  /** Events whose transaction has committed. */
  readonly published: { topic: string; type: string; key: string; data: unknown }[];
  /** How often a password was hashed, for whatever reason. */
  readonly hashed: { count: number };
}

export interface AuthOptions {
  readonly config?: Partial<AuthConfig>;
  readonly keepers?: AuthDeps['keepers'];
}

/** An auth module on a database of its own, with time in the test's hands on both sides, here and in SQL. */
export async function anAuth(options: AuthOptions = {}): Promise<TestAuth> {
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax: 12 });
  atEnd(() => database.close());
  const time = await ownTime(database);
  const published: TestAuth['published'] = [];
  const hashed = { count: 0 };
  const config: AuthConfig = {
    secureCookies: true,
    deviceSecrets: ['d'.repeat(32)],
    passwordCost: lightCost,
    hashing: { concurrentMax: 3, waitingMax: 200, waitMaxMs: 30_000 },
    oidc: null,
    ...options.config,
  };
  const deps: AuthDeps = {
    database,
    bus: recordingBus(published),
    clock: time,
    ids: createIds({ clock: time, random: systemRandom }),
    random: systemRandom,
    accessTokens: createJwtKind<AccessClaims>({
      typ: 'at+jwt',
      secrets: ['a'.repeat(32)],
      ttlSeconds: 900,
      clock: time,
    }),
    audit: postgresAuditLog,
    logger: silentLogger,
    keepers: options.keepers ?? [],
    config,
  };
  const hasher = countingHasher(createPasswordHasher({ cost: config.passwordCost, random: systemRandom }), hashed);
  return { ...createAuth({ ...deps, hasher }), deps, database, time, published, hashed };
}

export interface TestTime {
  now(): number;
  monotonicMs(): number;
  advance(ms: number): Promise<void>;
}

async function ownTime(database: Database): Promise<TestTime> {
  let nowMs = Date.UTC(2030, 0, 1);
  const write = () => database.query('UPDATE urr.test_time SET at = $1', [new Date(nowMs)]);
  await database.query('CREATE TABLE urr.test_time (at timestamptz NOT NULL)');
  await database.query('INSERT INTO urr.test_time VALUES ($1)', [new Date(nowMs)]);
  await database.query(
    `CREATE OR REPLACE FUNCTION urr.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM urr.test_time'`,
  );
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    async advance(ms) {
      nowMs += ms;
      await write();
    },
  };
}

/** Takes events as the outbox does: with the transaction, and only if they are what their topic promises. */
function recordingBus(published: TestAuth['published']): Pick<Bus, 'publish'> {
  return {
    async publish(tx, topic: TopicDefinition, events: readonly { type: string; key: string; data: unknown }[]) {
      for (const event of events) {
        const definition = topic.types[event.type];
        const problems = definition ? compileSchema(definition.data)(event.data) : ['unknown type'];
        if (problems.length > 0) throw new Error(`${topic.name} ${event.type}: ${problems.join('; ')}`);
        tx.afterCommit(() => published.push({ topic: topic.name, type: event.type, key: event.key, data: event.data }));
      }
    },
  };
}

function countingHasher(hasher: PasswordHasher, hashed: { count: number }): PasswordHasher {
  return {
    hash(password) {
      hashed.count += 1;
      return hasher.hash(password);
    },
    check(password, stored) {
      hashed.count += 1;
      return hasher.check(password, stored);
    },
  };
}
