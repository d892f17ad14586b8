import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { exactly, nullable, oneOf, Page, pageQuery, Time, Uuid } from '#platform/schemas.ts';
import { saleTiers } from '../domain/phases.ts';
import { CompactLayout, Named, StandingAreaShown, Status, searchQuery, TicketTypeOffer } from '../schemas.ts';

const EventSummary = Type.Object({
  id: Uuid,
  title: Type.String(),
  titleEn: nullable(Type.String()),
  status: Status,
  artist: Named,
  venue: Named,
  startsAt: Time,
  doorsAt: nullable(Time),
  saleOpensAt: Time,
  saleClosesAt: Time,
  imageUrl: nullable(Type.String()),
  hot: Type.Boolean(),
  priceMinKrw: Type.Integer(),
  priceMaxKrw: Type.Integer(),
});

const EventDetail = Type.Object({
  ...EventSummary.properties,
  description: Type.String(),
  descriptionEn: nullable(Type.String()),
  layoutId: Uuid,
  seatCount: Type.Integer(),
  standingCapacity: Type.Integer(),
  prices: Type.Array(
    Type.Object({
      grade: Type.String(),
      priceKrw: Type.Integer(),
      seats: Type.Integer({ description: 'of this grade' }),
    }),
  ),
  ticketTypes: Type.Array(TicketTypeOffer),
  phases: Type.Array(Type.Object({ tier: oneOf(saleTiers), opensAt: Time })),
  purchaseLimit: Type.Integer(),
  queueEnabled: Type.Boolean(),
  cancelReason: nullable(Type.String()),
  views: Type.Integer(),
  version: Type.Integer(),
});

export const ArtistShown = Type.Object({
  id: Uuid,
  name: Type.String(),
  nameEn: nullable(Type.String()),
  description: Type.String(),
  imageUrl: nullable(Type.String()),
  version: Type.Integer(),
});

export const VenueShown = Type.Object({
  id: Uuid,
  name: Type.String(),
  nameEn: nullable(Type.String()),
  address: Type.String(),
  addressEn: nullable(Type.String()),
  version: Type.Integer(),
});

export const LayoutShown = Type.Object({
  id: Uuid,
  venueId: Uuid,
  name: Type.String(),
  seatCount: Type.Integer(),
  standingCapacity: Type.Integer(),
  seatsByGrade: Type.Array(Type.Object({ grade: Type.String(), seats: Type.Integer() })),
  standingAreas: Type.Array(StandingAreaShown),
  version: Type.Integer(),
});

const NamedListQuery = exactly({ ...searchQuery, ...pageQuery });

export const publicContracts = defineRoutes({
  listEvents: {
    operation: 'listEvents',
    method: 'GET',
    path: '/api/events',
    summary: 'What is on and what opens when',
    description: 'Live events by the day of the show, then those that are over. Drafts are never listed.',
    access: 'public',
    rate: 'read',
    query: exactly({
      ...searchQuery,
      artistId: Type.Optional(Uuid),
      status: Type.Optional(Status),
      ...pageQuery,
    }),
    responses: { 200: Page(EventSummary) },
  },
  getEvent: {
    operation: 'getEvent',
    method: 'GET',
    path: '/api/events/:eventId',
    summary: 'One event with prices and sale phases',
    access: 'public',
    rate: 'read',
    params: exactly({ eventId: Uuid }),
    responses: { 200: EventDetail },
  },
  listArtists: {
    operation: 'listArtists',
    method: 'GET',
    path: '/api/artists',
    summary: 'Artists by name',
    access: 'public',
    rate: 'read',
    query: NamedListQuery,
    responses: { 200: Page(ArtistShown) },
  },
  getArtist: {
    operation: 'getArtist',
    method: 'GET',
    path: '/api/artists/:artistId',
    summary: 'One artist',
    access: 'public',
    rate: 'read',
    params: exactly({ artistId: Uuid }),
    responses: { 200: ArtistShown },
  },
  listVenues: {
    operation: 'listVenues',
    method: 'GET',
    path: '/api/venues',
    summary: 'Venues by name',
    access: 'public',
    rate: 'read',
    query: NamedListQuery,
    responses: { 200: Page(VenueShown) },
  },
  getVenue: {
    operation: 'getVenue',
    method: 'GET',
    path: '/api/venues/:venueId',
    summary: 'One venue and its newest layouts',
    access: 'public',
    rate: 'read',
    params: exactly({ venueId: Uuid }),
    responses: { 200: Type.Object({ ...VenueShown.properties, layouts: Type.Array(LayoutShown) }) },
  },
  getLayout: {
    operation: 'getLayout',
    method: 'GET',
    path: '/api/layouts/:layoutId',
    summary: 'The drawing of a hall, in columns',
    access: 'public',
    rate: 'read',
    params: exactly({ layoutId: Uuid }),
    responses: { 200: CompactLayout },
  },
  getTime: {
    operation: 'getTime',
    method: 'GET',
    path: '/api/time',
    summary: 'The clock that sales open by',
    access: 'public',
    rate: 'poll',
    responses: { 200: Type.Object({ now: Time }) },
  },
});
