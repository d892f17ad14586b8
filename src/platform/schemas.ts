import { type Static, type TSchema, Type } from 'typebox';
import { assert } from './assert.ts';
import { uuidPattern } from './ids.ts';

/** The pieces that requests, answers, internal calls and events of every module are made of. */

/** An object that refuses unknown fields: for everything that comes in. */
export function exactly<const Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

/** As `type: [T, 'null']`, which says it shorter than a union, in the document and in the error message. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, ...rest }: { type?: unknown; enum?: readonly unknown[] } = schema;
  assert(typeof type === 'string', 'nullable takes a schema with one type');
  const words = rest.enum && { enum: [...rest.enum, null] };
  return Type.Unsafe<Static<Schema> | null>({ ...rest, ...words, type: [type, 'null'] });
}

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[], options: { description?: string } = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...options });
}

export const Uuid = Type.String({ pattern: uuidPattern, maxLength: 36 });
export const Time = Type.String({ format: 'date-time', maxLength: 35, description: 'ISO 8601' });
export const Count = Type.Integer({ minimum: 0 });

// Control characters and halves of surrogate pairs cannot be stored as text; both are mistakes anyway.
const visible = '[^\\p{Cc}\\p{Cs}]';
const visibleSpace = '(?:(?!\\p{Cc})\\s)';
/** One line that is not blank. Its parts exclude each other, so that no text makes the expression try every way to cut it. */
export const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: `^${visibleSpace}*[^\\p{Cc}\\p{Cs}\\s]${visible}*$` });
/** Text of several lines, or none. */
export const prose = (maxLength: number) => Type.String({ maxLength, pattern: `^(?:${visible}|[\\n\\r\\t])*$` });

/** A list that is read page by page: what a request says and what an answer holds. */
export const pageQuery = {
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
};
export const Page = <Item extends TSchema>(item: Item) =>
  Type.Object({ items: Type.Array(item), nextCursor: nullable(Type.String()) });
