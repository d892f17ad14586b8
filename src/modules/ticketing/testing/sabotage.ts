import type { Database } from '#platform/postgres/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { type EditedFunctions, editedFunctions } from './edited-functions.ts';

/** Takes guards out of the database's functions and puts them back, and makes statements meet at a gate. */
export interface Sabotage extends EditedFunctions {
  dropIndex(name: string): Promise<void>;
  /** Closes the gate for those who come to `gateStatement`, until it is opened. */
  closeGate(): Promise<{ waitFor(count: number): Promise<unknown>; open(): Promise<void> }>;
}

const gate = 727_701;
export const gateStatement = `PERFORM pg_advisory_xact_lock_shared(${gate});`;

export function createSabotage(database: Database): Sabotage {
  const functions = editedFunctions(database);
  const indexes: string[] = [];

  /** How many batches wait: at the gate, or for a row of one who does. */
  async function waiting(): Promise<number> {
    const { rows } = await database.query<{ count: number }>(
      `SELECT count(*) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%hold_batch%'`,
    );
    return rows[0]?.count ?? 0;
  }

  return {
    edit: functions.edit,
    async dropIndex(name) {
      const { rows } = await database.query<{ text: string }>(
        `SELECT pg_get_indexdef('ticketing.${name}'::regclass) AS text`,
      );
      indexes.push(...rows.map(({ text }) => text));
      await database.query(`DROP INDEX ticketing.${name}`);
    },
    async restore() {
      await functions.restore();
      for (const index of indexes.splice(0)) await database.query(index);
    },
    async closeGate() {
      const closed = await database.session('gate');
      await closed.query('SELECT pg_advisory_lock($1)', [gate]);
      return {
        waitFor: (count) =>
          eventually(async () => (await waiting()) === count, { withinMs: 60_000, what: `${count} at the gate` }),
        open: () => closed.close(),
      };
    },
  };
}
