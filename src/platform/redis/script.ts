import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LuaScript } from './port.ts';

/**
 * Reads a script at load time. The file itself is what runs, so an edited body cannot drift from a copy; only the
 * signature is generated from its header.
 */
export function loadScript(file: URL, contract: Pick<LuaScript, 'name' | 'readOnly'>): LuaScript {
  const source = readFileSync(file, 'utf8');
  return { ...contract, source, sha: createHash('sha1').update(source).digest('hex') };
}

/** What a script answers, parsed at the door: the generated functions are typed by these. */
export const reply = {
  integer(value: unknown, script: string): number {
    if (typeof value === 'number') return value;
    throw unexpected('an integer', value, script);
  },
  /** Redis cuts a Lua number to an integer on its way out, so a script returns fractions as text. */
  number(value: unknown, script: string): number {
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof number === 'number' && !Number.isNaN(number)) return number;
    throw unexpected('a number', value, script);
  },
  string(value: unknown, script: string): string {
    if (typeof value === 'string') return value;
    throw unexpected('a string', value, script);
  },
  boolean(value: unknown, script: string): boolean {
    if (value === 1 || value === 0) return value === 1;
    throw unexpected('0 or 1', value, script);
  },
  list(value: unknown, script: string): unknown[] {
    if (Array.isArray(value)) return value;
    throw unexpected('a list', value, script);
  },
  tuple(value: unknown, length: number, script: string): unknown[] {
    if (Array.isArray(value) && value.length === length) return value;
    throw unexpected(`a list of ${length}`, value, script);
  },
};

function unexpected(wanted: string, value: unknown, script: string): Error {
  return new Error(`${script} should answer ${wanted} and answered ${JSON.stringify(value)?.slice(0, 200)}`);
}
