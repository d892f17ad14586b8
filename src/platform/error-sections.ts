import { isDeepStrictEqual } from 'node:util';
import { type ErrorTable, platformErrors } from './errors.ts';
import type { ModuleDescription } from './module.ts';

export interface ErrorSection {
  readonly name: string;
  readonly summary: string;
  readonly table: ErrorTable;
}

/**
 * Every error table, the platform's first. A code means one thing: a module may answer with a code of another only word for word as that one
 * declares it, and it is listed there.
 */
export function errorSections(
  modules: readonly Pick<ModuleDescription, 'name' | 'summary' | 'errors'>[],
): ErrorSection[] {
  const sections = [
    { name: 'platform', summary: 'What any route may answer, whatever the module.', table: platformErrors.table },
    ...modules.map(({ name, summary, errors }) => ({ name, summary, table: errors })),
  ];
  const owners = new Map<string, ErrorSection>();
  return sections
    .map((section) => {
      const own = Object.entries(section.table).filter(([code, definition]) => {
        const owner = owners.get(code);
        if (owner === undefined) return true;
        if (isDeepStrictEqual(owner.table[code], definition)) return false;
        throw new Error(`the error code ${code} is declared by both ${owner.name} and ${section.name}`);
      });
      for (const [code] of own) owners.set(code, section);
      return { ...section, table: Object.fromEntries(own) };
    })
    .filter(({ table }) => Object.keys(table).length > 0);
}
