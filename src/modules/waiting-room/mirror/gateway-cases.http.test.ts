import { describe, expect, it } from 'vitest';
import type { Expected } from '#edge/decide/cases.ts';
import { type ReadyCase, readyCases } from '#edge/decide/testing/ready-cases.ts';
import { createSendRaw, type RawAnswer } from '#test/kit/raw-http.ts';
import { aCaseSite, loosely, saidBy } from '../testing/a-case-site.ts';

const cases = await readyCases();
const { url, accessToken, on } = await aCaseSite();
const send = createSendRaw(url);

describe('the table of cases', () => {
  it('comes out of a real gateway', async () => {
    const got = [];
    const wanted = [];
    // HEAD shows no body to say which refusal it is.
    for (const ready of cases.filter(({ method }) => method !== 'HEAD')) {
      on(ready.rooms);
      const { name, target, method } = ready;
      const headers = { accept: 'text/html', authorization: `Bearer ${accessToken}`, ...ready.headers };
      const answer = await send({ method, path: target, headers });
      if (isNothing(ready, answer) || isOfTier2(ready)) continue;
      const said = saidBy(answer);
      got.push([name, target, loosely(said)]);
      wanted.push([name, target, loosely(ready.expect)]);
    }
    expect(got.length).toBeGreaterThan(500);
    expect(got).toEqual(wanted);
  });

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
