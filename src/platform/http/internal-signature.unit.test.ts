import { describe, expect, it } from 'vitest';
import { createInternalSignature, type InternalCallFacts, stripInternalHeaders } from './internal-signature.ts';
import { missesBody, provesBody } from './signed-body.ts';

const clock = { ms: 1_800_000_000_000, now: () => clock.ms, monotonicMs: () => clock.ms };
const secret = 'internal-secret-0123456789-0123456789-a';
const signature = createInternalSignature({ secrets: [secret], clock, roles: ['seats'] });
const ann = { userId: 'u1', email: '공연@urr.test', role: 'buyer' } as const;
const call = { method: 'GET', url: '/api/mine?x=1' };
const nobody = { role: 'seats', method: 'GET', path: call.url, body: null, user: null, slots: [] } as const;
const sign = (facts: Partial<InternalCallFacts> = {}) => signature.sign({ ...nobody, ...facts });
/** Whatever the ids are made of, two slots stay two. */
const annsSlots = [
  { eventId: 'e1', slotId: 'e1.7.1800000000000' },
  { eventId: 'e,2=', slotId: '공연,e3=x' },
];
const signed = () => sign({ user: ann, slots: annsSlots, address: '203.0.113.9' });

describe('the internal signature', () => {
  it('carries who is calling, whatever letters the address has', () => {
    expect(signature.verify({ ...call, headers: signed() })).toEqual({
      user: ann,
      slots: annsSlots,
      address: '203.0.113.9',
    });
    expect(signature.verify({ ...call, headers: sign() })).toEqual({ user: null, slots: [], address: null });
  });

  it('does not cover another method, path, user, role, slot or address', () => {
    const headers = signed();
    expect(signature.verify({ ...call, method: 'POST', headers })).toBeNull();
    expect(signature.verify({ ...call, url: '/api/mine?x=2', headers })).toBeNull();
    for (const change of [
      { 'x-user-id': 'u2' },
      { 'x-user-role': 'admin' },
      { 'x-user-email': 'x' },
      { 'x-entry-slots': `${headers['x-entry-slots']},e3=x` },
      { 'x-entry-slots': headers['x-entry-slots']?.replace('e1=', 'e3=') },
      { 'x-entry-slots': undefined },
      { 'x-client-address': '203.0.113.10' },
    ]) {
      expect(signature.verify({ ...call, headers: { ...headers, ...change } })).toBeNull();
    }
  });

  it('cannot be moved in time, and ends after fifteen seconds', () => {
    const [early, late] = [signed(), signed()];
    const [time, ...rest] = (early['x-internal-signature'] ?? '').split('.');
    const moved = { ...early, 'x-internal-signature': [Number(time) + 1, ...rest].join('.') };
    expect(signature.verify({ ...call, headers: moved })).toBeNull();
    clock.ms += 15_000;
    expect(signature.verify({ ...call, headers: early })).not.toBeNull();
    clock.ms += 1;
    expect(signature.verify({ ...call, headers: late })).toBeNull();
  });

  it('is good for one use', () => {
    const headers = signed();
    expect(signature.verify({ ...call, headers })).not.toBeNull();
    expect(signature.verify({ ...call, headers })).toBeNull();
    clock.ms += 14_999;
    expect(signature.verify({ ...call, headers })).toBeNull();
    // The same call made again is another one.
    expect(signature.verify({ ...call, headers: signed() })).not.toBeNull();
  });

  it('of a refused call is not used up by it', () => {
    const headers = signed();
    expect(signature.verify({ ...call, headers: { ...headers, 'x-user-role': 'admin' } })).toBeNull();
    expect(signature.verify({ ...call, headers })).not.toBeNull();
  });

  it('opens the role that it was made for, and no other', () => {
    const other = createInternalSignature({ secrets: [secret], clock, roles: ['auth', 'catalog'] });
    const headers = signed();
    expect(other.verify({ ...call, headers })).toBeNull();
    const renamed = { 'x-internal-signature': (headers['x-internal-signature'] ?? '').replace('seats', 'auth') };
    expect(other.verify({ ...call, headers: { ...headers, ...renamed } })).toBeNull();
    expect(other.verify({ ...call, headers: sign({ role: 'catalog' }) })).not.toBeNull();
    expect(signature.verify({ ...call, headers })).not.toBeNull();
  });

  it('holds the call to its body', () => {
    const post = (body: string | null) => {
      const request = { ...call, method: 'POST', headers: sign({ method: 'POST', body }) };
      expect(signature.verify(request)).not.toBeNull();
      return request;
    };
    const text = '{"seat":"공연"}';
    const good = post(text);
    // Until it has been compared, it is missing.
    expect(missesBody(good)).toBe(true);
    expect(provesBody(good, Buffer.from(text))).toBe(true);
    expect(missesBody(good)).toBe(false);
    expect(provesBody(post(text), Buffer.from('{"seat":"공연 "}'))).toBe(false);
    expect(provesBody(post(text), Buffer.alloc(0))).toBe(false);
    expect(provesBody(post(null), Buffer.from(text))).toBe(false);
    expect(provesBody(post(null), Buffer.alloc(0))).toBe(true);
    expect(missesBody(post(null))).toBe(false);
    const headers = sign({ method: 'POST', body: text });
    const swapped = (headers['x-internal-signature'] ?? '').split('.').with(3, '').join('.');
    const without = { ...headers, 'x-internal-signature': swapped };
    expect(signature.verify({ ...call, method: 'POST', headers: without })).toBeNull();
  });

  it('of another secret counts only while that one is listed', () => {
    const other = 'internal-secret-0123456789-0123456789-b';
    const rotated = createInternalSignature({ secrets: [other, secret], clock, roles: ['seats'] });
    expect(rotated.verify({ ...call, headers: signed() })).not.toBeNull();
    expect(signature.verify({ ...call, headers: rotated.sign({ ...nobody, user: ann }) })).toBeNull();
  });

  it.each(['', '.', 'x', 'NaN.x', '1800000000000', '.AAAA', '....', '1800000000000.n.seats..', '1.2.3.4.5.6'])(
    '%j is none',
    (value) => {
      expect(signature.verify({ ...call, headers: { ...signed(), 'x-internal-signature': value } })).toBeNull();
    },
  );

  it('and all it signs is stripped from what comes from outside', () => {
    const headers = { ...signed(), accept: '*/*' };
    stripInternalHeaders(headers);
    expect(headers).toEqual({ accept: '*/*' });
  });
});
