import { parseTree } from '../source/parsed.ts';
import { isCode, isGenerated, isProduct, isTest } from '../source/paths.ts';
import type { Rule } from '../source/rule.ts';
import type { SourceTree } from '../source/tree.ts';
import { importGraph } from './graph.ts';

/** Where a reader, a command or a tool comes in from outside. */
function isEntry(path: string): boolean {
  return (
    path === 'src/main.ts' ||
    /^(scripts|tools|bench)\/[^/]+$/.test(path) ||
    /^web\/src\/(main\.tsx?|(vwr|fairness)\/page\.ts)$/.test(path) ||
    /(^|\/)[\w.-]+\.config\.(ts|mjs)$/.test(path) ||
    path.startsWith('web/public/') ||
    path.endsWith('.d.ts')
  );
}

/** A file of a module or of the app that only its own test reads is dead too. The platform is a library: there, tests count. */
export const noDeadFiles: Rule = {
  name: 'no-dead-files',
  mend: 'Delete the file, or import it from where it is needed.',
  find(tree) {
    const code = [...tree.keys()].filter(isCode);
    const alive = reachable(tree, code.filter(isEntry));
    const tested = reachable(
      tree,
      code.filter((path) => isEntry(path) || /\.test\.tsx?$/.test(path)),
    );
    return code
      .filter((path) => !(isProduct(path) && !path.startsWith('src/platform/') ? alive : tested).has(path))
      .map((file) => ({ file, message: 'is not reached from any entry of the program' }));
  },
};

function reachable(tree: SourceTree, entries: readonly string[]): Set<string> {
  const { edges, mentions } = importGraph(tree);
  const seen = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    open.push(...(edges.get(file) ?? []).map((edge) => edge.to), ...(mentions.get(file) ?? []));
  }
  return seen;
}

/** An export that nobody imports is either dead or should not be exported. */
export const noDeadExports: Rule = {
  name: 'no-dead-exports',
  mend: 'Delete it, or take the word `export` away.',
  find(tree) {
    const used = usedNames(tree);
    return (
      [...parseTree(tree).values()]
        // What a module shows to later ones need not be used yet.
        .filter(({ path }) => !isEntry(path) && !isTest(path) && !isGenerated(path) && !isModuleContract(path))
        .flatMap(({ path, exports }) => {
          const names = used.get(path) ?? new Set();
          if (names.has('*')) return [];
          return exports
            .filter(({ name }) => !names.has(name))
            .map(({ name, line }) => ({ file: path, line, message: `exports ${name}, which nobody imports` }));
        })
    );
  },
};

function isModuleContract(path: string): boolean {
  return /^src\/modules\/[^/]+\/contract\.ts$/.test(path);
}

function usedNames(tree: SourceTree): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>();
  const { edges, mentions } = importGraph(tree);
  const use = (path: string, name: string) => used.set(path, (used.get(path) ?? new Set()).add(name));
  for (const [path, { imports }] of parseTree(tree)) {
    for (const [index, { names }] of imports.entries()) {
      const to = edges.get(path)?.[index]?.to;
      if (to !== undefined) for (const name of names) use(to, name);
    }
    for (const mentioned of mentions.get(path) ?? []) use(mentioned, '*');
  }
  return used;
}
