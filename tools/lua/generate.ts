import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { contradictions } from './body.ts';
import { emitScripts, type NamedContract } from './emit.ts';
import { LuaContractError, parseHeader } from './header.ts';

export interface GeneratedFile {
  /** Relative to the project's root. */
  readonly path: string;
  readonly text: string;
}

/**
 * One `scripts.generated.ts` for each folder with Lua scripts in it. Writes nothing: the caller writes the files, or
 * compares them with what is there to find drift. Throws a LuaContractError that names every file at fault.
 */
export function generateScripts(root: string): GeneratedFile[] {
  const folders = new Map<string, NamedContract[]>();
  for (const path of globSync('src/{modules,platform}/*/scripts/*.lua', { cwd: root }).sort()) {
    const contract = readContract(path, readFileSync(join(root, path), 'utf8'));
    const folder = dirname(path);
    const scripts = folders.get(folder) ?? [];
    const other = scripts.find((script) => script.contract.name === contract.name);
    if (other) throw new LuaContractError(path, [`the name ${contract.name} is taken by ${other.file}`]);
    folders.set(folder, [...scripts, { file: basename(path), contract }]);
  }
  return [...folders].map(([folder, scripts]) => ({
    path: join(folder, 'scripts.generated.ts'),
    text: emitScripts(scripts),
  }));
}

export function readContract(path: string, source: string): NamedContract['contract'] {
  const contract = parseHeader(path, source);
  const problems = contradictions(contract, source);
  if (problems.length > 0) throw new LuaContractError(path, problems);
  return contract;
}
