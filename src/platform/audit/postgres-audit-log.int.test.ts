import { expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { postgresAuditLog } from './postgres-audit-log.ts';

const database = createDatabase({ url: (await aDatabase()).url, poolMax: 2 });
atEnd(() => database.close());

const entry = { actorId: 'ann', actorRole: 'admin', action: 'test.change', subject: 'thing:1', before: 1, after: 2 };

test.each([
  ['an update', 'UPDATE urr.audit_log SET actor_id = $$bob$$'],
  ['a delete', 'DELETE FROM urr.audit_log'],
  ['a truncate', 'TRUNCATE urr.audit_log'],
  ['a truncate together with another table', 'TRUNCATE urr.idempotency_keys, urr.audit_log'],
])('what was written down survives %s', async (_what, change) => {
  await database.transaction((tx) => postgresAuditLog.record(tx, entry));
  const count = async () => (await database.query('SELECT * FROM urr.audit_log')).rowCount;
  const before = await count();
  expect(before).toBeGreaterThan(0);
  await expect(database.query(change)).rejects.toThrow('append-only');
  expect(await count()).toBe(before);
});
