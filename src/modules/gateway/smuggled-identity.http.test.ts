import { describe, expect, it } from 'vitest';
import { createInternalSignature, type InternalCallFacts } from '#platform/http/internal-signature.ts';
import { sendBytes } from '#test/kit/raw-http.ts';
import { aClock, internalSecret } from './test/a-gateway.ts';
import { aGatewayTo, aRole } from './test/a-role.ts';

/** Who somebody is, and which slot they hold, is said in headers between two of our processes. These try to say it, too. */
const annsSlot = { eventId: 'e1', slotId: 'j1' };
const ann = { userId: 'ann', email: 'ann@urr.test', role: 'buyer' } as const;

/** Sent as it is: capitals, repetitions and all. */
async function read(url: string, path: string, lines: readonly string[]) {
  const head = [`GET ${path} HTTP/1.1`, 'Host: urr', 'Connection: close', ...lines];
  const answer = await sendBytes(url, `${head.join('\r\n')}\r\n\r\n`);
  return { status: Number(answer.split(' ', 2)[1]), body: answer.slice(answer.indexOf('\r\n\r\n') + 4) };
}

const linesOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

describe('at the gateway, in front of a role that runs elsewhere', () => {
  it.each<[name: string, lines: readonly string[]]>([
    ['as they are', ['x-entry-slots: e2=j2', 'x-user-id: eve']],
    ['in odd case', ['X-ENTRY-SLOTS: e2=j2', 'x-UsEr-Id: eve', 'X-Internal-SIGNATURE: x']],
    ['repeated', ['x-entry-slots: e2=j2', 'X-Entry-Slots: e2=j2', 'x-user-id: eve', 'X-User-Id: eve']],
    ['with spaces around them', ['x-entry-slots:   e2=j2  ', 'x-user-id:\teve\t']],
    ['empty, then full', ['x-entry-slots:', 'x-entry-slots: e2=j2', 'x-user-id:', 'x-user-id: eve']],
    ['with other separators', ['x_entry_slots: e2=j2', 'x_user_id: eve', 'x.entry.slots: e2=j2']],
    ['beside the token of another event', ['x-entry-slots: e2=j2', 'cookie: urr-entry-token-e2=x']],
  ])('headers of the inside %s change nothing', async (_name, lines) => {
    const gateway = await aGatewayTo((await aRole()).url);
    const entryToken = gateway.entryTokens.sign({ sub: 'e1', uid: 'ann', jti: 'j1' }).token;
    const own = [`Authorization: Bearer ${gateway.token('ann')}`, `x-queue-entry-token: ${entryToken}`];
    const seats = await read(gateway.url, '/api/seats/e1', [...lines, ...own, ...lines]);
    expect(JSON.parse(seats.body)).toEqual({ userId: 'ann', entry: annsSlot });
    const others = await read(gateway.url, '/api/seats/e2', [...lines, ...own]);
    expect([others.status, JSON.parse(others.body).code]).toEqual([403, 'ENTRY_TOKEN_REQUIRED']);
    expect((await read(gateway.url, '/api/seats/e2', lines)).status).toBe(401);
  });

  it.each([
    ['a space before the colon', 'X-Entry-Slots : e2=j2'],
    ['a folded line', 'X-A: b\r\n x-entry-slots: e2=j2'],
    ['Connection, to be dropped on the way', 'Connection: x-internal-signature'],
  ])('%s is refused', async (_name, line) => {
    const gateway = await aGatewayTo((await aRole()).url);
    expect((await read(gateway.url, '/api/open', [line])).status).toBe(400);
  });

  it('of two entry tokens in the header none counts', async () => {
    const gateway = await aGatewayTo((await aRole()).url);
    const tokenOf = (eventId: string) =>
      `x-queue-entry-token: ${gateway.entryTokens.sign({ sub: eventId, uid: 'ann', jti: 'j1' }).token}`;
    const own = [`Authorization: Bearer ${gateway.token('ann')}`, tokenOf('e1'), tokenOf('e2')];
    for (const eventId of ['e1', 'e2'])
      expect((await read(gateway.url, `/api/seats/${eventId}`, own)).status).toBe(403);
  });
});

describe('at a role, which anybody inside the network may reach', () => {
  const signature = createInternalSignature({ secrets: [internalSecret], clock: aClock(), roles: [] });
  const signed = (changes: Partial<InternalCallFacts> = {}) =>
    signature.sign({
      ...{ role: 'shop', method: 'GET', path: '/api/seats/e1', body: null, user: ann, slots: [annsSlot] },
      ...changes,
    });

  it('a signed slot opens its event, in whatever case its headers are written', async () => {
    const { url } = await aRole();
    for (const write of [(name: string) => name, (name: string) => name.toUpperCase()]) {
      const lines = Object.entries(signed()).map(([name, value]) => `${write(name)}: ${value}`);
      expect(JSON.parse((await read(url, '/api/seats/e1', lines)).body)).toEqual({ userId: 'ann', entry: annsSlot });
    }
  });

  it('a signed call without a slot, or with one of another event, is told where to get one', async () => {
    const { url, app } = await aRole();
    const refusal = { code: 'ENTRY_TOKEN_REQUIRED', redirectTo: '/queue/e1' };
    for (const slots of [[], [{ eventId: 'e2', slotId: 'j1' }], [{ eventId: 'e1=j1,e2', slotId: 'j1' }]]) {
      const seats = await read(url, '/api/seats/e1', linesOf(signed({ slots })));
      expect([seats.status, JSON.parse(seats.body)]).toMatchObject([403, refusal]);
      const body = JSON.stringify({ eventId: 'e1' });
      const call = { method: 'POST', url: '/api/holds', payload: body } as const;
      const headers = signed({ method: call.method, path: call.url, body, slots });
      const hold = await app.inject({ ...call, headers: { ...headers, 'content-type': 'application/json' } });
      expect([hold.statusCode, hold.json()]).toMatchObject([403, refusal]);
    }
  });

  it.each<[name: string, lines: (headers: Record<string, string>) => readonly string[]]>([
    ['a second slot', (headers) => [...linesOf(headers), 'x-entry-slots: e2=j2']],
    ['the same slot again', (headers) => [...linesOf(headers), `X-Entry-Slots: ${headers['x-entry-slots']}`]],
    ['another user', (headers) => ['x-user-id: eve', ...linesOf(headers)]],
    [
      'the signature again',
      (headers) => [...linesOf(headers), `x-internal-signature: ${headers['x-internal-signature']}`],
    ],
    ['no signature', ({ 'x-internal-signature': _, ...headers }) => linesOf(headers)],
    ['no slots', ({ 'x-entry-slots': _, ...headers }) => linesOf(headers)],
  ])('with %s a signed call is nobody’s', async (_name, lines) => {
    const { url } = await aRole();
    expect((await read(url, '/api/seats/e1', lines(signed()))).status).toBe(401);
  });
});
