import type { Clock } from '#platform/clock.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { Database } from '#platform/postgres/database.ts';
import { layoutDocumentOf } from '../domain/layout-source.ts';
import type { Actor, UserDirectory } from '../ports.ts';
import { ownerFor } from '../service/guard.ts';
import type { CatalogService } from '../service/index.ts';
import { sellerEventOf } from '../service/present.ts';
import type { EventRecord } from '../storage/event-record.ts';
import { createOnce } from './creation.ts';
import { draftOf } from './event-body.ts';
import { sellerContracts as contracts } from './seller-contracts.ts';
import type { SellerLayoutDrawing } from './seller-schemas.ts';
import { artistOwned, layoutOwned, venueOwned } from './shown.ts';

export function createSellerHandlers(deps: {
  database: Database;
  clock: Clock;
  auth: UserDirectory;
  service: CatalogService;
}): RouteHandlers<typeof contracts> {
  const { database, clock, auth, service } = deps;
  const { artists, venues, layouts, events } = service;
  const eventShown = (event: EventRecord) => sellerEventOf(event, clock.now());

  return {
    async listSellerEvents(request) {
      const { limit = 20, ...query } = request.query;
      const page = await events.list(actorOf(request), { ...query, limit });
      return { ...page, items: page.items.map(eventShown) };
    },
    async createEvent(request, reply) {
      const { sellerId, ...body } = request.body;
      const actor = actorOf(request);
      const draft = draftOf(body);
      const ownerId = await ownerFor(actor, sellerId, auth);
      return createOnce({ database, contract: contracts.createEvent, request, reply }, async (tx) =>
        eventShown(await events.create(tx, actor, { ownerId, draft })),
      );
    },
    getSellerEvent: async (request) => eventShown(await events.get(actorOf(request), request.params.eventId)),
    async changeEvent(request) {
      const { version, ...body } = request.body;
      const change = { version, draft: draftOf(body) };
      return eventShown(await events.change(actorOf(request), request.params.eventId, change));
    },
    async deleteEvent(request) {
      await events.remove(actorOf(request), request.params.eventId);
      return null;
    },
    publishEvent: async (request) => eventShown(await events.publish(actorOf(request), request.params.eventId)),
    async cancelEvent(request) {
      return eventShown(await events.cancel(actorOf(request), request.params.eventId, request.body.reason));
    },

    async listSellerArtists(request) {
      const page = await artists.list(ownQuery(request));
      return { ...page, items: page.items.map(artistOwned) };
    },
    async createArtist(request, reply) {
      const { sellerId, ...body } = request.body;
      const actor = actorOf(request);
      const ownerId = await ownerFor(actor, sellerId, auth);
      return createOnce({ database, contract: contracts.createArtist, request, reply }, async (tx) =>
        artistOwned(await artists.create(tx, actor, { ...artistInput(body), ownerId })),
      );
    },
    async changeArtist(request) {
      const { version, ...body } = request.body;
      const change = { version, ...artistInput(body) };
      return artistOwned(await artists.change(actorOf(request), request.params.artistId, change));
    },
    async deleteArtist(request) {
      await artists.remove(actorOf(request), request.params.artistId);
      return null;
    },

    async listSellerVenues(request) {
      const page = await venues.list(ownQuery(request));
      return { ...page, items: page.items.map(venueOwned) };
    },
    async createVenue(request, reply) {
      const { sellerId, ...body } = request.body;
      const actor = actorOf(request);
      const ownerId = await ownerFor(actor, sellerId, auth);
      return createOnce({ database, contract: contracts.createVenue, request, reply }, async (tx) =>
        venueOwned(await venues.create(tx, actor, { ...venueInput(body), ownerId })),
      );
    },
    async changeVenue(request) {
      const { version, ...body } = request.body;
      const change = { version, ...venueInput(body) };
      return venueOwned(await venues.change(actorOf(request), request.params.venueId, change));
    },
    async deleteVenue(request) {
      await venues.remove(actorOf(request), request.params.venueId);
      return null;
    },

    async listSellerLayouts(request) {
      const page = await layouts.list(ownQuery(request));
      return { ...page, items: page.items.map(layoutOwned) };
    },
    async createLayout(request, reply) {
      const { sellerId, venueId, name, ...drawing } = request.body;
      const actor = actorOf(request);
      const ownerId = await ownerFor(actor, sellerId, auth);
      return createOnce({ database, contract: contracts.createLayout, request, reply }, async (tx) =>
        layoutOwned(await layouts.create(tx, actor, { name, document: layoutDocumentOf(drawing), ownerId, venueId })),
      );
    },
    async getSellerLayout(request) {
      const { summary, document } = await layouts.get(actorOf(request), request.params.layoutId);
      // Schemas describe plain arrays; nobody changes these.
      return { ...layoutOwned(summary), ...(document as PlainDocument) };
    },
    async changeLayout(request) {
      const { version, name, ...drawing } = request.body;
      const change = { version, name, document: layoutDocumentOf(drawing) };
      return layoutOwned(await layouts.change(actorOf(request), request.params.layoutId, change));
    },
    async deleteLayout(request) {
      await layouts.remove(actorOf(request), request.params.layoutId);
      return null;
    },
  };
}

type PlainDocument = Pick<SellerLayoutDrawing, 'documentVersion' | 'stage' | 'texts' | 'sections' | 'standingAreas'>;

export function actorOf(request: { user: Identity; id: string }): Actor {
  return { userId: request.user.userId, role: request.user.role, requestId: request.id };
}

/** A seller lists their own; an admin everybody's, or one seller's. */
function ownQuery<Query extends { sellerId?: string; limit?: number }>(request: { user: Identity; query: Query }) {
  const { sellerId, limit = 20, ...query } = request.query;
  const ownerId = request.user.role === 'admin' ? sellerId : request.user.userId;
  return { ...query, limit, ...(ownerId !== undefined && { ownerId }) };
}

/** In the forms below what is left out becomes empty. */

function artistInput(body: { name: string; nameEn?: string | null; description?: string; imageUrl?: string | null }) {
  const { name, nameEn = null, description = '', imageUrl = null } = body;
  return { name, nameEn, description, imageUrl };
}

function venueInput(body: { name: string; nameEn?: string | null; address: string; addressEn?: string | null }) {
  const { name, nameEn = null, address, addressEn = null } = body;
  return { name, nameEn, address, addressEn };
}
