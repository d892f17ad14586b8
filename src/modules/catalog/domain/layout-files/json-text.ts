import type { FileProblem } from './file-problem.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonReading =
  | { readonly status: 'read'; readonly value: Json; lineOf(path: string): number }
  | { readonly status: 'broken'; readonly problem: FileProblem };

/** More than a plan of 100,000 seats has, each of which is two objects; and deeper than any. */
const jsonLimits = {
  depthMax: 32,
  valuesMax: 3_000_000,
  /** In one object: our own part of a plan has one for each seat that has a mark. */
  namesMax: 100_000,
  /** No name and no text of a plan is longer, but for `text`, in which our own part of it stands. */
  textLengthMax: 10_000,
  longTextLengthMax: 12_000_000,
  /** One after the other. */
  blanksMax: 100_000,
} as const;
const longTextKey = 'text';
const valuesPerStep = 500;

/** Paths whose lines are wanted, as a tree: `zones` → `0` → `name`. */
interface PathTree {
  line: number | null;
  readonly inner: Map<string, PathTree>;
}

interface Open {
  readonly container: Json[] | Record<string, Json>;
  key: string;
  names: number;
  readonly wanted: PathTree | null;
}

/**
 * JSON.parse a step at a time, that says in which line something is: of what is broken, and of every path in `paths`. A
 * path that is not there has the line of the nearest thing around it.
 */
export function* readJson(text: string, paths: readonly string[] = []): Generator<void, JsonReading> {
  const root = treeOf(paths);
  const open: Open[] = [];
  let at = 0;
  let line = 1;
  let values = 0;

  /** Stops in the middle of too many, where nothing is expected. */
  const skipBlanks = () => {
    for (const end = Math.min(text.length, at + jsonLimits.blanksMax); at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x0a) line += 1;
      else if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return;
    }
  };
  const broken = (message: string): JsonReading => ({ status: 'broken', problem: { line, field: '', message } });
  const found = () => (at < text.length ? `${JSON.stringify(text[at])} where` : 'the end where');
  /** The tree below the key that comes next. */
  const enter = (around: Open | undefined): PathTree | null => {
    const wanted = around === undefined ? root : (around.wanted?.inner.get(around.key) ?? null);
    if (wanted !== null && wanted.line === null) wanted.line = line;
    return wanted;
  };
  /** `"key":`, or what is wrong with it. */
  const readKey = (top: Open & { container: Record<string, Json> }): string | null => {
    skipBlanks();
    if (++top.names > jsonLimits.namesMax) return `more than ${jsonLimits.namesMax} names are in one object`;
    const key = readString(text, at, jsonLimits.textLengthMax);
    if (key === null) return `${found()} a name in quotes was expected`;
    at = key.end;
    skipBlanks();
    if (text[at] !== ':') return `${found()} a colon was expected`;
    at += 1;
    if (key.value === '__proto__' || Object.hasOwn(top.container, key.value))
      return `the name ${JSON.stringify(key.value.slice(0, 50))} is ${key.value === '__proto__' ? 'not allowed' : 'used twice in one object'}`;
    top.key = key.value;
    return null;
  };

  for (;;) {
    if (++values % valuesPerStep === 0) yield;
    if (values > jsonLimits.valuesMax) return broken(`more than ${jsonLimits.valuesMax} values are in the file`);
    skipBlanks();
    const around = open.at(-1);
    const wanted = enter(around);
    let value: Json;
    const opening = text[at];
    if (opening === '{' || opening === '[') {
      if (open.length === jsonLimits.depthMax) return broken('it is nested too deeply');
      at += 1;
      const container: Open['container'] = opening === '[' ? [] : {};
      const top: Open = { container, key: '0', names: 0, wanted };
      open.push(top);
      skipBlanks();
      if (text[at] !== closingOf(container)) {
        const problem = isObject(top) ? readKey(top) : null;
        if (problem !== null) return broken(problem);
        continue;
      }
      at += 1;
      open.pop();
      value = container;
    } else {
      const isLong = around !== undefined && isObject(around) && around.key === longTextKey;
      const scalar = readScalar(text, at, isLong ? jsonLimits.longTextLengthMax : jsonLimits.textLengthMax);
      if (scalar === null) return broken(`${found()} a value was expected`);
      at = scalar.end;
      value = scalar.value;
    }
    // The value is whole: hand it to what is around it, and close what it ends.
    for (;;) {
      skipBlanks();
      const top = open.at(-1);
      if (top === undefined) {
        if (at < text.length) return broken(`${found()} nothing more was expected`);
        return { status: 'read', value, lineOf: (path) => lineIn(root, path) };
      }
      if (isObject(top)) top.container[top.key] = value;
      else (top.container as Json[]).push(value);
      if (text[at] === ',') {
        at += 1;
        if (!isObject(top)) {
          top.key = String((top.container as Json[]).length);
          break;
        }
        const problem = readKey(top);
        if (problem !== null) return broken(problem);
        break;
      }
      if (text[at] !== closingOf(top.container))
        return broken(`${found()} a comma or "${closingOf(top.container)}" was expected`);
      at += 1;
      open.pop();
      value = top.container;
    }
  }
}

function isObject(open: Open): open is Open & { container: Record<string, Json> } {
  return !Array.isArray(open.container);
}

function closingOf(container: Open['container']): string {
  return Array.isArray(container) ? ']' : '}';
}

interface Scalar<Value> {
  readonly value: Value;
  readonly end: number;
}

function readScalar(text: string, at: number, lengthMax: number): Scalar<Json> | null {
  if (text[at] === '"') return readString(text, at, lengthMax);
  number.lastIndex = at;
  const [digits] = number.exec(text) ?? [];
  if (digits !== undefined) return { value: Number(digits), end: at + digits.length };
  for (const [word, value] of words) if (text.startsWith(word, at)) return { value, end: at + word.length };
  return null;
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const words = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

/** Null also for one that is longer. */
function readString(text: string, at: number, lengthMax: number): Scalar<string> | null {
  if (text[at] !== '"') return null;
  const lastAt = at + 1 + lengthMax;
  for (let end = text.indexOf('"', at + 1); end !== -1 && end <= lastAt; end = text.indexOf('"', end + 1)) {
    if (isEscaped(text, end)) continue;
    const inner = text.slice(at + 1, end);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what makes a text invalid
    if (!/[\\\u0000-\u001f]/.test(inner)) return { value: inner, end: end + 1 };
    try {
      return { value: JSON.parse(text.slice(at, end + 1)) as string, end: end + 1 };
    } catch {
      return null;
    }
  }
  return null;
}

function isEscaped(text: string, quoteAt: number): boolean {
  let before = quoteAt;
  while (text[before - 1] === '\\') before -= 1;
  return (quoteAt - before) % 2 === 1;
}

function treeOf(paths: readonly string[]): PathTree {
  const root: PathTree = { line: null, inner: new Map() };
  for (const path of paths) {
    let tree = root;
    for (const part of path === '' ? [] : path.split('.')) {
      const inner = tree.inner.get(part) ?? { line: null, inner: new Map() };
      tree.inner.set(part, inner);
      tree = inner;
    }
  }
  return root;
}

function lineIn(root: PathTree, path: string): number {
  let line = root.line ?? 1;
  let tree: PathTree | undefined = root;
  for (const part of path === '' ? [] : path.split('.')) {
    tree = tree.inner.get(part);
    if (tree === undefined || tree.line === null) break;
    line = tree.line;
  }
  return line;
}
