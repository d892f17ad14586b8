import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type ParsedSource, parseTree } from '../source/parsed.ts';
import type { SourceTree } from '../source/tree.ts';

export interface Edge {
  /** A path of the tree, `npm:<package>`, `node:<name>`, or `missing:<specifier>`. */
  readonly to: string;
  readonly specifier: string;
  readonly line: number;
  readonly typeOnly: boolean;
  readonly names: readonly string[];
}

export interface ImportGraph {
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  /** Files named by a string, as workers, child processes and configuration do. They count as used, not as imported. */
  readonly mentions: ReadonlyMap<string, readonly string[]>;
}

const cache = new WeakMap<SourceTree, ImportGraph>();

/**
 * Who imports whom. Read from the syntax by the parser that Vite brings: dependency-cruiser needs the API of an older
 * TypeScript, and without it does not see `import type`.
 */
export function importGraph(tree: SourceTree): ImportGraph {
  const known = cache.get(tree);
  if (known !== undefined) return known;
  const aliases = subpathImports(tree);
  const edges = new Map<string, Edge[]>();
  const mentions = new Map<string, string[]>();
  for (const [path, source] of parseTree(tree)) {
    edges.set(path, edgesOf(source, tree, aliases));
    mentions.set(path, mentionsOf(source, tree, aliases));
  }
  const graph = { edges, mentions };
  cache.set(tree, graph);
  return graph;
}

function edgesOf(source: ParsedSource, tree: SourceTree, aliases: Aliases): Edge[] {
  return source.imports.map(({ specifier, line, typeOnly, names }) => ({
    to: resolve(source.path, specifier, tree, aliases),
    specifier,
    line,
    typeOnly,
    names,
  }));
}

type Aliases = readonly { readonly prefix: string; readonly folder: string }[];

function subpathImports(tree: SourceTree): Aliases {
  const manifest = JSON.parse(tree.get('package.json') ?? '{}') as { imports?: Record<string, string> };
  return Object.entries(manifest.imports ?? {}).map(([alias, target]) => ({
    prefix: alias.replace(/\*$/, ''),
    folder: target.replace(/^\.\//, '').replace(/\*$/, ''),
  }));
}

function resolve(from: string, specifier: string, tree: SourceTree, aliases: Aliases): string {
  const plain = specifier.replace(/\?.*$/, '');
  if (plain.startsWith('.')) return existing(posix.join(posix.dirname(from), plain), tree) ?? `missing:${specifier}`;
  const alias = aliases.find(({ prefix }) => plain.startsWith(prefix));
  if (alias !== undefined) {
    return existing(alias.folder + plain.slice(alias.prefix.length), tree) ?? `missing:${specifier}`;
  }
  if (isBuiltin(plain)) return `node:${plain.replace(/^node:/, '')}`;
  const [scope, name] = plain.split('/');
  return `npm:${plain.startsWith('@') ? `${scope}/${name}` : scope}`;
}

function existing(path: string, tree: SourceTree): string | null {
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => tree.has(candidate)) ?? null;
}

function mentionsOf(source: ParsedSource, tree: SourceTree, aliases: Aliases): string[] {
  return source.strings.flatMap(({ text }) => {
    if (!/^#?[\w./-]+\.(ts|tsx|mjs)$/.test(text)) return [];
    const candidates = [
      posix.join(posix.dirname(source.path), text),
      posix.normalize(text),
      ...(text.startsWith('#') ? [resolve(source.path, text, tree, aliases)] : []),
    ];
    return candidates.filter((candidate) => tree.has(candidate));
  });
}
