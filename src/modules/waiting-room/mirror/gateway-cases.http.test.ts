import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Expected } from '#edge/decide/cases.ts';
import { caseKeys, caseNowMs, caseUserId } from '#edge/decide/testing/mint.ts';
import { caseFiles, type ReadyCase, readyCases } from '#edge/decide/testing/ready-cases.ts';
import { indexRooms, noRooms } from '#edge/rooms.ts';
import { aGateway } from '#modules/gateway/test/a-gateway.ts';
import { defineRoutes, PreparedJson, type RouteContract } from '#platform/http/contract.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { createSendRaw, type RawAnswer } from '#test/kit/raw-http.ts';
import { registerDecideDoor } from './decide-door.ts';
import { createRoomEdge } from './edge-decision.ts';

const cases = await readyCases();
const page = '<!doctype html><title>urr</title>';
let rooms = noRooms;

const clock = { now: () => caseNowMs, monotonicMs: () => caseNowMs };
const kind = (typ: string, secrets: readonly string[]) =>
  createJwtKind<never>({ typ, secrets, ttlSeconds: 600, clock });
const { edge, decideFor } = createRoomEdge({
  mirror: { inForce: () => rooms, whenAsked: async () => undefined },
  keys: caseKeys,
  clock,
  files: caseFiles,
});
const access = createJwtKind({
  typ: 'at+jwt',
  secrets: ['access-secret-0123456789-0123456789-abc'],
  ttlSeconds: 900,
  clock,
});
const { token } = access.sign({ sub: caseUserId, email: 'a@urr.test', role: 'buyer' });

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

async function aSite() {
  const folder = await aFolder('pages');
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), page);
  for (const file of caseFiles) writeFileSync(join(folder, file), 'x');
  const ample = { capacity: 1_000_000, refillMs: 60_000 };
  const { app } = await aGateway({
    edge,
    clock,
    accessTokens: access as never,
    entryTokens: kind('entry+jwt', caseKeys.entry) as never,
    rateLimits: new Proxy({}, { get: () => ample }) as never,
    pagesFolder: folder,
    routes,
  });
  registerDecideDoor(app, decideFor);
  const handle = () => new PreparedJson('{}');
  registerRoutes(app, routes, Object.fromEntries(Object.keys(routes).map((name) => [name, handle])) as never);
  atEnd(() => app.close());
  return createSendRaw(await app.listen({ host: '127.0.0.1', port: 0 }));
}
const send = await aSite();

function on(ids: readonly string[]): void {
  rooms = indexRooms(ids.map((eventId) => ({ eventId, mode: 'site', era: 3, failMode: 'open' })));
}

function saidBy({ status, headers, text }: RawAnswer): Expected {
  if (status === 302) return { sentTo: headers.location ?? '' };
  if (status === 400 || status === 403) {
    const { code, redirectTo } = JSON.parse(text) as { code: never; redirectTo?: string };
    return { refused: code, ...(redirectTo !== undefined && { redirectTo }) } as Expected;
  }
  const isKeptNowhere = status === 200 && headers['cache-control'] === 'no-store';
  return { goes: isKeptNowhere ? 'on, guarded' : 'on' };
}

describe('the table of cases', () => {
  it('comes out of a real gateway', async () => {
    const got = [];
    const wanted = [];
    // HEAD shows no body to say which refusal it is.
    for (const ready of cases.filter(({ method }) => method !== 'HEAD')) {
      on(ready.rooms);
      const { name, target, method } = ready;
      const headers = { accept: 'text/html', authorization: `Bearer ${token}`, ...ready.headers };
      const answer = await send({ method, path: target, headers });
      if (isNothing(ready, answer) || isOfTier2(ready)) continue;
      const said = saidBy(answer);
      got.push([name, target, isKept(ready.expect) ? said : loosely(said)]);
      wanted.push([name, target, isKept(ready.expect) ? ready.expect : loosely(ready.expect)]);
    }
    expect(got.length).toBeGreaterThan(500);
    expect(got).toEqual(wanted);
  });

  /** A page that only those may see who passed is kept nowhere; the API never is. */
  function isKept(expected: Expected): boolean {
    return !('goes' in expected);
  }
  function loosely(expected: Expected): Expected {
    return 'goes' in expected ? { goes: 'on' } : expected;
  }
  /** What the gateway never asks about: addresses where nothing is, and files of the build, however they are written. */
  function isNothing({ target }: ReadyCase, { status }: RawAnswer): boolean {
    if (target === '/icon.svg/') return status === 200;
    // One prefix is gone before anybody is asked; the second one is none of a page either, and guarded all the same.
    if (target.startsWith('/vwr-api/vwr-api/')) return status === 302;
    return status === 404 && /^\/(assets|docs|health|ready|metrics|vwr|api\/$)/.test(target);
  }
  /** Without a room the gateway looks at entry tokens all the same. */
  function isOfTier2({ rooms: ids, target }: ReadyCase): boolean {
    return ids.length === 0 && target.startsWith('/api/seats/');
  }

  it('is the same for HEAD, and keeps guarded pages out of every cache', async () => {
    for (const ready of cases.filter(({ target, method }) => target.startsWith('/events/') && method === 'GET')) {
      on(ready.rooms);
      const headers = { accept: 'text/html', ...ready.headers };
      const { name } = ready;
      const [get, head] = [
        await send({ path: ready.target, headers }),
        await send({ method: 'HEAD', path: ready.target, headers }),
      ];
      expect([name, head.status, head.headers.location]).toEqual([name, get.status, get.headers.location]);
      if (get.status === 200) {
        const isGuarded = 'goes' in ready.expect && ready.expect.goes === 'on, guarded';
        expect([name, get.headers['cache-control']]).toEqual([name, isGuarded ? 'no-store' : 'no-cache']);
      } else expect([name, get.headers['cache-control']]).toEqual([name, 'no-store']);
    }
  });

  it('comes out of /vwr/decide as nginx asks it', async () => {
    const said = async ({ target, method, headers }: ReadyCase): Promise<Expected> => {
      const original = { 'x-original-uri': target, 'x-original-method': method };
      const answer = await send({ path: '/vwr/decide', headers: { ...headers, ...original } });
      expect(answer.headers['cache-control']).toBe('no-store');
      if (answer.status === 200) return { goes: answer.headers['x-urr-guarded'] === '1' ? 'on, guarded' : 'on' };
      expect(answer.status).toBe(403);
      const status = Number(answer.headers['x-urr-status']);
      if (status === 302) return { sentTo: String(answer.headers['x-urr-location']) };
      return saidBy({ status, headers: {}, text: String(answer.headers['x-urr-problem']) });
    };
    await expectTable(said);
  });

  it('comes out of /vwr/decide as Traefik asks it', async () => {
    await expectTable(async ({ target, method, headers }) => {
      const forwarded = { 'x-forwarded-uri': target, 'x-forwarded-method': method };
      return saidToProxy(await send({ path: '/vwr/decide/forwarded', headers: { ...headers, ...forwarded } }));
    });
  });

  it('comes out of /vwr/decide as Envoy asks it', async () => {
    await expectTable(async ({ target, method, headers }) =>
      saidToProxy(await send({ method, path: `/vwr/decide/at${target}`, headers })),
    );
  });

  function saidToProxy(answer: RawAnswer): Expected {
    if (answer.status !== 200) return saidBy(answer);
    return { goes: answer.headers['x-urr-guarded'] === '1' ? 'on, guarded' : 'on' };
  }

  async function expectTable(said: (ready: ReadyCase) => Promise<Expected>): Promise<void> {
    const got = [];
    for (const ready of cases.filter(({ method }) => method !== 'HEAD')) {
      on(ready.rooms);
      got.push([ready.name, ready.target, await said(ready)]);
    }
    const wanted = cases.filter(({ method }) => method !== 'HEAD');
    expect(got).toEqual(wanted.map(({ name, target, expect }) => [name, target, expect]));
  }
});

describe('/vwr/decide', () => {
  it('asked by nobody who names a request decides nothing', async () => {
    for (const path of ['/vwr/decide', '/vwr/decide/forwarded'])
      for (const headers of [{}, { 'x-original-uri': '/' }, { 'x-forwarded-method': 'GET' }])
        expect([path, (await send({ path, headers })).status]).toEqual([path, 400]);
  });

  it('believes of each proxy only what that proxy says', async () => {
    const [room] = cases.flatMap((ready) => ready.rooms);
    on([room ?? '']);
    const [asked, planted] = [`/events/${room}`, '/health'];
    const nginx = {
      'x-original-uri': asked,
      'x-original-method': 'GET',
      'x-forwarded-uri': planted,
      'x-forwarded-method': 'GET',
    };
    expect((await send({ path: '/vwr/decide', headers: nginx })).status).toBe(403);
    const traefik = {
      'x-original-uri': planted,
      'x-original-method': 'GET',
      'x-forwarded-uri': asked,
      'x-forwarded-method': 'GET',
    };
    expect((await send({ path: '/vwr/decide/forwarded', headers: traefik })).status).toBe(302);
    expect((await send({ path: `/vwr/decide/at${asked}`, headers: { 'x-original-uri': planted } })).status).toBe(302);
  });
});
