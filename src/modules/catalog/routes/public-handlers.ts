import { type Clock, isoTime } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import { PreparedJson, type RouteHandlers } from '#platform/http/contract.ts';
import type { ViewBuffer } from '../jobs/view-buffer.ts';
import { loadLayoutAnswer } from '../reads/layout-answers.ts';
import type { PublicReads } from '../reads/public-reads.ts';
import type { CatalogService } from '../service/index.ts';
import type { publicContracts } from './public-contracts.ts';
import { artistShown, layoutShown, venueShown } from './shown.ts';

/** A page that was read a second ago may be shown for another second by anything that passes it on. */
const cacheControl = 'public, max-age=1, stale-while-revalidate=5';
const layoutsPerVenueMax = 50;

export function createPublicHandlers(deps: {
  clock: Clock;
  reads: PublicReads;
  views: ViewBuffer;
  service: CatalogService;
}): RouteHandlers<typeof publicContracts> {
  const { clock, reads, views, service } = deps;

  return {
    getEvent(request, reply) {
      const { eventId } = request.params;
      reply.header('cache-control', cacheControl);
      const answer = reads.event(eventId);
      if (answer instanceof PreparedJson) {
        views.record(eventId);
        return answer;
      }
      return Promise.resolve(answer).then((json) => {
        const found = orNotFound(json);
        views.record(eventId);
        return found;
      });
    },

    listEvents(request, reply) {
      reply.header('cache-control', cacheControl);
      const { limit = 20, ...query } = request.query;
      return send(reads.events({ ...query, limit }));
    },

    listArtists(request, reply) {
      reply.header('cache-control', cacheControl);
      const { limit = 20, ...query } = request.query;
      const load = async () => {
        const page = await service.artists.list({ ...query, limit });
        return { ...page, items: page.items.map(artistShown) };
      };
      return isFirstPage(query) ? send(reads.document(`artists/${limit}`, load)) : load();
    },

    getArtist(request, reply) {
      reply.header('cache-control', cacheControl);
      const { artistId } = request.params;
      return send(
        reads.document(`artist/${artistId}`, async () => {
          const artist = await service.artists.find(artistId);
          return artist && artistShown(artist);
        }),
      );
    },

    listVenues(request, reply) {
      reply.header('cache-control', cacheControl);
      const { limit = 20, ...query } = request.query;
      const load = async () => {
        const page = await service.venues.list({ ...query, limit });
        return { ...page, items: page.items.map(venueShown) };
      };
      return isFirstPage(query) ? send(reads.document(`venues/${limit}`, load)) : load();
    },

    getVenue(request, reply) {
      reply.header('cache-control', cacheControl);
      const { venueId } = request.params;
      const load = async () => {
        const venue = await service.venues.find(venueId);
        if (venue === null) return null;
        const layouts = await service.layouts.list({ venueId, limit: layoutsPerVenueMax });
        return { ...venueShown(venue), layouts: layouts.items.map(layoutShown) };
      };
      return send(reads.document(`venue/${venueId}`, load));
    },

    getLayout(request, reply) {
      reply.header('cache-control', cacheControl);
      const { layoutId } = request.params;
      return send(reads.layout(layoutId, (known) => loadLayoutAnswer(service.layouts, layoutId, known)));
    },

    getTime(_request, reply) {
      reply.header('cache-control', 'no-store');
      return new PreparedJson(`{"now":"${isoTime(clock.now())}"}`);
    },
  };
}

function send(answer: ReturnType<PublicReads['document']>): PreparedJson | Promise<PreparedJson> {
  return answer instanceof PreparedJson ? answer : Promise.resolve(answer).then(orNotFound);
}

function orNotFound(json: PreparedJson | null): PreparedJson {
  if (json === null) throw platformErrors.fault('NOT_FOUND');
  return json;
}

function isFirstPage(query: { q?: string; cursor?: string }): boolean {
  return query.q === undefined && query.cursor === undefined;
}
