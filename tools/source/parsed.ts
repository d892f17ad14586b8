import { type ESTree, parseSync, Visitor } from 'vite';
import { isCode } from './paths.ts';
import type { SourceTree } from './tree.ts';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Gone after type stripping. */
  readonly typeOnly: boolean;
  /** `*` for a whole module, `default` for its default. */
  readonly names: readonly string[];
}

export interface Call {
  readonly line: number;
  /** `Date.now`, `new Date`, `process.env`: a dotted name of identifiers, as read or called. */
  readonly name: string;
  readonly argumentCount: number | null;
}

export interface TextPart {
  readonly line: number;
  readonly text: string;
}

/** What the rules need to know of a file, found in one walk. */
export interface ParsedSource {
  readonly path: string;
  readonly imports: readonly Import[];
  /** Values; types are exported freely, so that a signature can be written down. */
  readonly exports: readonly { readonly name: string; readonly line: number }[];
  readonly uses: readonly Call[];
  /** String literals, other than those that imports name, and the fixed parts of templates. */
  readonly strings: readonly TextPart[];
}

const cache = new WeakMap<SourceTree, ReadonlyMap<string, ParsedSource>>();

/** Every code file of the tree, parsed once. A file that does not parse is left to the type check to report. */
export function parseTree(tree: SourceTree): ReadonlyMap<string, ParsedSource> {
  const known = cache.get(tree);
  if (known !== undefined) return known;
  const parsed = new Map<string, ParsedSource>();
  for (const [path, text] of tree) {
    if (isCode(path) && text !== null) parsed.set(path, parseSource(path, text));
  }
  cache.set(tree, parsed);
  return parsed;
}

function parseSource(path: string, text: string): ParsedSource {
  const { program, module } = parseSync(path, text);
  const lineOf = lineFinder(text);
  const imports: Import[] = [];
  const exports: { name: string; line: number }[] = [];
  const uses: Call[] = [];
  const strings: TextPart[] = [];
  const spread = new Set<number>();
  const specifiers = new Set<number>();

  for (const { moduleRequest, entries, start } of module.staticImports) {
    specifiers.add(moduleRequest.start);
    imports.push({
      specifier: moduleRequest.value,
      line: lineOf(start),
      typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
      names: entries.map((entry) => nameOf(entry.importName)),
    });
  }
  for (const { entries } of module.staticExports) {
    for (const entry of entries) {
      const line = lineOf(entry.start);
      if (entry.moduleRequest !== null) {
        const names = [nameOf(entry.importName)];
        specifiers.add(entry.moduleRequest.start);
        imports.push({ specifier: entry.moduleRequest.value, line, typeOnly: entry.isType, names });
      }
      if (!entry.isType && entry.exportName.name !== null) exports.push({ name: entry.exportName.name, line });
    }
  }

  const importedAs = (source: ESTree.Node, start: number, typeOnly: boolean) => {
    if (source.type !== 'Literal' || typeof source.value !== 'string') return;
    specifiers.add(source.start);
    imports.push({ specifier: source.value, line: lineOf(start), typeOnly, names: ['*'] });
  };
  new Visitor({
    ImportExpression(node) {
      importedAs(node.source, node.start, false);
    },
    TSImportType(node) {
      importedAs(node.source, node.start, true);
    },
    SpreadElement(node) {
      spread.add(node.argument.start);
    },
    MemberExpression(node) {
      const name = dottedName(node);
      // `{ ...process.env }` hands the surroundings on to a child process; it reads nothing from them.
      if (name === null || spread.has(node.start)) return;
      uses.push({ line: lineOf(node.start), name, argumentCount: null });
    },
    NewExpression(node) {
      const name = dottedName(node.callee);
      if (name === null) return;
      uses.push({ line: lineOf(node.start), name: `new ${name}`, argumentCount: node.arguments.length });
    },
    CallExpression(node) {
      if (node.callee.type !== 'Identifier') return;
      uses.push({ line: lineOf(node.start), name: node.callee.name, argumentCount: node.arguments.length });
    },
    Literal(node) {
      if (typeof node.value !== 'string' || specifiers.has(node.start)) return;
      strings.push({ line: lineOf(node.start), text: node.value });
    },
    TemplateElement(node) {
      strings.push({ line: lineOf(node.start), text: node.value.raw });
    },
  }).visit(program);

  return { path, imports, exports, uses, strings };
}

function nameOf(entry: { kind: string; name: string | null }): string {
  if (entry.kind === 'Default') return 'default';
  return entry.name ?? '*';
}

/** `a.b.c` of identifiers; null when anything else is in between. `a['b']` counts as `a.b`. */
function dottedName(node: ESTree.Node): string | null {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression') return null;
  const object = dottedName(node.object);
  if (object === null) return null;
  if (!node.computed && node.property.type === 'Identifier') return `${object}.${node.property.name}`;
  if (node.property.type === 'Literal') return `${object}.${String(node.property.value)}`;
  return null;
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
