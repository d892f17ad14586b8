import { describe, expect, it } from 'vitest';
import { createInternalSignature, stripInternalHeaders } from './internal-signature.ts';

const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
const secret = 'internal-secret-0123456789-0123456789-a';
const signature = createInternalSignature({ secrets: [secret], clock });
const ann = { userId: 'u1', email: '공연@urr.test', role: 'buyer' } as const;
const call = { method: 'GET', path: '/api/mine?x=1' };
const signed = () => signature.sign({ ...call, user: ann, entry: ['e1', 'e2'], address: '203.0.113.9' });

describe('the internal signature', () => {
  it('carries who is calling, whatever letters the address has', () => {
    expect(signature.verify({ ...call, headers: signed() })).toEqual({
      user: ann,
      entry: ['e1', 'e2'],
      address: '203.0.113.9',
    });
    const anonymous = signature.sign({ ...call, user: null, entry: [], address: null });
    expect(signature.verify({ ...call, headers: anonymous })).toEqual({ user: null, entry: [], address: null });
  });

  it('does not cover another method, path, user, role, entry or address', () => {
    const headers = signed();
    expect(signature.verify({ ...call, method: 'POST', headers })).toBeNull();
    expect(signature.verify({ ...call, path: '/api/mine?x=2', headers })).toBeNull();
    for (const change of [
      { 'x-user-id': 'u2' },
      { 'x-user-role': 'admin' },
      { 'x-user-email': 'x' },
      { 'x-entry-events': 'e1,e2,e3' },
      { 'x-client-address': '203.0.113.10' },
    ]) {
      expect(signature.verify({ ...call, headers: { ...headers, ...change } })).toBeNull();
    }
  });

  it('cannot be moved in time, and ends after a minute', () => {
    const headers = signed();
    const [time, mac] = (headers['x-internal-signature'] ?? '').split('.');
    const moved = { ...headers, 'x-internal-signature': `${Number(time) + 1}.${mac}` };
    expect(signature.verify({ ...call, headers: moved })).toBeNull();
    clock.ms += 60_000;
    expect(signature.verify({ ...call, headers })).not.toBeNull();
    clock.ms += 1;
    expect(signature.verify({ ...call, headers })).toBeNull();
  });

  it('of another secret counts only while that one is listed', () => {
    const other = 'internal-secret-0123456789-0123456789-b';
    const rotated = createInternalSignature({ secrets: [other, secret], clock });
    expect(rotated.verify({ ...call, headers: signed() })).not.toBeNull();
    const byOther = rotated.sign({ ...call, user: ann, entry: [], address: null });
    expect(signature.verify({ ...call, headers: byOther })).toBeNull();
  });

  it.each(['', '.', 'x', 'NaN.x', '1800000000000', '.AAAA'])('%j is none', (value) => {
    expect(signature.verify({ ...call, headers: { ...signed(), 'x-internal-signature': value } })).toBeNull();
  });

  it('and all it signs is stripped from what comes from outside', () => {
    const headers = { ...signed(), accept: '*/*' };
    stripInternalHeaders(headers);
    expect(headers).toEqual({ accept: '*/*' });
  });
});
