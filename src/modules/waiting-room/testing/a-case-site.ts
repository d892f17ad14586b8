import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import type { Expected } from '#edge/decide/cases.ts';
import { caseKeys, caseNowMs, caseUserId } from '#edge/decide/testing/mint.ts';
import { caseFiles } from '#edge/decide/testing/ready-cases.ts';
import { indexRooms, noRooms } from '#edge/rooms.ts';
import type { AccessClaims } from '#modules/gateway/contract.ts';
import { aGateway } from '#modules/gateway/test/a-gateway.ts';
import { defineRoutes, PreparedJson, type RouteContract } from '#platform/http/contract.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import type { RawAnswer } from '#test/kit/raw-http.ts';
import { registerDecideDoor } from '../mirror/decide-door.ts';
import { createRoomEdge } from '../mirror/edge-decision.ts';

/** A real gateway that serves, at the moment of the cases of `edge/decide`, an answer at every address that they name. */
export interface CaseSite {
  readonly url: string;
  /** Of the user to whom the entry tokens of the cases were given. */
  readonly accessToken: string;
  /** Exactly these rooms are on. */
  on(ids: readonly string[]): void;
}

export async function aCaseSite(): Promise<CaseSite> {
  let rooms = noRooms;
  const clock = { now: () => caseNowMs, monotonicMs: () => caseNowMs };
  const kind = (typ: string, secrets: readonly string[]) =>
    createJwtKind<never>({ typ, secrets, ttlSeconds: 900, clock }) as never;
  const { edge, decideFor } = createRoomEdge({
    mirror: { inForce: () => rooms, whenAsked: async () => undefined },
    keys: caseKeys,
    clock,
    files: caseFiles,
  });
  const folder = await aFolder('pages');
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>urr</title>');
  for (const file of caseFiles) writeFileSync(join(folder, file), 'x');
  const ample = { capacity: 1_000_000, refillMs: 60_000 };
  const accessTokens = createJwtKind<AccessClaims>({
    typ: 'at+jwt',
    secrets: ['a'.repeat(40)],
    ttlSeconds: 900,
    clock,
  });
  const { app } = await aGateway({
    edge,
    clock,
    accessTokens,
    entryTokens: kind('entry+jwt', caseKeys.entry),
    rateLimits: new Proxy({}, { get: () => ample }) as never,
    pagesFolder: folder,
    routes,
  });
  registerDecideDoor(app, decideFor);
  const handle = () => new PreparedJson('{}');
  registerRoutes(app, routes, Object.fromEntries(Object.keys(routes).map((name) => [name, handle])) as never);
  atEnd(() => app.close());
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    accessToken: accessTokens.sign({ sub: caseUserId, email: 'a@urr.test', role: 'buyer' }).token,
    on(ids) {
      rooms = indexRooms(ids.map((eventId) => ({ eventId, mode: 'site', era: 3, failMode: 'open' })));
    },
  };
}

/** What somebody was told, in the words of the cases. */
export function saidBy({ status, headers, text }: RawAnswer): Expected {
  if (status === 302) return { sentTo: headers.location ?? '' };
  if (status === 400 || status === 403) {
    const { code, redirectTo } = JSON.parse(text) as { code: never; redirectTo?: string };
    return { refused: code, ...(redirectTo !== undefined && { redirectTo }) } as Expected;
  }
  const isKeptNowhere = status === 200 && headers['cache-control'] === 'no-store';
  return { goes: isKeptNowhere ? 'on, guarded' : 'on' };
}

/** For a guarded call of the API and a free one nothing looks different. */
export function loosely(expected: Expected): Expected {
  return 'goes' in expected ? { goes: 'on' } : expected;
}

const seats = { entry: 'required', tier1: { eventParam: 'eventId' }, access: 'user' } as const;
const routes = defineRoutes({
  ...anyCall('GET'),
  ...anyCall('POST'),
  ...anyCall('PUT'),
  ...anyCall('PATCH'),
  ...anyCall('DELETE'),
  seatMap: { ...call('GET', '/api/seats/events/:eventId', ['eventId']), ...seats },
  seatStream: { ...call('GET', '/api/seats/events/:eventId/stream', ['eventId']), ...seats },
  seatSection: { ...call('GET', '/api/seats/events/:eventId/sections/:section', ['eventId', 'section']), ...seats },
});

function call<Method extends RouteContract['method']>(method: Method, path: string, params: readonly string[]) {
  const schema = Type.Object(Object.fromEntries(params.map((name) => [name, Type.String()])));
  const operation = `${method} ${path}`;
  const rest = { summary: operation, access: 'public', rate: 'read', responses: { 200: Type.Unknown() } } as const;
  return { operation, method, path, params: schema, ...rest };
}

/** Whatever the API has: these stand for all of its routes. */
function anyCall<Method extends RouteContract['method']>(method: Method) {
  return { [method]: call(method, '/api/*', ['*']) };
}
