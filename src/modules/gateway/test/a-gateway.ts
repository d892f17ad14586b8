import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { Type } from 'typebox';
import {
  defineRoutes,
  PreparedJson,
  type RateClass,
  type RouteContracts,
  type RouteHandlers,
} from '#platform/http/contract.ts';
import type { EntrySlot, Identity } from '#platform/http/identity.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createJwtKind, type JwtKind } from '#platform/tokens/jwt.ts';
import type { AccessClaims, EntryClaims } from '../contract.ts';
import { type GatewayOptions, installGateway, type RateLimits, rewriteUrl } from '../index.ts';

export const secrets = {
  access: 'access-secret-0123456789-0123456789-abc',
  entry: 'entry-secret-0123456789-0123456789-abcd',
  internal: 'internal-secret-0123456789-0123456789-a',
};
export const internalSecret = secrets.internal;

const whoIsThere = Type.Object({
  userId: Type.Union([Type.String(), Type.Null()]),
  entry: Type.Optional(Type.Object({ eventId: Type.String(), slotId: Type.String() })),
});
const eventParams = Type.Object({ eventId: Type.String({ maxLength: 64 }) });

/** One route per way of being guarded. Each answers who the caller is taken for, and by which slot. */
export const guardedRoutes = defineRoutes({
  open: route('GET', '/api/open', { access: 'public', rate: 'read' }),
  mine: route('GET', '/api/mine', { access: 'user', rate: 'read' }),
  office: route('GET', '/api/office', { access: ['operator'], rate: 'read' }),
  change: route('POST', '/api/change', { access: 'public', rate: 'write' }),
  signIn: route('POST', '/api/sign-in', { access: 'public', rate: 'login' }),
  assign: route('POST', '/api/assign', { access: 'public', rate: 'assign' }),
  seats: {
    ...route('GET', '/api/seats/:eventId', { access: 'user', rate: 'read' }),
    entry: 'required',
    params: eventParams,
  },
  hold: {
    ...route('POST', '/api/holds', { access: 'user', rate: 'reserve' }),
    entry: 'required',
    body: Type.Object({ eventId: Type.String({ maxLength: 64 }) }, { additionalProperties: false }),
  },
  watched: {
    ...route('GET', '/api/watched/:eventId', { access: 'public', rate: 'poll' }),
    tier1: { eventParam: 'eventId' },
    params: eventParams,
  },
});

function route(
  method: 'GET' | 'POST',
  path: string,
  guard: { access: 'public' | 'user' | readonly 'operator'[]; rate: RateClass },
) {
  const operation = `${method.toLowerCase()} ${path}`;
  return { operation, method, path, summary: operation, responses: { 200: whoIsThere }, ...guard };
}

const answerWho = (request: { user: Identity | null }) =>
  new PreparedJson(JSON.stringify({ userId: request.user?.userId ?? null }));

const answerEntry = ({ user, entry }: { user: Identity; entry: EntrySlot }) =>
  new PreparedJson(JSON.stringify({ userId: user.userId, entry }));

export const guardedHandlers: RouteHandlers<typeof guardedRoutes> = {
  open: answerWho,
  mine: answerWho,
  office: answerWho,
  change: answerWho,
  signIn: answerWho,
  assign: answerWho,
  seats: answerEntry,
  hold: answerEntry,
  watched: answerWho,
};

export interface TestGateway {
  readonly app: FastifyInstance;
  readonly clock: { ms: number; now(): number; monotonicMs(): number };
  readonly accessTokens: JwtKind<AccessClaims>;
  readonly entryTokens: JwtKind<EntryClaims>;
  /** A token of a buyer of this id. */
  token(userId: string, role?: string): string;
  call(options: InjectOptions): Promise<LightMyRequestResponse>;
}

export const amplePerMinute = {
  read: 600,
  poll: 600,
  watch: 600,
  write: 600,
  login: 600,
  assign: 600,
  check: 600,
  enter: 600,
  reserve: 600,
  confirm: 600,
  webhook: 6_000,
  export: 6_000,
};

export function ratesPerMinute(counts: Readonly<Record<RateClass, number>>): RateLimits {
  const limits = Object.entries(counts).map(([rate, capacity]) => [rate, { capacity, refillMs: 60_000 }]);
  // The entries are those of `counts`, which has every class.
  return Object.fromEntries(limits) as RateLimits;
}

export async function aGateway(
  changes: Partial<GatewayOptions> & {
    routes?: RouteContracts;
    trustedProxies?: readonly string[];
    requestTimeoutMs?: number;
  } = {},
): Promise<TestGateway> {
  const { routes = guardedRoutes, trustedProxies, requestTimeoutMs, ...options } = changes;
  const clock = aClock();
  const accessTokens = createJwtKind<AccessClaims>({
    typ: 'at+jwt',
    secrets: [secrets.access],
    ttlSeconds: 900,
    clock,
  });
  const entryTokens = createJwtKind<EntryClaims>({
    typ: 'entry+jwt',
    secrets: [secrets.entry],
    ttlSeconds: 600,
    clock,
  });
  const app = createHttpServer({
    logger: options.logger ?? silentLogger,
    ids: createIds({ clock, random: systemRandom }),
    rewriteUrl,
    ...(trustedProxies && { trustedProxies }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  });
  await installGateway(app, {
    clock,
    logger: silentLogger,
    accessTokens,
    entryTokens,
    signature: createInternalSignature({ secrets: [internalSecret], clock, roles: [] }),
    rateLimits: ratesPerMinute(amplePerMinute),
    redis: null,
    publicOrigins: [],
    corsOrigins: [],
    remotes: [],
    pagesFolder: null,
    ...options,
  });
  if (routes === guardedRoutes) registerRoutes(app, guardedRoutes, guardedHandlers);
  return {
    app,
    clock,
    accessTokens,
    entryTokens,
    token: (userId, role = 'buyer') => accessTokens.sign({ sub: userId, email: `${userId}@urr.test`, role }).token,
    call: (request) => app.inject(request),
  };
}

export function aClock(ms = 1_800_000_000_000) {
  const clock = { ms, now: () => clock.ms, monotonicMs: () => clock.ms };
  return clock;
}
