import { expect } from 'vitest';
import type { Database } from '#platform/postgres/database.ts';

/** Functions of the database whose text a test changes: to take a guard away, or to put a gate into it. */
export interface EditedFunctions {
  /** A pattern that is not in it fails the test: the guard has moved, or is gone. */
  edit(name: string, pattern: RegExp, replacement: string): Promise<void>;
  /** All are as they were. */
  restore(): Promise<void>;
}

export function editedFunctions(database: Database): EditedFunctions {
  const originals: string[] = [];
  return {
    async edit(name, pattern, replacement) {
      const { rows } = await database.query<{ text: string }>(
        `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'ticketing'::regnamespace AND proname = $1`,
        [name],
      );
      const before = rows[0]?.text ?? '';
      const after = before.replace(pattern, replacement);
      expect(after, `${name} has ${pattern}`).not.toBe(before);
      originals.push(before);
      await database.query(after);
    },
    async restore() {
      for (const text of originals.splice(0).reverse()) await database.query(text);
    },
  };
}
