import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseCode } from '../domain/ticket-code.ts';
import { aTicketKey } from '../testing/ticket-keys.ts';
import { createTicketCodes } from './ticket-codes.ts';

const ticket = {
  eventId: '01990000-0001-7000-8000-000000000001',
  ticketId: '01990000-0002-7000-8000-000000000002',
  version: 1,
};
const old = aTicketKey(1);
const next = aTicketKey(2);

test('keys are rotated without a ticket that is refused', async () => {
  const steps = [[old], [old, next], [next, old]].map(createTicketCodes);
  for (const [n, earlier] of steps.entries()) {
    const later = steps[n + 1];
    if (later === undefined) continue;
    // Processes of two steps run side by side: each reads what the other signs.
    expect(await later.read(earlier.codeOf(ticket))).toMatchObject(ticket);
    expect(await earlier.read(later.codeOf(ticket))).toMatchObject(ticket);
  }
  const done = createTicketCodes([next]);
  expect(await done.read(createTicketCodes([old]).codeOf(ticket))).toBeNull();
});

test('the first key signs', () => {
  const kidOf = (code: string) => parseCode(code)?.claims.kid;
  expect(kidOf(createTicketCodes([next, old]).codeOf(ticket))).toBe(next.kid);
  expect(kidOf(createTicketCodes([old, next]).codeOf(ticket))).toBe(old.kid);
  expect(old.kid).not.toBe(next.kid);
});

test('a signature of another key under the name of ours is refused', async () => {
  const forger = createTicketCodes([{ kid: old.kid, seed: next.seed }]);
  expect(await createTicketCodes([old]).read(forger.codeOf(ticket))).toBeNull();
});

test('a public key is the 32 bytes of RFC 8032, which any library takes', () => {
  const codes = createTicketCodes([old]);
  const x = codes.publicKeys[0]?.publicKey ?? '';
  expect(Buffer.from(x, 'base64url')).toHaveLength(32);
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const code = parseCode(codes.codeOf(ticket));
  expect(code !== null && verify(null, code.signed, key, code.signature)).toBe(true);
});
