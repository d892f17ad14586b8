import { Type } from 'typebox';
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import type { RouteContract, RouteRequest } from '#platform/http/contract.ts';
import type { EntrySlot } from '#platform/http/identity.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { aGateway, guardedRoutes, type TestGateway } from './test/a-gateway.ts';

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.app.close();
  gateway = undefined;
});
async function open(...changes: Parameters<typeof aGateway>): Promise<TestGateway> {
  gateway = await aGateway(...changes);
  return gateway;
}

describe('an entry token', () => {
  async function ann() {
    const { call, token, entryTokens, clock } = await open({ deniedEntries: { has: (jti) => jti === 'revoked' } });
    const authorization = `Bearer ${token('ann')}`;
    const entry = (eventId: string, changes: { uid?: string; jti?: string } = {}) =>
      entryTokens.sign({ sub: eventId, uid: 'ann', jti: 'j1', ...changes }).token;
    const seats = (headers: Record<string, string>) =>
      call({ url: '/api/seats/e1', headers: { authorization, ...headers } });
    return { call, authorization, entry, seats, clock, token };
  }

  it('opens the routes of its event and tells them the slot, from header or cookie', async () => {
    const { seats, entry } = await ann();
    const byHeader = await seats({ 'x-queue-entry-token': entry('e1') });
    expect(byHeader.json()).toEqual({ userId: 'ann', entry: { eventId: 'e1', slotId: 'j1' } });
    const cookies = `urr-entry-token-e0=${entry('e0', { jti: 'j0' })}; urr-entry-token-e1=${entry('e1')}`;
    expect((await seats({ cookie: cookies })).json()).toEqual(byHeader.json());
  });

  it('is asked for, with the way to get one', async () => {
    const { seats } = await ann();
    const refused = await seats({});
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ code: 'ENTRY_TOKEN_REQUIRED', redirectTo: '/queue/e1' });
  });

  it('of another event, user, kind, or time does not open anything', async () => {
    const { seats, entry, clock, token } = await ann();
    const early = entry('e1');
    const refused = {
      'another event': entry('e2'),
      'another user': entry('e1', { uid: 'eve' }),
      revoked: entry('e1', { jti: 'revoked' }),
      'an access token': token('ann'),
      rubbish: 'x.y.z',
    };
    for (const [name, value] of Object.entries(refused)) {
      expect([name, (await seats({ 'x-queue-entry-token': value })).statusCode]).toEqual([name, 403]);
    }
    clock.ms += 600_000;
    expect((await seats({ 'x-queue-entry-token': early })).statusCode).toBe(403);
  });

  it('in the header wins over the cookies', async () => {
    const { seats, entry } = await ann();
    const refused = await seats({ 'x-queue-entry-token': 'rubbish', cookie: `urr-entry-token-e1=${entry('e1')}` });
    expect(refused.statusCode).toBe(403);
  });

  it('is checked against the event named in the body', async () => {
    const { call, authorization, entry } = await ann();
    const hold = (eventId: string) =>
      call({
        method: 'POST',
        url: '/api/holds',
        payload: { eventId },
        headers: { authorization, 'x-queue-entry-token': entry('e1') },
      });
    expect((await hold('e1')).json()).toEqual({ userId: 'ann', entry: { eventId: 'e1', slotId: 'j1' } });
    expect((await hold('e2')).json()).toMatchObject({ code: 'ENTRY_TOKEN_REQUIRED', redirectTo: '/queue/e2' });
  });

  it.each<[why: string, change: Partial<RouteContract>]>([
    ['neither its path nor its body names an event', { path: '/api/seats/:orderId' }],
    ['its path and its body both name an event', { body: Type.Object({ eventId: Type.String() }) }],
    ['may be left out', { path: '/api/holds', body: Type.Object({ eventId: Type.Optional(Type.String()) }) }],
    ['for no user', { access: 'public' }],
  ])('is not asked for by a route of which %s', async (why, change) => {
    const { app } = await open({ routes: {} });
    const seats: RouteContract = { ...guardedRoutes.seats, method: 'POST', ...change };
    const register = () => registerRoutes(app, { seats }, { seats: async () => ({}) });
    expect(register).toThrow(why);
  });

  it('is in the type of a handler only where its contract asks for one', () => {
    expectTypeOf<RouteRequest<typeof guardedRoutes.seats>['entry']>().toEqualTypeOf<EntrySlot>();
    expectTypeOf<RouteRequest<typeof guardedRoutes.mine>>().not.toHaveProperty('entry');
  });

  it('is no replacement for signing in', async () => {
    const { call, entry } = await ann();
    expect((await call({ url: '/api/seats/e1', headers: { 'x-queue-entry-token': entry('e1') } })).statusCode).toBe(
      401,
    );
  });
});
