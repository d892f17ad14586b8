import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { LiveEventFacts } from '#modules/catalog/contract.ts';
import type { AccessClaims, EntryClaims } from '#modules/gateway/contract.ts';
import { installGateway, type RateLimits, rewriteUrl } from '#modules/gateway/index.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Role } from '#platform/http/identity.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { createJwtKind, type JwtKind } from '#platform/tokens/jwt.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock, type FakeClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { queueRoutes, type VwrClaims } from '../contract.ts';
import {
  type AdmissionNotice,
  createQueue,
  createWaitingTicketHolder,
  type QueueDeps,
  type QueueInstance,
} from '../index.ts';
import type { QueueConfig, QueueStore } from '../ports.ts';
import type { QueueAnswer } from '../routes/schemas.ts';
import { createMemoryStore, type MemoryStore } from '../storage/memory-store.ts';
import { aQueueBus, type QueueBus } from './a-queue-bus.ts';
import { putSeatsBehind } from './seats-behind.ts';

export const queueSecrets = {
  access: 'access-secret-0123456789-0123456789-abc',
  entry: 'entry-secret-0123456789-0123456789-abcd',
  vwr: 'vwr-secret-0123456789-0123456789-abcdef',
  ticket: 'ticket-secret-0123456789-0123456789-abc',
  internal: 'internal-secret-0123456789-0123456789-a',
};

export const queueConfig: QueueConfig = {
  threshold: 2,
  activeTtlMs: 600_000,
  seenTtlMs: 600_000,
  absentMs: 90_000,
  claimMs: 120_000,
  admissionIntervalMs: 1_000,
  admissionBatch: 100,
  exactPositions: 1_000,
  cleanupIntervalMs: 30_000,
  activeSeenTtlMs: null,
  recoveringMs: 75_000,
};

/** Somebody at a browser: the cookies they were given, and whether they are signed in. */
export interface Person {
  readonly userId: string;
  readonly accessToken: string;
  readonly cookies: Map<string, string>;
}

export interface CallOptions {
  readonly as?: Person;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Cookies without the access token: the waiting ticket alone. */
  readonly anonymous?: boolean;
}

export interface TestQueue {
  readonly app: FastifyInstance;
  readonly deps: QueueDeps;
  readonly instance: QueueInstance;
  readonly store: MemoryStore;
  readonly storeCalls: Map<string, number>;
  readonly database: Database;
  readonly clock: FakeClock;
  readonly bus: QueueBus;
  readonly entryTokens: JwtKind<EntryClaims>;
  readonly vwrTokens: JwtKind<VwrClaims>;
  readonly roomsOn: Set<string>;
  readonly roomsFailOpen: Set<string>;
  /** The store answers nothing while this is set. */
  readonly outage: { on: boolean };
  /** What the seat map does before it answers. */
  readonly origin: { answer: () => Promise<void> };
  /** What those who want notices were told. */
  readonly told: AdmissionNotice[];
  person(role?: Role): Person;
  anEvent(changes?: Partial<LiveEventFacts>): string;
  call(
    method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    options?: CallOptions,
  ): Promise<LightMyRequestResponse>;
  check(eventId: string, as: Person, options?: CallOptions): Promise<QueueAnswer>;
  status(eventId: string, as: Person, options?: CallOptions): Promise<QueueAnswer>;
  /** The seat map, which is behind the entry check. */
  seats(eventId: string, as: Person, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** Gives free slots, as the admission job does. */
  admit(eventId: string): Promise<void>;
  runJob(name: string): Promise<void>;
}

/** The module on its in-process store and a real PostgreSQL, behind a real gateway, with a clock that the test owns. */
export async function aQueue(
  changes: Partial<QueueConfig> = {},
  options: Partial<Pick<QueueDeps, 'admission' | 'logger' | 'waitingTicketSecrets'>> & {
    rateLimits?: Partial<RateLimits>;
  } = {},
): Promise<TestQueue> {
  const { rateLimits, ...given } = options;
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax: 5 });
  atEnd(() => database.close());
  const clock = aClock();
  const ids = createIds({ clock, random: systemRandom });
  const store = createMemoryStore({ clock });
  const storeCalls = new Map<string, number>();
  const outage = { on: false };
  const events = new Map<string, LiveEventFacts>();
  const roomsOn = new Set<string>();
  const roomsFailOpen = new Set<string>();
  const told: AdmissionNotice[] = [];
  const bus = aQueueBus({ clock, ids });
  const accessTokens = aKind<AccessClaims>('at+jwt', queueSecrets.access);
  const entryTokens = aKind<EntryClaims>('entry+jwt', queueSecrets.entry);
  const vwrTokens = aKind<VwrClaims>('vwr+jwt', queueSecrets.vwr);
  const config = { ...queueConfig, ...changes };
  const origin: TestQueue['origin'] = { answer: async () => undefined };

  const deps: QueueDeps = {
    database,
    bus,
    clock,
    ids,
    random: systemRandom,
    logger: silentLogger,
    audit: postgresAuditLog,
    metrics: createMetrics(),
    store: watched(store, storeCalls, outage),
    catalog: {
      eventFacts: async ({ eventId }) => ({ event: events.get(eventId) ?? null }),
      eventsOnSale: async () => ({ events: [...events.values()], truncated: false }),
      layoutById: async () => ({ layout: null }),
      markSoldOut: async () => ({ found: false }),
    },
    entryTokens,
    waitingTicketSecrets: [queueSecrets.ticket],
    vwrTokens,
    rooms: { isOn: (eventId) => roomsOn.has(eventId), failsOpen: (eventId) => roomsFailOpen.has(eventId) },
    secureCookies: false,
    config,
    notices: { admitted: (notice) => void told.push(notice), stop: async () => undefined },
    ...given,
  };
  const instance = createQueue(deps);

  const app = createHttpServer({ logger: options.logger ?? silentLogger, ids, rewriteUrl });
  await installGateway(app, {
    clock,
    logger: silentLogger,
    accessTokens,
    entryTokens,
    signature: createInternalSignature({ secrets: [queueSecrets.internal], clock, roles: [] }),
    rateLimits: { ...ampleLimits(), ...rateLimits },
    redis: null,
    publicOrigins: [],
    corsOrigins: [],
    remotes: [],
    pagesFolder: null,
    waitingTicketHolder: createWaitingTicketHolder({ secrets: deps.waitingTicketSecrets }),
    deniedEntries: instance.denied,
    protectedCalls: instance.protectedCalls,
  });
  // The module bound them to these very contracts before it forgot their types.
  registerRoutes(app, queueRoutes, instance.handlers as unknown as RouteHandlers<typeof queueRoutes>);
  for (const route of instance.express ?? []) app.express.add(route);
  putSeatsBehind(app, deps, () => origin.answer());
  await app.ready();
  atEnd(() => app.close());

  const call: TestQueue['call'] = async (method, path, { as, headers = {}, body, anonymous = false } = {}) => {
    const cookies = [...(as?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await app.inject({
      method,
      url: path,
      ...(body !== undefined && { payload: body as object }),
      headers: {
        ...(as && !anonymous && { authorization: `Bearer ${as.accessToken}` }),
        ...(cookies !== '' && { cookie: cookies }),
        // As a browser says of a call from this site's own page.
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0) as?.cookies.delete(name);
      else as?.cookies.set(name, value);
    }
    return response;
  };

  async function answered(response: Promise<LightMyRequestResponse>): Promise<QueueAnswer> {
    const { statusCode, body } = await response;
    if (statusCode !== 200) throw new Error(`${statusCode}: ${body}`);
    return JSON.parse(body) as QueueAnswer;
  }

  return {
    app,
    deps,
    instance,
    store,
    storeCalls,
    database,
    clock,
    bus,
    entryTokens,
    vwrTokens,
    roomsOn,
    roomsFailOpen,
    outage,
    origin,
    told,
    person(role = 'buyer') {
      const userId = ids.next();
      const { token } = accessTokens.sign({ sub: userId, email: `${userId}@urr.test`, role });
      return { userId, accessToken: token, cookies: new Map() };
    },
    anEvent(facts = {}) {
      const eventId = ids.next();
      events.set(eventId, { ...liveFacts(eventId, clock.now(), () => ids.next()), ...facts });
      return eventId;
    },
    call,
    check: (eventId, as, options) => answered(call('POST', `/api/queue/check/${eventId}`, { as, ...options })),
    status: (eventId, as, options) => answered(call('GET', `/api/queue/status/${eventId}`, { as, ...options })),
    seats: (eventId, as, headers = {}) => call('GET', `/api/seats/events/${eventId}`, { as, headers }),
    async admit(eventId) {
      const { absentMs, claimMs, activeTtlMs, activeSeenTtlMs, admissionBatch: admitMax } = config;
      const limits = { admitMax, parkMax: 1_000, absentMs, claimMs, activeTtlMs, activeSeenTtlMs };
      const result = await store.admit({ eventId, ...limits });
      if (result.status !== 'ok') throw new Error('the event has no state');
    },
    async runJob(name) {
      const job = instance.jobs.find((candidate) => candidate.name === name);
      if (job === undefined) throw new Error(`no job ${name}`);
      await job.run(new AbortController().signal);
    },
  };

  function aKind<Claims extends object>(typ: string, secret: string): JwtKind<Claims> {
    return createJwtKind<Claims>({ typ, secrets: [secret], ttlSeconds: 3_600, clock });
  }
}

/** Counts every call, and lets none through during an outage. */
function watched(store: QueueStore, calls: Map<string, number>, outage: { on: boolean }): QueueStore {
  return new Proxy(store, {
    get(target, name) {
      // The process knows this of itself: no call to the store.
      if (name === 'connection') return target.connection;
      const method = target[name as keyof QueueStore] as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) => {
        calls.set(String(name), (calls.get(String(name)) ?? 0) + 1);
        if (outage.on) return Promise.reject(platformErrors.fault('STORE_UNAVAILABLE'));
        return method.apply(target, args);
      };
    },
  });
}

function ampleLimits(): RateLimits {
  const ample = { capacity: 1_000_000_000, refillMs: 60_000 };
  const limits = { read: ample, poll: ample, watch: ample, write: ample, login: ample, assign: ample, check: ample };
  return { ...limits, enter: ample, reserve: ample, confirm: ample, webhook: ample, export: ample };
}

const hourMs = 3_600_000;

function liveFacts(eventId: string, nowMs: number, nextId: () => string): LiveEventFacts {
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  const named = (name: string) => ({ id: nextId(), name, nameEn: null });
  return {
    eventId,
    version: 1,
    sellerId: nextId(),
    title: '먼 데서 온 바람',
    titleEn: null,
    artist: named('윤슬'),
    venue: named('한강홀'),
    layoutId: nextId(),
    startsAt: at(72 * hourMs),
    doorsAt: null,
    saleOpensAt: at(-hourMs),
    saleClosesAt: at(48 * hourMs),
    phases: [],
    prices: [],
    ticketTypes: [],
    seatCount: 100,
    capacity: 100,
    purchaseLimit: 4,
    hot: false,
    queueEnabled: true,
    queueThreshold: null,
    status: 'on_sale',
    soldOut: false,
    cancelledAt: null,
  };
}
