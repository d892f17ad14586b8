import type { ProviderMovement } from '../../ports.ts';
import type { ListPlace } from './calls.ts';

const cursorPattern = /^(\d{1,15})\.(\d{1,18})$/;

export function placeOf(cursor: string | null): ListPlace | null {
  if (cursor === null) return null;
  const [, atMs, id] = cursorPattern.exec(cursor) ?? [];
  if (atMs === undefined || id === undefined) throw new Error('this is no cursor of the sandbox');
  return { atMs: Number(atMs), id };
}

/** Null: a page that is not full is the last. */
export function nextCursor(items: readonly ProviderMovement[], pageMax: number): string | null {
  const last = items.at(-1);
  return last === undefined || items.length < pageMax ? null : `${last.atMs}.${last.reference}`;
}
