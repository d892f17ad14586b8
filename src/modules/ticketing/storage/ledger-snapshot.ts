import { assert } from '#platform/assert.ts';
import { uuidPattern } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';

/** The database as it was at one moment, read page by page. */
export interface LedgerSnapshot {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** A cursor takes no parameters, so ids are written into its text. */
  literal(uuid: string): string;
  pages<Row>(text: string): AsyncIterable<Row[]>;
}

/** Of rows; one of a seat or a reservation has its whole history in it. */
const pageRows = 1_000;
/** Sorting a million rows on a slow disk takes its time; a statement beyond this hangs. */
const statementMaxMs = 600_000;
const sortMemory = '64MB';
const uuidForm = new RegExp(uuidPattern);

/**
 * One REPEATABLE READ transaction that writes nothing: it has no transaction id, so readers of the ledger by xid do not wait for it.
 * On a connection of its own, since the pool's statements end after some seconds.
 */
export async function inLedgerSnapshot<Result>(
  database: Pick<Database, 'session'>,
  work: (snapshot: LedgerSnapshot) => Promise<Result>,
): Promise<Result> {
  const session = await database.session('check-ledger');
  try {
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await session.query(`SET LOCAL statement_timeout = ${statementMaxMs}`);
    await session.query(`SET LOCAL work_mem = '${sortMemory}'`);
    // The whole of each cursor is read, not its beginning.
    await session.query('SET LOCAL cursor_tuple_fraction = 1');
    await session.query('SET LOCAL jit = off');
    return await work({
      rows: async (text, values) => (await session.query<never>(text, values)).rows,
      literal(uuid) {
        assert(uuidForm.test(uuid), `${uuid} is not a uuid`);
        return `'${uuid}'::uuid`;
      },
      async *pages<Row>(text: string) {
        await session.query(`DECLARE page NO SCROLL CURSOR FOR ${text}`);
        for (;;) {
          const { rows } = await session.query<Row>(`FETCH ${pageRows} FROM page`);
          if (rows.length > 0) yield rows;
          if (rows.length < pageRows) break;
        }
        await session.query('CLOSE page');
      },
    });
  } finally {
    // Ends the transaction as well.
    await session.close();
  }
}
