import { checkLedger as check, type LedgerReport } from '#modules/ticketing/index.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';

/** Replays the ledger of every event in this database. Throws with the first contradiction; answers what was checked. */
export async function checkLedger(databaseOrUrl: Pick<Database, 'session'> | string): Promise<LedgerReport['checked']> {
  if (typeof databaseOrUrl !== 'string') return checkOn(databaseOrUrl);
  const database = createDatabase({ url: databaseOrUrl, poolMax: 1 });
  try {
    return await checkOn(database);
  } finally {
    await database.close();
  }
}

async function checkOn(database: Pick<Database, 'session'>): Promise<LedgerReport['checked']> {
  const verdict = await check(database);
  if (verdict.status !== 'checked') throw new Error(`the ledger was not checked: ${verdict.status}`);
  const { checked, contradiction } = verdict.report;
  if (contradiction !== null)
    throw new Error(`the ledger is contradicted: ${contradiction} (${JSON.stringify(checked)})`);
  return checked;
}
