import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock, type FakeClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { type Catalog, createCatalog } from '../index.ts';
import { aRecordingBus, type RecordingBus } from './recording-bus.ts';

export interface TestCatalog {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly clock: FakeClock;
  readonly bus: RecordingBus;
  /** Whom `auth` knows, by id. */
  readonly users: Map<string, { id: string; role: string }>;
  nextId(): string;
}

/** The module on a database of its own, with a clock that the test owns and a bus that remembers what was said. */
export async function aCatalog(
  options: { wrapDatabase?: (database: Database) => Database } = {},
): Promise<TestCatalog> {
  const { url } = await aDatabase();
  const pool = createDatabase({ url, poolMax: 5 });
  atEnd(() => pool.close());
  const database = options.wrapDatabase?.(pool) ?? pool;
  const clock = aClock();
  const ids = createIds({ clock, random: systemRandom });
  const bus = aRecordingBus();
  const users = new Map<string, { id: string; role: string }>();
  const auth = {
    usersById: async ({ ids: asked }: { ids: string[] }) => ({ users: asked.flatMap((id) => users.get(id) ?? []) }),
  };
  const deps = { database, bus, clock, ids, audit: postgresAuditLog, logger: silentLogger, auth };
  return { catalog: createCatalog(deps), database, clock, bus, users, nextId: () => ids.next() };
}
