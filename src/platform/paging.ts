import { platformErrors } from './errors.ts';
import { isUuid } from './ids.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** One row more than asked for was read, to know whether there is another page. */
export function pageOf<Row>(rows: readonly Row[], limit: number, cursorOf: (last: Row) => string): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/**
 * A cursor says where the page before ended: the sort keys of its last row and its id. It holds nothing secret, but it
 * comes from outside, so whatever is not exactly of the expected form is refused.
 */
export function encodeCursor(keys: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}

export type CursorShape = readonly ('text' | 'ms' | 'id')[];
type CursorValue<Part> = Part extends 'ms' ? number : string;
type CursorValues<Shape extends CursorShape> = { -readonly [Index in keyof Shape]: CursorValue<Shape[Index]> };

/** The years 1 to 9999: times that a Date and a timestamptz can both hold. */
const timeMinMs = -62_135_596_800_000;
const timeMaxMs = 253_402_300_799_999;

export function decodeCursor<const Shape extends CursorShape>(cursor: string, shape: Shape): CursorValues<Shape> {
  const keys = parseJson(cursor);
  if (!Array.isArray(keys) || keys.length !== shape.length || !shape.every((part, index) => fits(part, keys[index]))) {
    throw platformErrors.fault('VALIDATION_FAILED', {
      detail: 'query.cursor is not one that this list gave out',
      extensions: { errors: [{ field: 'query.cursor', message: 'is not one that this list gave out' }] },
    });
  }
  // Every element was just checked against the shape.
  return keys as CursorValues<Shape>;
}

function parseJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function fits(part: CursorShape[number], value: unknown): boolean {
  switch (part) {
    case 'text':
      return typeof value === 'string' && !value.includes('\0');
    case 'ms':
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= timeMinMs && value <= timeMaxMs;
    case 'id':
      return typeof value === 'string' && isUuid(value);
  }
}
