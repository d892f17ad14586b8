import { verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTicketCodes } from '../service/ticket-codes.ts';
import { publicKeyOf } from '../service/ticket-keys.ts';
import { aTicketKey } from '../testing/ticket-keys.ts';
import { openOfflineDoor, type VerifySignature } from './offline-door.ts';
import { idBytes } from './ticket-code.ts';

const eventId = '01990000-0001-7000-8000-000000000001';
const codes = createTicketCodes([aTicketKey(1), aTicketKey(2)]);
const stranger = createTicketCodes([aTicketKey(3)]);
const ticketNo = (n: number) => `01990000-0002-7000-8000-${n.toString(16).padStart(12, '0')}`;
const codeOf = (n: number, version = 1, event = eventId) =>
  codes.codeOf({ eventId: event, ticketId: ticketNo(n), version });
const verifyHere: VerifySignature = ({ publicKey, signed, signature }) =>
  verify(null, signed, publicKeyOf(publicKey), signature);

function doorWith(revoked: readonly (readonly [n: number, lowestGood: number])[]) {
  const entries = revoked.map(([n, lowestGood]) =>
    Buffer.concat([idBytes(ticketNo(n)), Buffer.from([lowestGood >> 8, lowestGood & 255])]),
  );
  const list = { count: entries.length, entries: Buffer.concat(entries).toString('base64') };
  return openOfflineDoor({ eventId, keys: codes.publicKeys, revoked: list }, verifyHere);
}

test('a good ticket is let in once', () => {
  const door = doorWith([]);
  expect([door.scan(codeOf(1)), door.scan(codeOf(1))].map(({ verdict }) => verdict)).toEqual(['admitted', 'used']);
});

test('what is revoked is told apart: void, or replaced by a newer version', () => {
  const door = doorWith([
    [2, 65_535],
    [4, 3],
    [6, 40_000],
  ]);
  const verdicts = (n: number, version: number) => door.scan(codeOf(n, version)).verdict;
  expect([verdicts(2, 1), verdicts(2, 9), verdicts(4, 2), verdicts(4, 3)]).toEqual([
    'void',
    'void',
    'replaced',
    'admitted',
  ]);
  expect([verdicts(6, 39_999), verdicts(6, 40_000)]).toEqual(['replaced', 'admitted']);
  expect([1, 3, 5, 7].map((n) => verdicts(n, 1))).toEqual(Array(4).fill('admitted'));
});

test('damaged, forged and foreign codes stay outside', () => {
  const door = doorWith([]);
  const forged = stranger.codeOf({ eventId, ticketId: ticketNo(1), version: 1 });
  const other = codeOf(1, 1, ticketNo(99));
  const turned = `${codeOf(1).slice(0, -4)}AAAA`;
  const verdicts = ['', 'https://example.com', forged, turned, other].map((code) => door.scan(code).verdict);
  expect(verdicts).toEqual(['invalid', 'invalid', 'invalid', 'invalid', 'other_event']);
  expect(door.scan(codeOf(1)).verdict).toBe('admitted');
});
