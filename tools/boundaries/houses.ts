import type { Rule } from '../source/rule.ts';
import { importGraph } from './graph.ts';

/** `#platform/…` says where a thing lives; `../../../platform/…` says where the reader stands. */
export const farImportsAreNamed: Rule = {
  name: 'far-imports-are-named',
  mend: 'Write the import with `#platform/`, `#modules/`, `#app/`, `#edge/` or `#test/`.',
  find: (tree) =>
    [...importGraph(tree).edges].flatMap(([file, edges]) =>
      edges
        .filter(({ specifier, to }) => specifier.startsWith('..') && hasName(to) && houseOf(file) !== houseOf(to))
        .map(({ specifier, line }) => ({ file, line, message: `reaches ${specifier} by a relative path` })),
    ),
};

function houseOf(path: string): string {
  return /^(src\/modules\/[^/]+|src\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? '';
}

function hasName(path: string): boolean {
  return /^(src\/(platform|modules|app)|edge|test)\//.test(path);
}
