import { type Static, type TSchema, Type } from 'typebox';
import { uuidPattern } from '#platform/ids.ts';
import { eventStatuses } from './domain/event-status.ts';
import { layoutLimits } from './domain/layout.ts';
import { saleTiers } from './domain/phases.ts';

/** The pieces that requests, answers and events are made of. */

/** As `type: [T, 'null']`, which says it shorter than a union, in the document and in the error message. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, ...rest } = schema as unknown as { type: string };
  return Type.Unsafe<Static<Schema> | null>({ ...rest, type: [type, 'null'] });
}

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words] });
}

/** An object that refuses unknown fields: for everything that comes in. */
export function exactly<const Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

export const Uuid = Type.String({ pattern: uuidPattern, maxLength: 36 });
export const Time = Type.String({ format: 'date-time', maxLength: 35, description: 'ISO 8601' });
export const Krw = Type.Integer({ minimum: 0, maximum: 10_000_000 });
export const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
export const Status = oneOf(eventStatuses);

// Control characters and halves of surrogate pairs cannot be stored as text; both are mistakes anyway.
const visible = '[^\\p{Cc}\\p{Cs}]';
const visibleSpace = '(?:(?!\\p{Cc})\\s)';
/** One line that is not blank. Its parts exclude each other, so that no text makes the expression try every way to cut it. */
export const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: `^${visibleSpace}*[^\\p{Cc}\\p{Cs}\\s]${visible}*$` });
/** Text of several lines, or none. */
export const prose = (maxLength: number) => Type.String({ maxLength, pattern: `^(?:${visible}|[\\n\\r\\t])*$` });

/** Pictures come over https or from this site; never a script, never another scheme. */
export const ImageUrl = Type.String({
  maxLength: 500,
  pattern: '^(?:https://[^\\s\\p{Cc}\\p{Cs}"<>\\\\]+|/(?!/)[^\\s\\p{Cc}\\p{Cs}"<>\\\\]*)$',
  description: 'https://… or a path on this site',
});

/** Names printed on tickets and used in seat ids, hence no `-` and no blanks. */
export const Label = Type.String({ minLength: 1, maxLength: 12, pattern: '^[\\p{L}\\p{N}]+$' });
export const Grade = line(20);

export const Phase = exactly({ tier: oneOf(saleTiers), opensAt: Time });

export const Named = Type.Object({ id: Uuid, name: Type.String(), nameEn: nullable(Type.String()) });

export const Coordinate = Type.Integer({ minimum: 0, maximum: layoutLimits.coordinateMax });

export const GradePrice = exactly({ grade: Grade, priceKrw: Krw });

/** A standing area of an event, as it is sold. */
export const TicketTypeOffer = Type.Object({
  id: Uuid,
  areaId: Type.String(),
  name: Type.String(),
  nameEn: nullable(Type.String()),
  capacity: Type.Integer(),
  priceKrw: Type.Integer(),
});

export const Page = <Item extends TSchema>(item: Item) =>
  Type.Object({ items: Type.Array(item), nextCursor: nullable(Type.String()) });

export const pageQuery = {
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
};
export const searchQuery = { q: Type.Optional(Type.String({ maxLength: 100 })) };

export const StandingAreaShown = Type.Object({
  id: Type.String(),
  name: Type.String(),
  nameEn: nullable(Type.String()),
  capacity: Type.Integer(),
});

/** The drawing in columns. The id of a seat is `section-row-label`. */
export const CompactLayout = Type.Object({
  id: Uuid,
  venueId: Uuid,
  name: Type.String(),
  version: Type.Integer(),
  width: Type.Integer(),
  height: Type.Integer(),
  seatCount: Type.Integer(),
  standingCapacity: Type.Integer(),
  grades: Type.Array(Type.String()),
  sections: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      nameEn: nullable(Type.String()),
      rows: Type.Array(
        Type.Object({
          label: Type.String(),
          labels: Type.Array(Type.String()),
          x: Type.Array(Type.Integer()),
          y: Type.Array(Type.Integer()),
          grades: Type.Array(Type.Integer({ description: 'index into grades' })),
        }),
      ),
    }),
  ),
  standingAreas: Type.Array(StandingAreaShown),
});
export type CompactLayout = Static<typeof CompactLayout>;
