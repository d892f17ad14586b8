import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createInternalSignature, type InternalCallFacts } from '#platform/http/internal-signature.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { wallClock } from '#test/kit/clock.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { aStage, jsonCall, refusalOf, type StageUser, stagePassword } from '#test/kit/stage.ts';

/** Nobody becomes somebody else by saying so: at the gateway, and at the port of a role that runs behind it. */
describe.each(['together', 'apart'] as const)('%s', async (kind) => {
  const stage = await aStage(kind);
  const { send, users, draftId, eventId } = stage;
  const { admin, seller, otherSeller, buyer, operator } = users;
  const doors = { gateway: send, catalog: stage.sendToCatalog, auth: stage.sendToAuth };
  const needsAdmin = '/api/admin/users';
  const needsSeller = '/api/seller/events';

  describe('headers that only the inside may set', () => {
    const claimed = (user: StageUser) => ({
      'X-User-Id': user.id,
      'X-User-Email': encodeURIComponent(user.email),
      'X-User-Role': user.role,
    });
    const secrets = [testSecrets.URR_INTERNAL_SECRET];
    const proper = createInternalSignature({ secrets, clock: systemClock, roles: [] });
    const forged = createInternalSignature({ secrets: ['f'.repeat(40)], clock: systemClock, roles: [] });
    const stale = createInternalSignature({ secrets, clock: wallClock(() => Date.now() - 61_000), roles: [] });
    const identity = { userId: admin.id, email: admin.email, role: admin.role };
    const callTo = (role: string, path: string) =>
      ({ role, method: 'GET', path, body: null, user: identity, slots: [] }) satisfies InternalCallFacts;
    /** Everything is as it should be but the last part, which proves it. */
    const madeUp = (call: InternalCallFacts) => {
      const { 'x-internal-signature': signature = '', ...others } = proper.sign(call);
      const [proof = '', ...parts] = signature.split('.').reverse();
      return { ...others, 'x-internal-signature': [...parts.reverse(), 'A'.repeat(proof.length)].join('.') };
    };
    /** Signed when they are sent: a signature is good for some seconds only. */
    const attempts: Record<string, (call: InternalCallFacts) => Record<string, string | string[]>> = {
      'as they are': () => claimed(admin),
      'in capitals': () =>
        Object.fromEntries(Object.entries(claimed(admin)).map(([name, value]) => [name.toUpperCase(), value])),
      'twice over': () =>
        Object.fromEntries(Object.entries(claimed(admin)).map(([name, value]) => [name, [value, value]])),
      'with an empty signature': () => ({ ...claimed(admin), 'X-Internal-Signature': '' }),
      'with a signature in two parts': () => ({ ...claimed(admin), 'X-Internal-Signature': `${Date.now()}.AAAA` }),
      'with a made-up signature': madeUp,
      'with a signature of another key': (call) => forged.sign(call),
      'with a signature of a minute ago': (call) => stale.sign(call),
      'with a signature for another role': (call) => proper.sign({ ...call, role: 'payment' }),
      'with a signature for another address': (call) => proper.sign({ ...call, path: '/api/elsewhere' }),
      'with a signature for somebody else': (call) => ({
        ...proper.sign({ ...call, user: { ...identity, role: 'buyer' } }),
        'x-user-role': 'admin',
      }),
      'with an address': () => ({ ...claimed(admin), 'X-Client-Address': '127.0.0.1' }),
      'with a slot': () => ({ ...claimed(admin), 'X-Entry-Slots': `${eventId}=x` }),
    };

    test.each(Object.entries(attempts))('%s give no identity', async (_, headersOf) => {
      for (const [role, path] of [
        ['auth', needsAdmin],
        ['catalog', needsSeller],
      ] as const) {
        for (const door of [doors.gateway, doors[role]]) {
          const headers = headersOf(callTo(role, path));
          expect(refusalOf(await door({ path, headers }))).toBe('401 UNAUTHENTICATED');
        }
      }
    });

    // Without this one, the others could be refused for how they are written.
    test('are believed behind the gateway with a proper signature, and nowhere else', async () => {
      const behind = kind === 'apart' ? '200' : '401 UNAUTHENTICATED';
      const signed = () => ({ path: needsAdmin, headers: proper.sign(callTo('auth', needsAdmin)) });
      expect(refusalOf(await doors.auth(signed()))).toBe(behind);
      expect(refusalOf(await doors.gateway(signed()))).toBe('401 UNAUTHENTICATED');
    });

    test('do not add to what a token says', async () => {
      const call = jsonCall({ path: needsAdmin, token: buyer.accessToken, headers: claimed(admin) });
      expect(refusalOf(await send(call))).toBe('403 FORBIDDEN');
      const me = await send(jsonCall({ path: '/api/auth/me', token: buyer.accessToken, headers: claimed(admin) }));
      expect(JSON.parse(me.text).user.id).toBe(buyer.id);
    });

    test('mean nothing without the gateway, nor does an access token', async () => {
      const behind = kind === 'apart' ? '401 UNAUTHENTICATED' : '200';
      expect(refusalOf(await doors.auth(jsonCall({ path: needsAdmin, token: admin.accessToken })))).toBe(behind);
    });

    test('are not needed to find internal calls: those are not there', async () => {
      const calls = [
        ['auth', '/internal/auth/usersById', { ids: [admin.id] }],
        ['catalog', '/internal/catalog/markSoldOut', { eventId, soldOut: true }],
      ] as const;
      for (const [role, path, body] of calls) {
        for (const door of [doors.gateway, doors[role]]) {
          const signed = madeUp({ role, method: 'POST', path, body: JSON.stringify(body), user: null, slots: [] });
          for (const headers of [{}, signed, claimed(admin)]) {
            expect(refusalOf(await door(jsonCall({ path, body, headers })))).toBe('404 NOT_FOUND');
          }
        }
      }
    });
  });

  describe('a token', () => {
    const claims = { sub: admin.id, email: admin.email, role: 'admin' };
    const accessSecret = testSecrets.URR_ACCESS_TOKEN_SECRET;
    const kindOf = (options: { typ?: string; secret?: string; nowMs?: number }) =>
      createJwtKind({
        typ: options.typ ?? 'at+jwt',
        secrets: [options.secret ?? accessSecret],
        ttlSeconds: 900,
        clock: wallClock(() => options.nowMs ?? Date.now()),
      }).sign(claims).token;
    const [head = '', payload = '', proof = ''] = admin.accessToken.split('.');
    const edited = encode({ ...decode(payload), role: 'admin', sub: admin.id });
    const [buyerHead = '', buyerPayload = '', buyerProof = ''] = buyer.accessToken.split('.');
    const bad: Record<string, string> = {
      'that is none': 'nonsense',
      'that is empty': '',
      'without a signature': `${head}.${payload}.`,
      'in two parts': `${head}.${payload}`,
      'in four parts': `${admin.accessToken}.x`,
      'with another signature': `${head}.${payload}.${proof.startsWith('A') ? 'B' : 'A'}${proof.slice(1)}`,
      'that was edited': `${buyerHead}.${encode({ ...decode(buyerPayload), role: 'admin' })}.${buyerProof}`,
      'of another key': kindOf({ secret: 'another-access-token-secret-0000000000' }),
      'of the entry key': kindOf({ secret: testSecrets.URR_QUEUE_ENTRY_TOKEN_SECRET }),
      'of another kind': kindOf({ typ: 'entry+jwt' }),
      'of no kind': sign({ alg: 'HS256' }, decode(payload), 'sha256'),
      'that has expired': kindOf({ nowMs: Date.now() - 901_000 }),
      'with the algorithm none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${edited}.`,
      'with HS512': sign({ alg: 'HS512', typ: 'at+jwt' }, decode(payload), 'sha512'),
      'with HS256 spelt small': sign({ alg: 'hs256', typ: 'at+jwt' }, decode(payload), 'sha256'),
      'without an end': sign({ alg: 'HS256', typ: 'at+jwt' }, { ...claims, iat: 1 }, 'sha256'),
      'that ends in words': sign({ alg: 'HS256', typ: 'at+jwt' }, { ...claims, iat: 1, exp: 'never' }, 'sha256'),
      'with a role that is none': sign({ alg: 'HS256', typ: 'at+jwt' }, { ...decode(payload), role: 'root' }, 'sha256'),
      'with claims that are no object': `${head}.${Buffer.from('"admin"').toString('base64url')}.${proof}`,
      'that is far too long': `${head}.${'A'.repeat(9_000)}.${proof}`,
      'with a critical extension': sign({ alg: 'HS256', typ: 'at+jwt', crit: ['x'], x: 1 }, decode(payload), 'sha256'),
    };

    test.each(Object.entries(bad))('%s is nobody, by header and by cookie', async (_, token) => {
      for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `urr-access=${token}` }]) {
        expect(refusalOf(await send({ path: '/api/auth/me', headers }))).toBe('401 UNAUTHENTICATED');
        expect(refusalOf(await send({ path: needsSeller, headers }))).toBe('401 UNAUTHENTICATED');
        expect((await send({ path: '/api/events', headers })).status).toBe(200);
      }
      const verified = await send(jsonCall({ path: '/api/auth/verify-token', body: { token: token.slice(0, 4_000) } }));
      expect(JSON.parse(verified.text)).toMatchObject({ valid: false });
    });

    test('that is good is somebody, by header and by cookie', async () => {
      for (const headers of [
        { authorization: `bearer ${admin.accessToken}` },
        { cookie: `urr-access=${admin.accessToken}` },
      ]) {
        expect((await send({ path: needsAdmin, headers })).status).toBe(200);
      }
    });

    test('in the header is not helped out by a good cookie', async () => {
      const headers = { authorization: 'Bearer nonsense', cookie: `urr-access=${admin.accessToken}` };
      expect(refusalOf(await send({ path: needsAdmin, headers }))).toBe('401 UNAUTHENTICATED');
    });

    function sign(header: object, body: object, hash: string): string {
      const signed = `${encode(header)}.${encode(body)}`;
      return `${signed}.${createHmac(hash, accessSecret).update(signed).digest('base64url')}`;
    }
  });

  describe('a role', () => {
    test.each([
      ['buyer', needsSeller],
      ['operator', needsSeller],
      ['buyer', needsAdmin],
      ['seller', needsAdmin],
      ['operator', needsAdmin],
    ] as const)('%s gets nowhere at %s', async (person, path) => {
      expect(refusalOf(await send(jsonCall({ path, token: users[person].accessToken })))).toBe('403 FORBIDDEN');
    });

    test('buyer can change nothing and promote nobody', async () => {
      const token = buyer.accessToken;
      const attempts = [
        jsonCall({ path: '/api/seller/artists', token, body: { name: 'x' } }),
        jsonCall({ method: 'DELETE', path: `/api/seller/events/${draftId}`, token }),
        jsonCall({ method: 'POST', path: `/api/seller/events/${eventId}/publish`, token }),
        jsonCall({ method: 'PUT', path: `/api/admin/users/${buyer.id}/role`, token, body: { role: 'admin' } }),
        jsonCall({ method: 'POST', path: `/api/admin/users/${admin.id}/disable`, token }),
      ];
      for (const attempt of attempts) expect(refusalOf(await send(attempt))).toBe('403 FORBIDDEN');
    });

    test('cannot be asked for when registering', async () => {
      const body = { email: 'climber@stage.test', password: 'long enough', name: 'Climber' };
      for (const extra of [{ role: 'admin' }, { id: admin.id }, { emailVerified: true }]) {
        const answer = await send(jsonCall({ path: '/api/auth/register', body: { ...body, ...extra } }));
        expect(refusalOf(answer)).toBe('400 VALIDATION_FAILED');
      }
    });

    test('seller does not reach into what another seller has', async () => {
      const token = otherSeller.accessToken;
      const mine = JSON.parse(
        (await send(jsonCall({ path: `${needsSeller}/${draftId}`, token: seller.accessToken }))).text,
      );
      const attempts: [ReturnType<typeof jsonCall>, string][] = [
        [jsonCall({ path: `${needsSeller}/${draftId}`, token }), '404 NOT_FOUND'],
        [jsonCall({ method: 'DELETE', path: `${needsSeller}/${draftId}`, token }), '404 NOT_FOUND'],
        [jsonCall({ method: 'POST', path: `${needsSeller}/${draftId}/publish`, token }), '404 NOT_FOUND'],
        [jsonCall({ path: `${needsSeller}/${eventId}/cancel`, token, body: { reason: 'envy' } }), '404 NOT_FOUND'],
        [
          jsonCall({ method: 'PUT', path: `${needsSeller}/${draftId}`, token, body: { title: 'Mine', version: 1 } }),
          '404 NOT_FOUND',
        ],
        [
          jsonCall({
            method: 'PUT',
            path: `/api/seller/artists/${mine.artistId}`,
            token,
            body: { name: 'Mine', version: 1 },
          }),
          '403 FORBIDDEN',
        ],
        [jsonCall({ method: 'DELETE', path: `/api/seller/venues/${mine.venueId}`, token }), '403 FORBIDDEN'],
        [jsonCall({ path: '/api/seller/artists', token, body: { name: 'x', sellerId: seller.id } }), '403 FORBIDDEN'],
      ];
      for (const [attempt, refusal] of attempts) expect(refusalOf(await send(attempt))).toBe(refusal);
      const theirs = await send(jsonCall({ path: `${needsSeller}?sellerId=${seller.id}`, token }));
      expect(JSON.parse(theirs.text).items).toEqual([]);
    });

    test('draft is told to the public like an event that does not exist', async () => {
      expect(refusalOf(await send({ path: `/api/events/${draftId}` }))).toBe('404 NOT_FOUND');
      const listed = JSON.parse((await send({ path: '/api/events?limit=100' })).text);
      expect(listed.items.map((event: { id: string }) => event.id)).not.toContain(draftId);
    });

    test('that was taken away ends sessions at once and cannot administer with the old token', async () => {
      const asAdmin = (path: string, body: unknown) =>
        send(jsonCall({ method: 'PUT', path, token: admin.accessToken, body }));
      expect((await asAdmin(`/api/admin/users/${operator.id}/role`, { role: 'admin' })).status).toBe(200);
      const login = await send(
        jsonCall({ path: '/api/auth/login', body: { email: operator.email, password: stagePassword } }),
      );
      const promoted = JSON.parse(login.text).accessToken as string;
      expect((await asAdmin(`/api/admin/users/${operator.id}/role`, { role: 'buyer' })).status).toBe(200);
      const revenge = jsonCall({ method: 'POST', path: `/api/admin/users/${admin.id}/disable`, token: promoted });
      expect(refusalOf(await send(revenge))).toBe('403 FORBIDDEN');
      const refresh = jsonCall({ path: '/api/auth/refresh', body: { refreshToken: operator.refreshToken } });
      expect(refusalOf(await send(refresh))).toBe('401 REFRESH_INVALID');
      const me = await send(jsonCall({ path: '/api/auth/me', token: promoted }));
      expect(JSON.parse(me.text).user.role).toBe('buyer');
    });
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
}
