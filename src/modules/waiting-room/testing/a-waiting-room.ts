import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { LiveEventFacts } from '#modules/catalog/contract.ts';
import type { AccessClaims, EntryClaims } from '#modules/gateway/contract.ts';
import { installGateway, type RateLimits, rewriteUrl } from '#modules/gateway/index.ts';
import type { VwrClaims } from '#modules/queue/contract.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Role } from '#platform/http/identity.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import type { ModuleInstance } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { createJwtKind, type JwtKind } from '#platform/tokens/jwt.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock, type FakeClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { waitingRoomRoutes } from '../contract.ts';
import { createMemoryCounters, type MemoryCounters } from '../counters/memory.ts';
import type { WaitingRoomDeps } from '../deps.ts';
import type { Demand } from '../domain/auto-rate.ts';
import { aBeacon, type PlayedBeacon } from '../draw/testing/a-beacon.ts';
import { createWaitingRoom } from '../index.ts';

/** A browser: the cookies it was given, and who is signed in there. */
export interface Browser {
  readonly cookies: Map<string, string>;
  readonly accessToken: string | null;
}

export interface TestRoom {
  readonly app: FastifyInstance;
  readonly deps: WaitingRoomDeps;
  readonly instance: ModuleInstance;
  readonly counters: MemoryCounters;
  readonly beacon: PlayedBeacon;
  readonly database: Database;
  readonly clock: FakeClock;
  readonly vwrTokens: JwtKind<VwrClaims>;
  /** The database answers nothing while this is set. */
  readonly outage: { on: boolean };
  browser(): Browser;
  staff(role?: Role): Browser;
  anEvent(changes?: Partial<LiveEventFacts>): string;
  /** One whose room is on. */
  aRoom(changes?: Partial<LiveEventFacts>): Promise<string>;
  call(method: 'GET' | 'POST' | 'PUT', url: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  assign(eventId: string, as?: Browser): Promise<Assigned>;
  check(eventId: string, requestId: string, as?: Browser): Promise<LightMyRequestResponse>;
  status(eventId: string): Promise<Record<string, unknown>>;
  /** As an operator. */
  act(verb: string, eventId: string, body?: unknown): Promise<LightMyRequestResponse>;
  runJob(name: string): Promise<void>;
  /** Time passes with the jobs in it. */
  pass(ms: number): Promise<void>;
}

export interface CallOptions {
  readonly as?: Browser;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly from?: string;
}

export interface Assigned {
  readonly requestId: string;
  readonly position: number;
  readonly line: number;
  readonly ahead: number;
  readonly servingCounter: number;
  readonly servingLine: number;
  readonly estimatedWait: number | null;
  readonly nextPoll: number;
}

const secrets = {
  access: 'access-secret-0123456789-0123456789-abc',
  entry: 'entry-secret-0123456789-0123456789-abcd',
  vwr: 'vwr-secret-0123456789-0123456789-abcdef',
  internal: 'internal-secret-0123456789-0123456789-a',
};
const hourMs = 3_600_000;

/** The module on counters in memory and a real PostgreSQL, behind a real gateway, with a clock that the test owns. */
export async function aWaitingRoom(
  options: Partial<Pick<WaitingRoomDeps, 'queue' | 'config'>> & {
    counters?: (clock: FakeClock) => MemoryCounters;
    beacon?: PlayedBeacon;
    databaseUrl?: string;
    clock?: FakeClock;
    rateLimits?: Partial<RateLimits>;
  } = {},
): Promise<TestRoom> {
  const url = options.databaseUrl ?? (await aDatabase()).url;
  const pool = createDatabase({ url, poolMax: 5 });
  atEnd(() => pool.close());
  const outage = { on: false };
  const database = away(pool, outage);
  const clock = options.clock ?? aClock();
  const ids = createIds({ clock, random: systemRandom });
  const beacon = options.beacon ?? aBeacon(clock);
  const counters = options.counters?.(clock) ?? createMemoryCounters({ clock });
  const events = new Map<string, LiveEventFacts>();
  const accessTokens = aKind<AccessClaims>('at+jwt', secrets.access);
  const entryTokens = aKind<EntryClaims>('entry+jwt', secrets.entry);
  const vwrTokens = aKind<VwrClaims>('vwr+jwt', secrets.vwr);
  const deps: WaitingRoomDeps = {
    ...{ database, clock, ids, random: systemRandom, logger: silentLogger, audit: postgresAuditLog },
    metrics: createMetrics(),
    counters,
    catalog: { eventFacts: async ({ eventId }) => ({ event: events.get(eventId) ?? null }) },
    queue: options.queue ?? aQueueOfEras(),
    vwrTokens,
    beacon,
    requestSecrets: [secrets.vwr],
    secureCookies: false,
    config: options.config ?? { ratePerSecond: 50 },
  };
  const instance = createWaitingRoom(deps);
  const app = createHttpServer({ logger: silentLogger, ids, rewriteUrl, trustedProxies: ['127.0.0.1'] });
  await installGateway(app, {
    ...{ clock, logger: silentLogger, accessTokens, entryTokens },
    signature: createInternalSignature({ secrets: [secrets.internal], clock, roles: [] }),
    rateLimits: { ...ampleLimits(), ...options.rateLimits },
    ...{ redis: null, publicOrigins: [], corsOrigins: [], remotes: [], pagesFolder: null },
    waitingTicketHolder: () => null,
  });
  // The module bound them to these very contracts before it forgot their types.
  registerRoutes(app, waitingRoomRoutes, instance.handlers as unknown as RouteHandlers<typeof waitingRoomRoutes>);
  for (const route of instance.express ?? []) app.express.add(route);
  await app.ready();
  atEnd(() => app.close());

  const call: TestRoom['call'] = async (method, path, { as, body, headers = {}, from } = {}) => {
    const cookies = [...(as?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await app.inject({
      method,
      url: path,
      ...(body !== undefined && { payload: body as object }),
      headers: {
        ...(as?.accessToken != null && { authorization: `Bearer ${as.accessToken}` }),
        ...(cookies !== '' && { cookie: cookies }),
        ...(from !== undefined && { 'x-forwarded-for': from }),
        // As a browser says of a call from this site's own page.
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0) as?.cookies.delete(name);
      else as?.cookies.set(name, decodeURIComponent(value));
    }
    return response;
  };

  const room: TestRoom = {
    ...{ app, deps, instance, counters, beacon, database, clock, vwrTokens, outage, call },
    browser: () => ({ cookies: new Map(), accessToken: null }),
    staff(role = 'operator') {
      const userId = ids.next();
      const { token } = accessTokens.sign({ sub: userId, email: `${userId}@urr.test`, role });
      return { cookies: new Map(), accessToken: token };
    },
    anEvent(changes = {}) {
      const eventId = ids.next();
      events.set(eventId, { ...liveFacts(eventId, clock.now(), () => ids.next()), ...changes });
      return eventId;
    },
    async aRoom(changes) {
      const eventId = room.anEvent(changes);
      const answer = await room.act('activate', eventId);
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
      return eventId;
    },
    async assign(eventId, as) {
      const answer = await call('POST', `/vwr/assign/${eventId}`, { ...(as && { as }), body: {} });
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
      return answer.json();
    },
    check: (eventId, requestId, as) => call('GET', `/vwr/check/${eventId}/${requestId}`, { ...(as && { as }) }),
    async status(eventId) {
      // The document is made anew four times a second.
      clock.advance(250);
      return (await call('GET', `/vwr/status/${eventId}`)).json();
    },
    act: (verb, eventId, body) =>
      call(verb === 'schedule' || verb === 'branding' ? 'PUT' : 'POST', `/api/admin/vwr/${verb}/${eventId}`, {
        as: room.staff(),
        ...(body !== undefined && { body }),
      }),
    async runJob(name) {
      const job = instance.jobs.find((candidate) => candidate.name === `waiting-room-${name}`);
      if (job === undefined) throw new Error(`no job ${name}`);
      await job.run(new AbortController().signal);
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 100) {
        await room.runJob('advance');
        clock.advance(Math.min(100, ms - passed));
      }
      await room.runJob('advance');
      await room.runJob('refresh');
    },
  };
  return room;

  function aKind<Claims extends object>(typ: string, secret: string): JwtKind<Claims> {
    return createJwtKind<Claims>({ typ, secrets: [secret], ttlSeconds: 600, clock });
  }
}

/** Tier 2, as far as the room knows it: it hands eras out. */
export function aQueueOfEras() {
  const eras = new Map<string, { era: number; on: boolean }>();
  const demands = new Map<string, Demand>();
  return {
    eras,
    demands,
    async demand({ eventIds }: { eventIds: readonly string[] }) {
      return {
        events: eventIds.flatMap((eventId) => {
          const demand = demands.get(eventId);
          return demand === undefined ? [] : [{ eventId, ...demand }];
        }),
      };
    },
    async switchRoom({ eventId, on, laterThan }: { eventId: string; on: boolean; laterThan?: number }) {
      const { era, on: was } = eras.get(eventId) ?? { era: 0, on: false };
      const isKept = on === was && !(on && laterThan !== undefined && era <= laterThan);
      const next = { era: isKept ? era : era + 1, on };
      eras.set(eventId, next);
      return { era: next.era };
    },
  };
}

function away(database: Database, outage: { on: boolean }): Database {
  const refused = async () => {
    throw platformErrors.fault('DATABASE_UNAVAILABLE');
  };
  return new Proxy(database, {
    get(target, name) {
      if (outage.on && (name === 'query' || name === 'transaction')) return refused;
      const value = target[name as keyof Database];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function ampleLimits(): RateLimits {
  const ample = { capacity: 1_000_000_000, refillMs: 60_000 };
  const limits = { read: ample, poll: ample, watch: ample, write: ample, login: ample, assign: ample, check: ample };
  return { ...limits, enter: ample, reserve: ample, confirm: ample, webhook: ample, export: ample };
}

function liveFacts(eventId: string, nowMs: number, nextId: () => string): LiveEventFacts {
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  const named = (name: string) => ({ id: nextId(), name, nameEn: null });
  return {
    ...{ eventId, version: 1, sellerId: nextId(), title: '먼 데서 온 바람', titleEn: null },
    ...{ artist: named('윤슬'), venue: named('한강홀'), layoutId: nextId() },
    ...{ startsAt: at(72 * hourMs), doorsAt: null, saleOpensAt: at(-hourMs), saleClosesAt: at(48 * hourMs) },
    ...{ phases: [], prices: [], ticketTypes: [], seatCount: 100, capacity: 100, purchaseLimit: 4, hot: false },
    ...{ queueEnabled: true, queueThreshold: null, status: 'on_sale', soldOut: false, cancelledAt: null },
  };
}
