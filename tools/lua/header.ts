import { parseReturns, type ReturnType } from './returns.ts';

/**
 * The contract at the top of a script:
 *
 *   -- name: takeTokens
 *   -- purpose: Takes tokens from a bucket, or says how long to wait.
 *   -- keys:
 *   --   bucket: hash { tokens, atMs } of one caller and class
 *   -- args:
 *   --   capacity: integer, tokens of a full bucket
 *   -- returns: [allowed: boolean, remaining: integer]
 *   -- cost: O(1)
 *   -- flags: write
 *
 * Types of args: integer, number, string, bytes. The last key or arg may be `name...`, any number of them.
 * A continued line is indented deeper than the one it continues. `keys: none` and `args: none` are said, not left out.
 */
export interface LuaContract {
  readonly name: string;
  readonly purpose: string;
  readonly keys: readonly LuaKey[];
  readonly args: readonly LuaArg[];
  readonly returns: ReturnType;
  readonly cost: string;
  readonly readOnly: boolean;
}

export interface LuaKey {
  readonly name: string;
  readonly rest: boolean;
  readonly note: string;
}

export interface LuaArg extends LuaKey {
  readonly type: LuaArgType;
}

const argTypes = ['integer', 'number', 'string', 'bytes'] as const;
export type LuaArgType = (typeof argTypes)[number];

/** A header that cannot be read, or that the body contradicts. Names the file, so that the message alone is enough to fix it. */
export class LuaContractError extends Error {
  constructor(file: string, problems: readonly string[]) {
    super(`${file}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'LuaContractError';
  }
}

const fields = ['name', 'purpose', 'keys', 'args', 'returns', 'cost', 'flags'] as const;
type Field = (typeof fields)[number];
const fieldLine = /^-- ([a-z]+):\s*(.*)$/;
const itemLine = /^-- {3}([a-zA-Z]\w*)(\.\.\.)?:\s*(.*)$/;
const continuedLine = /^-- {3,}(.*)$/;

export function parseHeader(file: string, source: string): LuaContract {
  const problems: string[] = [];
  const { values, items } = readLines(source, problems);
  for (const field of fields) {
    if (!values.has(field)) problems.push(`the header has no "${field}:"`);
  }
  const name = values.get('name') ?? '';
  if (values.has('name') && !/^[a-z][a-zA-Z0-9]*$/.test(name)) problems.push(`name "${name}" is not in camelCase`);
  const keys = items.keys.map(({ note, ...key }) => ({ ...key, note }));
  const args = items.args.map((item) => toArg(item, problems));
  for (const field of ['keys', 'args'] as const) {
    const said = values.get(field);
    if (items[field].length === 0 && said !== undefined && said !== 'none') {
      problems.push(`${field} lists nothing; write "${field}: none" if that is so`);
    }
    if (items[field].slice(0, -1).some((item) => item.rest))
      problems.push(`only the last of the ${field} may end with "..."`);
    const names = items[field].map((item) => item.name);
    const twice = names.find((item, index) => names.indexOf(item) !== index);
    if (twice !== undefined) problems.push(`${field} names ${twice} twice`);
  }
  const flags = values.get('flags');
  if (flags !== undefined && flags !== 'write' && flags !== 'read-only') {
    problems.push(`flags "${flags}" should be write or read-only`);
  }
  const returns = parseReturns(values.get('returns') ?? '');
  if (values.has('returns') && returns === null) problems.push(`returns "${values.get('returns')}" is not a type`);
  if (problems.length > 0 || returns === null) throw new LuaContractError(file, problems);
  return {
    name,
    purpose: values.get('purpose') ?? '',
    keys,
    args,
    returns,
    cost: values.get('cost') ?? '',
    readOnly: flags === 'read-only',
  };
}

interface Item {
  readonly name: string;
  readonly rest: boolean;
  note: string;
}

function readLines(source: string, problems: string[]) {
  const values = new Map<Field, string>();
  const items: Record<'keys' | 'args', Item[]> = { keys: [], args: [] };
  let field: Field | null = null;
  for (const line of source.split('\n')) {
    if (!line.startsWith('--')) break;
    const start = fieldLine.exec(line);
    if (start) {
      const found = fields.find((known) => known === start[1]);
      if (found === undefined) {
        problems.push(`the header has an unknown field "${start[1]}"`);
        field = null;
        continue;
      }
      if (values.has(found)) problems.push(`the header says "${found}:" twice`);
      field = found;
      values.set(found, (start[2] ?? '').trim());
      continue;
    }
    const item = itemLine.exec(line);
    if (item && (field === 'keys' || field === 'args')) {
      items[field].push({ name: item[1] ?? '', rest: item[2] !== undefined, note: (item[3] ?? '').trim() });
      continue;
    }
    const more = continuedLine.exec(line)?.[1]?.trim();
    if (more === undefined || field === null) continue;
    const last = field === 'keys' || field === 'args' ? items[field].at(-1) : undefined;
    if (last) last.note += ` ${more}`;
    else values.set(field, `${values.get(field)} ${more}`.trim());
  }
  return { values, items };
}

function toArg(item: Item, problems: string[]): LuaArg {
  const word = /^\w*/.exec(item.note)?.[0] ?? '';
  const type = argTypes.find((known) => known === word);
  if (type === undefined) problems.push(`arg ${item.name} has the type "${word}"; known are ${argTypes.join(', ')}`);
  return {
    name: item.name,
    rest: item.rest,
    type: type ?? 'string',
    note: item.note.slice(word.length).replace(/^[,\s]+/, ''),
  };
}
