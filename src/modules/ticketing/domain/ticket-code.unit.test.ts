import fc from 'fast-check';
import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { createTicketCodes } from '../service/ticket-codes.ts';
import { aTicketKey } from '../testing/ticket-keys.ts';
import { formatCode, keyIdOf, parseCode, signedPartOf } from './ticket-code.ts';

const id = fc.uuid();
const version = fc.integer({ min: 1, max: 65_534 });
const kid = keyIdOf(Buffer.alloc(32, 1));

test('a code says what went in, whatever that was', () => {
  fc.assert(
    fc.property(
      id,
      id,
      version,
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      (eventId, ticketId, version, bytes) => {
        const claims = { kid, eventId, ticketId, version };
        const signed = signedPartOf(claims);
        const read = parseCode(formatCode(signed, Buffer.from(bytes)));
        expect(read).toEqual({ claims, signed, signature: Buffer.from(bytes) });
      },
    ),
  );
});

const ticket = {
  eventId: '01990000-0001-7000-8000-000000000001',
  ticketId: '01990000-0002-7000-8000-000000000002',
  version: 3,
};
const codes = createTicketCodes([aTicketKey(1)]);
const code = codes.codeOf(ticket);

test('a code fits a QR code of 49 modules a side', () => {
  expect(code).toHaveLength(144);
  expect(encode(code, { ecc: 'M', border: 0 }).size).toBe(49);
});

test.each([
  ['nothing', ''],
  ['another prefix', code.replace('urr1.', 'urr2.')],
  ['no prefix', code.slice(5)],
  ['one character less', code.slice(0, -1)],
  ['one character more', `${code}A`],
  ['half of it', code.slice(0, 70)],
  ['padding', `${code}=`],
  ['a space within', `${code.slice(0, 40)} ${code.slice(40)}`],
  ['the other alphabet', `urr1.${Buffer.from(code.slice(5), 'base64url').toString('base64')}`],
  ['the same bytes in another spelling', respelt(code)],
  ['version 0', formatCode(signedPartOf({ ...ticket, kid, version: 0 }), Buffer.alloc(64))],
  ['the version that stands for none', formatCode(signedPartOf({ ...ticket, kid, version: 65_535 }), Buffer.alloc(64))],
])('%s is no code', (_what, text) => {
  expect(parseCode(text)).toBeNull();
});

test('a line end that a scanner adds is passed over', async () => {
  expect(await codes.read(` ${code}\r\n`)).toMatchObject(ticket);
});

test('no single changed character passes', async () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let at = 5; at < code.length; at++) {
    const other = alphabet[(alphabet.indexOf(code[at] ?? '') + 1) % 64];
    expect([at, await codes.read(`${code.slice(0, at)}${other}${code.slice(at + 1)}`)]).toEqual([at, null]);
  }
});

/** 104 bytes are 138⅔ characters: the last one holds two bits that say nothing. */
function respelt(text: string): string {
  const last = text.slice(-1);
  const other = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].find(
    (letter) => letter !== last && decodes(text.slice(0, -1) + letter, text),
  );
  if (other === undefined) throw new Error('there is no other spelling');
  return text.slice(0, -1) + other;
}

function decodes(one: string, other: string): boolean {
  return Buffer.from(one.slice(5), 'base64url').equals(Buffer.from(other.slice(5), 'base64url'));
}
