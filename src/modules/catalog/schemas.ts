import { type Static, Type } from 'typebox';
import { exactly, line, nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { eventStatuses } from './domain/event-status.ts';
import { labelPattern, layoutLimits } from './domain/layout.ts';
import { saleTiers } from './domain/phases.ts';

/** The pieces that the catalog's requests, answers and events are made of. */

export const Krw = Type.Integer({ minimum: 0, maximum: 10_000_000 });
export const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
export const Status = oneOf(eventStatuses);

/** Pictures come over https or from this site; never a script, never another scheme. */
export const ImageUrl = Type.String({
  maxLength: 500,
  pattern: '^(?:https://[^\\s\\p{Cc}\\p{Cs}"<>\\\\]+|/(?!/)[^\\s\\p{Cc}\\p{Cs}"<>\\\\]*)$',
  description: 'https://… or a path on this site',
});

/** Names printed on tickets and used in seat ids, hence no `-` and no blanks. */
export const Label = Type.String({ minLength: 1, maxLength: layoutLimits.labelLengthMax, pattern: labelPattern });
export const Grade = line(layoutLimits.gradeLengthMax);

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

export const searchQuery = { q: Type.Optional(Type.String({ maxLength: 100 })) };

export const StandingAreaShown = Type.Object({
  id: Type.String(),
  name: Type.String(),
  nameEn: nullable(Type.String()),
  capacity: Type.Integer(),
});

const OutlineColumns = Type.Object({ x: Type.Array(Type.Integer()), y: Type.Array(Type.Integer()) });
const SeatNumbers = Type.Array(Type.Integer({ description: 'seatNo' }));

/** The drawing in columns. The id of a seat is `section-row-label`; its seatNo is its place in this order, from 0. */
export const CompactLayout = Type.Object({
  id: Uuid,
  venueId: Uuid,
  name: Type.String(),
  version: Type.Integer(),
  documentVersion: Type.Literal(2),
  width: Type.Integer(),
  height: Type.Integer(),
  seatCount: Type.Integer(),
  standingCapacity: Type.Integer(),
  grades: Type.Array(Type.String()),
  stage: nullable(Type.Object({ name: Type.String(), nameEn: nullable(Type.String()), outline: OutlineColumns })),
  texts: Type.Array(
    Type.Object({
      text: Type.String(),
      textEn: nullable(Type.String()),
      x: Type.Integer(),
      y: Type.Integer(),
      size: Type.Integer(),
    }),
  ),
  sections: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      nameEn: nullable(Type.String()),
      floor: nullable(Type.String()),
      floorEn: nullable(Type.String()),
      outline: nullable(OutlineColumns),
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
  standingAreas: Type.Array(Type.Object({ ...StandingAreaShown.properties, outline: nullable(OutlineColumns) })),
  seatMarks: Type.Object({ accessible: SeatNumbers, companion: SeatNumbers, restrictedView: SeatNumbers }),
  notes: Type.Array(Type.Object({ seatNo: Type.Integer(), note: Type.String() })),
});
export type CompactLayout = Static<typeof CompactLayout>;
