import type { Queryable } from '#platform/postgres/database.ts';
import { notice } from './generated-file.ts';
import { code } from './markdown.ts';

interface Column {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly primary: boolean;
  readonly foreign: boolean;
  readonly unique: boolean;
}

interface Reference {
  readonly schema: string;
  readonly table: string;
  readonly columns: string;
  readonly target: string;
  readonly optional: boolean;
}

interface Routine {
  readonly schema: string;
  readonly signature: string;
}

/** docs/reference/database.md: one diagram per schema, read from a database that was just migrated. */
export async function renderDatabase(database: Queryable, schemas: readonly string[]): Promise<string> {
  const { rows: columns } = await database.query<Column>(columnsSql, [schemas]);
  const { rows: references } = await database.query<Reference>(referencesSql, [schemas]);
  const { rows: routines } = await database.query<Routine>(routinesSql, [schemas]);
  const parts = schemas.map((schema) => {
    const tables = Map.groupBy(
      columns.filter((column) => column.schema === schema),
      (column) => column.table,
    );
    const lines = [...tables].flatMap(([name, fields]) => [`  ${name} {`, ...fields.map(fieldLine), '  }']);
    const links = references.filter((reference) => reference.schema === schema).map(linkLine);
    const functions = routines
      .filter((routine) => routine.schema === schema)
      .map(({ signature }) => `- ${code(signature)}`);
    return [
      `## ${schema}\n`,
      tables.size === 0 ? 'No tables.\n' : `\`\`\`mermaid\nerDiagram\n${[...lines, ...links].join('\n')}\n\`\`\`\n`,
      ...(functions.length === 0 ? [] : [`Functions:\n\n${functions.join('\n')}\n`]),
    ].join('\n');
  });
  return `${notice}

# Database

Each module owns the schema of its own name; nothing refers from one schema to another. \`PK\`: primary key, \`FK\`: refers to
another table, \`UK\`: unique. A column is never null unless it says so.

${parts.join('\n')}`;
}

function fieldLine({ column, type, nullable, primary, foreign, unique }: Column): string {
  const keys = [...(primary ? ['PK'] : []), ...(foreign ? ['FK'] : []), ...(unique ? ['UK'] : [])].join(', ');
  // Mermaid takes letters, digits, brackets and underscores in a type, and one word only.
  const word = (shortTypes[type] ?? type).replaceAll(/[^\w()[\]]+/g, '_');
  return `    ${[word, column, keys, nullable ? '"may be null"' : ''].filter((part) => part !== '').join(' ')}`;
}

const shortTypes: Readonly<Record<string, string>> = {
  'timestamp with time zone': 'timestamptz',
  'character varying': 'varchar',
  'double precision': 'float8',
};

function linkLine({ table, columns, target, optional }: Reference): string {
  return `  ${target} ${optional ? '|o' : '||'}--o{ ${table} : "${columns}"`;
}

/** Partitions are left out: they look like the table they belong to. */
const columnsSql = `
  SELECT n.nspname AS schema, c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type,
         NOT a.attnotnull AS nullable,
         EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS "primary",
         EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)) AS "foreign",
         EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND NOT i.indisprimary
                   AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) AS "unique"
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
   WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   ORDER BY n.nspname, c.relname, a.attnum`;

const referencesSql = `
  SELECT n.nspname AS schema, c.relname AS table, t.relname AS target,
         (SELECT string_agg(a.attname, ', ' ORDER BY k.place)
            FROM unnest(f.conkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.number) AS columns,
         (SELECT bool_or(NOT a.attnotnull) FROM pg_attribute a WHERE a.attrelid = f.conrelid AND a.attnum = ANY (f.conkey)) AS optional
    FROM pg_constraint f
    JOIN pg_class c ON c.oid = f.conrelid
    JOIN pg_class t ON t.oid = f.confrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE f.contype = 'f' AND n.nspname = ANY ($1) AND f.conparentid = 0 AND NOT c.relispartition
   ORDER BY n.nspname, c.relname, t.relname, f.conname`;

const routinesSql = `
  SELECT n.nspname AS schema, p.proname || '(' || pg_get_function_arguments(p.oid) || ')' AS signature
    FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE n.nspname = ANY ($1)
   ORDER BY 1, 2`;
