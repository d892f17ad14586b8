import type { Queryable } from '#platform/postgres/database.ts';

/** Every row of every table as text, also what the bus keeps: to look for what must be nowhere. Bytes are hexadecimal. */
export async function databaseText(database: Queryable): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query<{ line: string }>(`SELECT one::text AS line FROM ${name} AS one`);
    parts.push(name, ...rows.map(({ line }) => line));
  }
  return parts.join('\n');
}

/** Which of these words are in the text: as they are, or as hexadecimal bytes. */
export function wordsIn(text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase();
  return words.filter(
    (word) => lower.includes(word.toLowerCase()) || lower.includes(Buffer.from(word).toString('hex')),
  );
}
