import { type ErrorTable, platformErrors } from './errors.ts';
import type { ModuleDescription } from './module.ts';

export interface ErrorSection {
  readonly name: string;
  readonly summary: string;
  readonly table: ErrorTable;
}

/** Every error table, the platform's first. A code means one thing, so it stands in one table only. */
export function errorSections(
  modules: readonly Pick<ModuleDescription, 'name' | 'summary' | 'errors'>[],
): ErrorSection[] {
  const sections = [
    { name: 'platform', summary: 'What any route may answer, whatever the module.', table: platformErrors.table },
    ...modules.map(({ name, summary, errors }) => ({ name, summary, table: errors })),
  ].filter(({ table }) => Object.keys(table).length > 0);
  const owners = new Map<string, string>();
  for (const { name, table } of sections) {
    for (const code of Object.keys(table)) {
      const owner = owners.get(code);
      if (owner !== undefined) throw new Error(`the error code ${code} is declared by both ${owner} and ${name}`);
      owners.set(code, name);
    }
  }
  return sections;
}
