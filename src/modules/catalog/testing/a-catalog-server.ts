import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Identity, Role } from '#platform/http/identity.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aLayout, anArtist, anEvent, aVenue, type EventPlaces, type LayoutShape } from '#test/kit/builders/catalog.ts';
import { catalogRoutes } from '../contract.ts';
import { aCatalog, type TestCatalog } from './a-catalog.ts';

export interface TestCatalogServer extends TestCatalog {
  readonly app: FastifyInstance;
  call(method: Method, url: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  /** Somebody new with this role. */
  person(role: Role): Identity;
  /** An artist, a venue and a layout of this seller. */
  places(seller: Identity, shape?: LayoutShape): Promise<EventPlaces>;
  /** A draft, or what `overrides` make of it. */
  draft(
    seller: Identity,
    places: EventPlaces,
    overrides?: Record<string, unknown>,
  ): Promise<{ id: string; version: number }>;
  published(
    seller: Identity,
    places: EventPlaces,
    overrides?: Record<string, unknown>,
  ): Promise<{ id: string; version: number }>;
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

export interface CallOptions {
  readonly body?: unknown;
  readonly as?: Identity;
  readonly headers?: Record<string, string>;
}

/** The module's routes on a real server; who calls is said by the test, where the gateway would have found out. */
export async function aCatalogServer(
  options: { wrapDatabase?: (database: Database) => Database } = {},
): Promise<TestCatalogServer> {
  const catalog = await aCatalog(options);
  const { clock, users, nextId } = catalog;
  const app = createHttpServer({ logger: silentLogger, ids: createIds({ clock, random: systemRandom }) });
  const callers = new Map<string, Identity>();
  app.addHook('onRequest', async (request) => {
    request.user = callers.get(String(request.headers['x-test-caller'])) ?? null;
  });
  await app.register(async (scope) => {
    // The module bound them to these very contracts before it forgot their types.
    registerRoutes(scope, catalogRoutes, catalog.catalog.handlers as unknown as RouteHandlers<typeof catalogRoutes>);
  });
  await app.ready();
  atEnd(() => app.close());

  const call: TestCatalogServer['call'] = (method, url, { body, as, headers } = {}) =>
    app.inject({
      method,
      url,
      ...(body !== undefined && { payload: body as object }),
      headers: { ...headers, ...(as && { 'x-test-caller': as.userId }) },
    });

  async function make(as: Identity, thing: string, body: unknown): Promise<{ id: string; version: number }> {
    const response = await call('POST', `/api/seller/${thing}`, { body, as });
    if (response.statusCode !== 201) throw new Error(`${thing} was refused: ${response.body}`);
    return response.json();
  }

  const draft: TestCatalogServer['draft'] = (seller, places, overrides) =>
    make(seller, 'events', anEvent(places, clock.now(), overrides));

  return {
    ...catalog,
    app,
    call,
    person(role) {
      const identity = { userId: nextId(), email: `${role}@urr.test`, role };
      callers.set(identity.userId, identity);
      users.set(identity.userId, { id: identity.userId, role });
      return identity;
    },
    async places(seller, shape) {
      const artist = await make(seller, 'artists', anArtist());
      const venue = await make(seller, 'venues', aVenue());
      const layout = await make(seller, 'layouts', aLayout(venue.id, shape));
      return { artistId: artist.id, venueId: venue.id, layoutId: layout.id };
    },
    draft,
    async published(seller, places, overrides) {
      const { id } = await draft(seller, places, overrides);
      const response = await call('POST', `/api/seller/events/${id}/publish`, { as: seller });
      if (response.statusCode !== 200) throw new Error(`publishing was refused: ${response.body}`);
      return response.json();
    },
  };
}
