import { type Static, Type } from 'typebox';
import { exactly, line, nullable, prose, Time, Uuid } from '#platform/schemas.ts';
import { layoutLimits } from '../domain/layout.ts';
import { textSizeDefault } from '../domain/layout-source.ts';
import { saleTiers } from '../domain/phases.ts';
import {
  CompactLayout,
  Coordinate,
  Grade,
  GradePrice,
  ImageUrl,
  Krw,
  Label,
  Named,
  Phase,
  StandingAreaShown,
  Status,
  Version,
} from '../schemas.ts';
import { ArtistShown, LayoutShown, VenueShown } from './public-contracts.ts';

/** What sellers send. A field that is left out is empty; a change replaces the whole. */

const changed = { version: Version };
/** An admin may act for a seller. */
const forSeller = { sellerId: Type.Optional(Uuid) };

const artist = {
  name: line(100),
  nameEn: Type.Optional(nullable(line(100))),
  description: Type.Optional(prose(5_000)),
  imageUrl: Type.Optional(nullable(ImageUrl)),
};
export const NewArtist = exactly({ ...artist, ...forSeller });
export const ChangedArtist = exactly({ ...artist, ...changed });

const venue = {
  name: line(100),
  nameEn: Type.Optional(nullable(line(100))),
  address: line(300),
  addressEn: Type.Optional(nullable(line(300))),
};
export const NewVenue = exactly({ ...venue, ...forSeller });
export const ChangedVenue = exactly({ ...venue, ...changed });

const { nameLengthMax, floorLengthMax, textLengthMax, noteLengthMax } = layoutLimits;
const names = { name: line(nameLengthMax), nameEn: Type.Optional(nullable(line(nameLengthMax))) };
const Outline = Type.Array(exactly({ x: Coordinate, y: Coordinate }), {
  minItems: layoutLimits.outlinePointsMin,
  maxItems: layoutLimits.outlinePointsMax,
});
const Seat = exactly({
  label: Label,
  x: Coordinate,
  y: Coordinate,
  grade: Type.Optional(Grade),
  accessible: Type.Optional(Type.Boolean({ description: 'a place for a wheelchair' })),
  companion: Type.Optional(Type.Boolean({ description: 'for the person who comes along with a wheelchair user' })),
  restrictedView: Type.Optional(Type.Boolean()),
  note: Type.Optional(nullable(line(noteLengthMax))),
});
const Row = exactly({
  label: Label,
  seats: Type.Array(Seat, { minItems: 1, maxItems: layoutLimits.seatsPerRowMax }),
});
const Section = exactly({
  id: Label,
  ...names,
  floor: Type.Optional(nullable(line(floorLengthMax))),
  floorEn: Type.Optional(nullable(line(floorLengthMax))),
  grade: Grade,
  outline: Type.Optional(nullable(Outline)),
  rows: Type.Array(Row, { minItems: 1, maxItems: layoutLimits.rowsPerSectionMax }),
});
const StandingArea = exactly({
  id: Label,
  ...names,
  capacity: Type.Integer({ minimum: 1, maximum: layoutLimits.capacityMax }),
  outline: Type.Optional(nullable(Outline)),
});
const FreeText = exactly({
  text: line(textLengthMax),
  textEn: Type.Optional(nullable(line(textLengthMax))),
  x: Coordinate,
  y: Coordinate,
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: layoutLimits.textSizeMax, default: textSizeDefault })),
});
const drawing = {
  name: line(100),
  documentVersion: Type.Optional(
    Type.Unsafe<1 | 2>({ type: 'integer', enum: [1, 2], description: 'of version 1: sections and standingAreas only' }),
  ),
  stage: Type.Optional(nullable(exactly({ ...names, outline: Outline }))),
  texts: Type.Optional(Type.Array(FreeText, { maxItems: layoutLimits.textsMax })),
  sections: Type.Array(Section, { maxItems: layoutLimits.sectionsMax }),
  standingAreas: Type.Array(StandingArea, { maxItems: layoutLimits.standingAreasMax }),
};
export const NewLayout = exactly({ ...drawing, venueId: Uuid, ...forSeller });
export const ChangedLayout = exactly({ ...drawing, ...changed });

/** A full house of 100,000 seats, each some 60 bytes of JSON. */
export const layoutBodyBytesMax = 8 * 1024 * 1024;

const event = {
  title: line(200),
  titleEn: Type.Optional(nullable(line(200))),
  description: Type.Optional(prose(20_000)),
  descriptionEn: Type.Optional(nullable(prose(20_000))),
  imageUrl: Type.Optional(nullable(ImageUrl)),
  artistId: Type.Optional(nullable(Uuid)),
  venueId: Type.Optional(nullable(Uuid)),
  layoutId: Type.Optional(nullable(Uuid)),
  startsAt: Type.Optional(nullable(Time)),
  doorsAt: Type.Optional(nullable(Time)),
  saleOpensAt: Type.Optional(nullable(Time)),
  saleClosesAt: Type.Optional(nullable(Time)),
  prices: Type.Optional(Type.Array(GradePrice, { maxItems: layoutLimits.gradesMax })),
  standingPrices: Type.Optional(
    Type.Array(exactly({ areaId: Label, priceKrw: Krw }), { maxItems: layoutLimits.standingAreasMax }),
  ),
  phases: Type.Optional(Type.Array(Phase, { maxItems: saleTiers.length })),
  purchaseLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 4 })),
  hot: Type.Optional(Type.Boolean({ default: false })),
  queueEnabled: Type.Optional(Type.Boolean({ default: true })),
  queueThreshold: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
  seatReturnDelayMaxSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3_600,
      default: 0,
      description: 'a cancelled seat is sold again after a random time up to this, so that nobody can wait for it',
    }),
  ),
};
export const NewEventBody = exactly({ ...event, ...forSeller });
export const ChangedEvent = exactly({ ...event, ...changed });
export type EventBody = Omit<Static<typeof ChangedEvent>, 'version'>;

export const Cancellation = exactly({ reason: line(500) });

/** An event as its seller sees it: drafts too, and what still keeps it from being sold. */
export const SellerEvent = Type.Object({
  id: Uuid,
  sellerId: Uuid,
  status: Status,
  title: Type.String(),
  titleEn: nullable(Type.String()),
  description: Type.String(),
  descriptionEn: nullable(Type.String()),
  imageUrl: nullable(Type.String()),
  artistId: nullable(Uuid),
  venueId: nullable(Uuid),
  layoutId: nullable(Uuid),
  artist: Type.Union([Named, Type.Null()]),
  venue: Type.Union([Named, Type.Null()]),
  startsAt: nullable(Time),
  doorsAt: nullable(Time),
  saleOpensAt: nullable(Time),
  saleClosesAt: nullable(Time),
  prices: Type.Array(Type.Object({ grade: Type.String(), priceKrw: Type.Integer() })),
  standingPrices: Type.Array(Type.Object({ areaId: Type.String(), priceKrw: Type.Integer(), ticketTypeId: Uuid })),
  phases: Type.Array(Type.Object({ tier: Type.String(), opensAt: Time })),
  purchaseLimit: Type.Integer(),
  hot: Type.Boolean(),
  queueEnabled: Type.Boolean(),
  queueThreshold: nullable(Type.Integer()),
  seatReturnDelayMaxSeconds: Type.Integer(),
  publishedAt: nullable(Time),
  cancelledAt: nullable(Time),
  cancelReason: nullable(Type.String()),
  views: Type.Integer(),
  version: Type.Integer(),
  problems: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
});
export type SellerEvent = Static<typeof SellerEvent>;

const owned = { sellerId: Uuid };
export const SellerArtist = Type.Object({ ...ArtistShown.properties, ...owned });
export const SellerVenue = Type.Object({ ...VenueShown.properties, ...owned });
export const SellerLayout = Type.Object({ ...LayoutShown.properties, ...owned });
const PointsShown = Type.Array(Type.Object({ x: Type.Integer(), y: Type.Integer() }));
const Marked = Type.Optional(Type.Literal(true));
/** With the drawing in the form in which it is sent. Whatever version it was drawn in, it is answered as version 2. */
export const SellerLayoutDrawing = Type.Object({
  ...SellerLayout.properties,
  documentVersion: Type.Literal(2),
  stage: nullable(Type.Object({ name: Type.String(), nameEn: nullable(Type.String()), outline: PointsShown })),
  texts: CompactLayout.properties.texts,
  sections: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      nameEn: nullable(Type.String()),
      floor: nullable(Type.String()),
      floorEn: nullable(Type.String()),
      grade: Type.String(),
      outline: nullable(PointsShown),
      rows: Type.Array(
        Type.Object({
          label: Type.String(),
          seats: Type.Array(
            Type.Object({
              label: Type.String(),
              x: Type.Integer(),
              y: Type.Integer(),
              grade: Type.Optional(Type.String({ description: 'where it differs from that of the section' })),
              accessible: Marked,
              companion: Marked,
              restrictedView: Marked,
              note: Type.Optional(Type.String()),
            }),
          ),
        }),
      ),
    }),
  ),
  standingAreas: Type.Array(Type.Object({ ...StandingAreaShown.properties, outline: nullable(PointsShown) })),
});
export type SellerLayoutDrawing = Static<typeof SellerLayoutDrawing>;

const FileRemark = Type.Object({
  line: Type.Integer(),
  field: Type.String({ description: 'a column of a table, a path in JSON; empty: the whole line' }),
  message: Type.String(),
});
export const ImportedLayout = Type.Object({
  layout: SellerLayout,
  warnings: Type.Array(FileRemark, { description: 'what was lost, changed or not understood' }),
  warningsTotal: Type.Integer({ description: 'more than are named where there are very many' }),
});
