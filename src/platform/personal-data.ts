import type { Queryable } from './postgres/database.ts';

export interface ExportedUser {
  sections: Record<string, unknown[]>;
  truncated: string[];
}

/** Of one section. Far more than anybody has, and small enough for one answer between two roles. */
const sectionRowsMax = 2_000;

/** Runs one query a section. Each takes the user's id and a limit, and answers rows of one column `item`, the newest first. */
export async function exportSections(
  on: Queryable,
  { userId, queries }: { userId: string; queries: Readonly<Record<string, string>> },
): Promise<ExportedUser> {
  const found: ExportedUser = { sections: {}, truncated: [] };
  for (const [section, text] of Object.entries(queries)) {
    const { rows } = await on.query<{ item: unknown }>(text, [userId, sectionRowsMax + 1]);
    found.sections[section] = rows.slice(0, sectionRowsMax).map(({ item }) => item);
    if (rows.length > sectionRowsMax) found.truncated.push(section);
  }
  return found;
}

/** The part of the audit log that is about the user, or says what the user did, in one module. Others who acted are not named. */
export function auditSection(module: string): string {
  return `SELECT jsonb_build_object('at', at, 'action', action, 'subject', subject, 'byYou', actor_id = $1,
       'before', CASE WHEN subject = $1 THEN before END, 'after', CASE WHEN subject = $1 THEN after END) AS item
     FROM urr.audit_log WHERE (actor_id = $1 OR subject = $1) AND starts_with(action, '${module}.')
     ORDER BY id DESC LIMIT $2`;
}
