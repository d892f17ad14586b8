import { expect } from 'vitest';
import type { Database } from '#platform/postgres/database.ts';
import { eventually } from '#test/kit/faults.ts';

/** Takes guards out of the database's functions and puts them back, and makes statements meet at a gate. */
export interface Sabotage {
  /** Changes the text of a function. A pattern that is not in it fails the test: the guard has moved, or is gone. */
  edit(name: string, pattern: RegExp, replacement: string): Promise<void>;
  dropIndex(name: string): Promise<void>;
  restore(): Promise<void>;
  /** Closes the gate for those who come to `gateStatement`, until it is opened. */
  closeGate(): Promise<{ waitFor(count: number): Promise<unknown>; open(): Promise<void> }>;
}

const gate = 727_701;
export const gateStatement = `PERFORM pg_advisory_xact_lock_shared(${gate});`;

export function createSabotage(database: Database): Sabotage {
  const undo: string[] = [];

  async function definitionOf(query: string): Promise<string> {
    const { rows } = await database.query<{ text: string }>(query);
    return rows[0]?.text ?? '';
  }

  /** How many batches wait: at the gate, or for a row of one who does. */
  async function waiting(): Promise<number> {
    const { rows } = await database.query<{ count: number }>(
      `SELECT count(*) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%hold_batch%'`,
    );
    return rows[0]?.count ?? 0;
  }

  return {
    async edit(name, pattern, replacement) {
      const before = await definitionOf(
        `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'ticketing'::regnamespace AND proname = '${name}'`,
      );
      const after = before.replace(pattern, replacement);
      expect(after, `${name} has ${pattern}`).not.toBe(before);
      undo.push(before);
      await database.query(after);
    },
    async dropIndex(name) {
      undo.push(await definitionOf(`SELECT pg_get_indexdef('ticketing.${name}'::regclass) AS text`));
      await database.query(`DROP INDEX ticketing.${name}`);
    },
    async restore() {
      for (const statement of undo.splice(0).reverse()) await database.query(statement);
    },
    async closeGate() {
      const closed = await database.session('gate');
      await closed.query('SELECT pg_advisory_lock($1)', [gate]);
      return {
        waitFor: (count) =>
          eventually(async () => (await waiting()) === count, { withinMs: 10_000, what: `${count} at the gate` }),
        open: () => closed.close(),
      };
    },
  };
}
