import type { LuaContract } from './header.ts';

const writes =
  /redis\.p?call\(\s*['"](set|setex|psetex|setnx|del|unlink|incr|incrby|decr|hset|hdel|hincrby|zadd|zrem|zincrby|zpopmin|sadd|srem|lpush|rpush|lpop|rpop|xadd|expire|pexpire|pexpireat|persist)['"]/i;

/** What the body does that the header does not say, and the other way round. */
export function contradictions(contract: LuaContract, source: string): string[] {
  const body = withoutComments(source);
  const problems = [...compare('KEYS', contract.keys, body), ...compare('ARGV', contract.args, body)];
  const write = writes.exec(body)?.[1];
  if (contract.readOnly && write !== undefined)
    problems.push(`flags say read-only, but the body calls ${write.toUpperCase()}`);
  if (contract.returns.kind !== 'nothing' && !/\breturn\b/.test(body))
    problems.push('returns a value by its header, but never in its body');
  return problems;
}

function compare(table: 'KEYS' | 'ARGV', declared: readonly { name: string; rest: boolean }[], body: string): string[] {
  const problems: string[] = [];
  const open = declared.at(-1)?.rest ?? false;
  const used = new Set<number>();
  for (const match of body.matchAll(new RegExp(`\\b${table}\\[(\\d+)\\]`, 'g'))) used.add(Number(match[1]));
  for (const index of [...used].sort((a, b) => a - b)) {
    if (index === 0) problems.push(`the body reads ${table}[0], but Lua counts from 1`);
    else if (index > declared.length && !open) {
      problems.push(`the body reads ${table}[${index}], but the header names ${declared.length}`);
    }
  }
  // #KEYS, KEYS[i] and unpack(KEYS) read as many as were sent, which only an open-ended list allows.
  const dynamic = new RegExp(`#${table}\\b|\\b${table}\\[(?!\\d+\\])|\\b${table}\\b(?!\\[)`).test(body);
  if (dynamic && !open)
    problems.push(`the body reads ${table} as a list, but the header's last one does not end with "..."`);
  declared.forEach((one, position) => {
    const covered = used.has(position + 1) || (dynamic && open);
    if (!covered) problems.push(`the header names ${one.name}, but the body never reads ${table}[${position + 1}]`);
  });
  return problems;
}

function withoutComments(source: string): string {
  return source.replace(/--\[\[[\s\S]*?\]\]/g, '').replace(/--.*$/gm, '');
}
