import { randomUUID, verify } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { type DoorBundle, openOfflineDoor } from '../contract.ts';
import { publicKeyOf } from '../service/ticket-keys.ts';
import { cancel } from '../storage/transitions.ts';
import { aDoor } from '../testing/a-door.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aTicketKey } from '../testing/ticket-keys.ts';

const database = await aTicketingDatabase();
const sale = await aSale(database, { seats: 40, priceKrw: 0, ticketTypes: [{ capacity: 10, priceKrw: 0 }] });
const { eventId } = sale;
const ticketKeys = [aTicketKey(1), aTicketKey(2)];
const door = aDoor(database, { ticketKeys });
const seller = door.person('seller', sale.sellerId);
const otherSeller = door.person('seller');
const operator = door.person('operator');
const buyer = door.person('buyer');
let nextSeat = 0;

async function aTicket() {
  const [ticket] = await door.tickets(sale, { seatNos: [nextSeat++] });
  if (ticket === undefined) throw new Error('no ticket was issued');
  return ticket;
}
const scan = (body: object, as = seller) => door.call('POST', '/api/check-in', { as, body });
const bundle = async (as = seller) => door.call('GET', `/api/check-in/events/${eventId}/bundle`, { as });
const verifyHere: Parameters<typeof openOfflineDoor>[1] = ({ publicKey, signed, signature }) =>
  verify(null, signed, publicKeyOf(publicKey), signature);

afterAll(async () => {
  await checkLedger(database);
});

test('the seller of the event and operators let people in, by seat and by area', async () => {
  const { code, ticketId } = await aTicket();
  const answer = await scan({ code, gate: '북문' });
  expect([answer.statusCode, answer.json()]).toMatchObject([
    200,
    { ticketId, eventId, seatId: 'A-1-1', areaId: null, gate: '북문', reservationNumber: expect.any(String) },
  ]);
  const [standing] = await door.tickets(sale, { places: [1] });
  const second = await scan({ code: standing?.code, eventId }, operator);
  expect([second.statusCode, second.json()]).toMatchObject([200, { seatId: null, areaId: 'Z1', gate: null }]);
});

test('a second scan is refused with when and where the first was', async () => {
  const { code } = await aTicket();
  const first = (await scan({ code, gate: 'North' })).json();
  const second = await scan({ code, gate: 'South' }, operator);
  expect([second.statusCode, second.json()]).toMatchObject([
    409,
    { code: 'TICKET_NOT_VALID', reason: 'used', checkedInAt: first.checkedInAt, gate: 'North' },
  ]);
  expect(second.json().detail).toContain('box office');
});

test('buyers have nothing to do with doors, and another seller learns nothing', async () => {
  const { code, ticketId } = await aTicket();
  expect((await scan({ code }, buyer)).statusCode).toBe(403);
  expect((await door.call('POST', '/api/check-in', { body: { code } })).statusCode).toBe(401);
  const blind = await scan({ code }, otherSeller);
  expect([blind.statusCode, blind.json().reason]).toEqual([409, 'other_event']);
  expect(blind.body).not.toContain(ticketId);
  const scans = [{ scanId: randomUUID(), code, scannedAt: new Date().toISOString() }];
  for (const [method, path, body] of [
    ['POST', '/api/check-in', { code, eventId }],
    ['GET', `/api/check-in/events/${eventId}/bundle`, undefined],
    ['POST', `/api/check-in/events/${eventId}/sync`, { scans }],
  ] as const) {
    const answer = await door.call(method, path, { as: otherSeller, ...(body && { body }) });
    expect([path, answer.statusCode]).toEqual([path, 404]);
  }
  expect((await scan({ code })).statusCode).toBe(200);
});

test('a ticket of another event, void, sold on or listed is refused, and each refusal says what to do', async () => {
  const other = await aSale(database, { priceKrw: 0 });
  const [elsewhere] = await door.tickets(other, { seatNos: [0] });
  const [voided, soldOn, listed] = [await aTicket(), await aTicket(), await aTicket()];
  const cancellation = {
    cancellationId: randomUUID(),
    userId: null,
    ticketIds: null,
    reason: 'staff',
    seed: 1,
  } as const;
  await cancel(database, { reservationId: voided.reservationId, ...cancellation });
  await database.query('UPDATE ticketing.tickets SET version = 2 WHERE id = $1', [soldOn.ticketId]);
  await database.query(`UPDATE ticketing.tickets SET state = 'listed' WHERE id = $1`, [listed.ticketId]);
  const unknown = door.codes.codeOf({ eventId, ticketId: randomUUID(), version: 1 });
  const codes = {
    other_event: elsewhere?.code,
    void: voided.code,
    replaced: soldOn.code,
    listed: listed.code,
    unknown,
  };
  for (const [reason, code] of Object.entries(codes)) {
    const answer = await scan({ code, eventId }, operator);
    expect([reason, answer.statusCode, answer.json()]).toMatchObject([
      reason,
      409,
      { code: 'TICKET_NOT_VALID', reason, detail: expect.stringMatching(/Send|Ask/) },
    ]);
  }
  // As they were, for the ledger, which knows nothing of what was done by hand here.
  await database.query(`UPDATE ticketing.tickets SET version = 1, state = 'issued' WHERE id = ANY ($1::uuid[])`, [
    [soldOn.ticketId, listed.ticketId],
  ]);
});

test('forged, truncated and foreign codes are invalid; a rotated key is not', async () => {
  const { code, ticketId } = await aTicket();
  const claims = { eventId, ticketId, version: 1 };
  const foreign = aDoor(database, { ticketKeys: [aTicketKey(9)] }).codes.codeOf(claims);
  const forged = aDoor(database, { ticketKeys: [{ ...aTicketKey(9), kid: aTicketKey(1).kid }] }).codes.codeOf(claims);
  for (const bad of [foreign, forged, code.slice(0, -3), code.toLowerCase(), 'x', 'https://example.com/t/1']) {
    const answer = await scan({ code: bad });
    expect([bad, answer.statusCode, answer.json().code]).toEqual([bad, 400, 'CODE_INVALID']);
  }
  const old = aDoor(database, { ticketKeys: [aTicketKey(2)] }).codes.codeOf(claims);
  expect((await scan({ code: old })).statusCode).toBe(200);
});

test('a scanner without a network decides by the bundle alone, and what it did is sent later', async () => {
  const [good, voided] = [await aTicket(), await aTicket()];
  const cancellation = {
    cancellationId: randomUUID(),
    userId: null,
    ticketIds: null,
    reason: 'staff',
    seed: 1,
  } as const;
  await cancel(database, { reservationId: voided.reservationId, ...cancellation });
  const answer = await bundle();
  const document = answer.json<DoorBundle & { title: string; madeAt: string }>();
  expect(document).toMatchObject({ eventId, title: '먼 데서 온 바람', keys: [{}, {}] });
  const offline = openOfflineDoor(document, verifyHere);
  const verdicts = [good.code, good.code, voided.code].map((code) => offline.scan(code).verdict);
  expect(verdicts).toEqual(['admitted', 'used', 'void']);

  const scans = [{ scanId: randomUUID(), code: good.code, gate: 'North', scannedAt: new Date().toISOString() }];
  const send = () => door.call('POST', `/api/check-in/events/${eventId}/sync`, { as: seller, body: { scans } });
  const [first, again] = [(await send()).json(), (await send()).json()];
  expect(first.results).toMatchObject([
    { verdict: 'admitted', ticketId: good.ticketId, conflict: false, gate: 'North' },
  ]);
  expect(again).toEqual(first);
});

test('500 scans fit in one body, 501 do not, and times that are none do no harm', async () => {
  const { code } = await aTicket();
  const gate = '가'.repeat(40);
  const scanOf = (scannedAt: string) => ({ scanId: randomUUID(), code, gate, scannedAt });
  const send = (scans: object[]) =>
    door.call('POST', `/api/check-in/events/${eventId}/sync`, { as: seller, body: { scans } });
  const many = Array.from({ length: 500 }, () => scanOf(new Date().toISOString()));
  const answer = await send(many);
  expect([answer.statusCode, answer.json().results.length]).toEqual([200, 500]);
  expect((await send([...many, scanOf(new Date().toISOString())])).statusCode).toBe(400);
  for (const odd of [
    '9999-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '2026-06-30T23:59:60Z',
    '1970-01-01T00:00:00+14:00',
  ]) {
    expect([odd, (await send([scanOf(odd)])).statusCode]).toEqual([odd, 200]);
  }
  expect((await send([scanOf('yesterday')])).statusCode).toBe(400);
});

test('50,000 revoked tickets are one exact bundle, which a scanner can use', async () => {
  const big = await aSale(database, { seats: 0, ticketTypes: [{ capacity: 1, priceKrw: 0 }], priceKrw: 0 });
  const [ticket] = await door.tickets(big, { places: [1] });
  const [type] = big.ticketTypes;
  const client = { eventId: big.eventId, reservationId: ticket?.reservationId, typeId: type?.ticketTypeId };
  await database.query(
    `INSERT INTO ticketing.tickets (id, event_id, reservation_id, owner_id, ticket_type_id, area_id, price_krw, fee_krw, state, version,
       issued_at, voided_at)
     SELECT md5('revoked ' || n)::uuid, $1, $2, $1, $3, 'Z1', 0, 0, CASE WHEN n % 2 = 0 THEN 'void' ELSE 'issued' END, 40000 + n % 7,
       urr.now(), CASE WHEN n % 2 = 0 THEN urr.now() END
     FROM generate_series(1, 50000) AS n`,
    [client.eventId, client.reservationId, client.typeId],
  );
  const answer = await door.call('GET', `/api/check-in/events/${big.eventId}/bundle`, { as: operator });
  const document = answer.json<DoorBundle>();
  expect(document.revoked.count).toBe(50_000);
  expect(answer.body.length).toBeLessThan(50_000 * 24 + 2_000);
  const offline = openOfflineDoor(document, verifyHere);
  const { rows } = await database.query<{ id: string; state: string; version: number }>(
    'SELECT id, state, version FROM ticketing.tickets WHERE event_id = $1 AND version > 1 ORDER BY random() LIMIT 200',
    [big.eventId],
  );
  for (const { id: ticketId, state, version } of rows) {
    const codeOf = (v: number) => door.codes.codeOf({ eventId: big.eventId, ticketId, version: v });
    const verdicts = [offline.scan(codeOf(version - 1)).verdict, offline.scan(codeOf(version)).verdict];
    expect([ticketId, ...verdicts]).toEqual([
      ticketId,
      ...(state === 'void' ? ['void', 'void'] : ['replaced', 'admitted']),
    ]);
  }
  expect(offline.scan(ticket?.code ?? '').verdict).toBe('admitted');
  await database.query('DELETE FROM ticketing.tickets WHERE event_id = $1 AND version > 1', [big.eventId]);
});
