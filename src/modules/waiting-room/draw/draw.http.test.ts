import { describe, expect, test } from 'vitest';
import { nextHead } from '#edge/draw/draw-log.ts';
import { fromHex, toHex } from '#edge/draw/hash.ts';
import { parseDraw, parseReceipt } from '#edge/draw/parse.ts';
import type { PublishedDraw, Receipt } from '#edge/draw/published.ts';
import { sha256 } from '#edge/draw/sha256.ts';
import { verifyDraw } from '#edge/draw/verify.ts';
import { verifyWithWebCrypto } from '#edge/draw/web-signatures.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { prove } from '../../../../web/src/vwr/proof.ts';
import { aWaitingRoom, type Browser, type TestRoom } from '../testing/a-waiting-room.ts';

const room = await aWaitingRoom();
const minuteMs = 60_000;

/** A room whose line begins in a minute, with a draw until then. */
async function aDraw(of: TestRoom = room, draw: object = { beacon: 'drand' }): Promise<string> {
  const eventId = opensIn(of, minuteMs);
  const answer = await of.act('activate', eventId, { draw });
  expect(answer.statusCode, answer.body).toBe(200);
  return eventId;
}

const opensIn = (of: TestRoom, ms: number) => of.anEvent({ saleOpensAt: new Date(of.clock.now() + ms).toISOString() });

interface Entered {
  readonly requestId: string;
  readonly entry: number;
  readonly position: number | null;
  readonly receipt?: Receipt;
}

async function enter(of: TestRoom, eventId: string, as?: Browser): Promise<Entered> {
  return (await of.assign(eventId, as)) as unknown as Entered;
}

const crowd = (of: TestRoom, eventId: string, size: number) =>
  Promise.all(Array.from({ length: size }, () => enter(of, eventId)));

async function published(of: TestRoom, eventId: string): Promise<PublishedDraw> {
  of.clock.advance(2_000);
  const answer = await of.call('GET', `/vwr/draw/${eventId}`);
  const draw = parseDraw(answer.json());
  if ('wrong' in draw) throw new Error(`${answer.statusCode}: ${draw.wrong}`);
  return draw.value;
}

async function verdictOn(of: TestRoom, draw: PublishedDraw, receipt?: Receipt) {
  const read = receipt === undefined ? undefined : parseReceipt(receipt);
  if (read !== undefined && 'wrong' in read) throw new Error(read.wrong);
  const beaconValue = async (round: number) => {
    const signature = await of.beacon.signatureOf(round);
    return signature === null ? null : toHex(sha256(fromHex(signature)));
  };
  const options = { nowMs: of.clock.now(), isSigned: verifyWithWebCrypto, beaconValue, receipt: read?.value };
  return verifyDraw(draw, options);
}

async function settle(of: TestRoom, ms = 0): Promise<void> {
  of.clock.advance(ms);
  await of.runJob('refresh');
  await of.runJob('draw');
  await of.runJob('refresh');
}

test('from the first entry to the last number: everybody has a receipt, and all of it verifies', async () => {
  const eventId = await aDraw();
  const browser = room.browser();
  const first = await enter(room, eventId, browser);
  expect(first).toMatchObject({ entry: 0, position: null, line: null, ahead: null, estimatedWait: null });
  expect(await enter(room, eventId, browser)).toMatchObject({ requestId: first.requestId, entry: 0 });
  const entered = [first, ...(await crowd(room, eventId, 149))];
  expect(entered.map(({ entry }) => entry).sort((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, i) => i));

  await settle(room);
  const entering = await published(room, eventId);
  expect(await room.status(eventId)).toMatchObject({
    phase: 'prequeue',
    totalInQueue: 150,
    waitingCount: 150,
    draw: { commitment: entering.commitment, head: entering.head, entries: 150, round: null, seed: null },
  });
  expect(await verdictOn(room, entering, first.receipt)).toMatchObject({ outcome: 'open', number: null });
  expect(JSON.stringify(entering)).not.toContain('secret');
  expect((await room.check(eventId, first.requestId)).json()).toMatchObject({ admitted: false, position: null });

  await settle(room, minuteMs);
  const frozen = await published(room, eventId);
  expect(frozen.frozen).toMatchObject({ entries: 150, head: entering.head });
  expect(await room.status(eventId)).toMatchObject({ phase: 'frozen', draw: { round: frozen.frozen?.round } });
  const late = await enter(room, eventId);
  expect(late).toMatchObject({ position: 151, line: 151, entry: null });
  expect(late).not.toHaveProperty('receipt');
  await room.pass(1_000);
  expect((await room.check(eventId, first.requestId)).json()).toMatchObject({ admitted: false, position: null });

  await settle(room, 40_000);
  const drawn = await published(room, eventId);
  const numbers = new Map<number, string>();
  for (const { requestId, entry, receipt } of entered) {
    const verdict = await verdictOn(room, drawn, receipt);
    expect(verdict.outcome).toBe('passed');
    const checked = (await room.check(eventId, requestId)).json();
    expect(checked).toMatchObject({ position: verdict.number, line: verdict.number, entry });
    numbers.set(verdict.number ?? 0, requestId);
  }
  expect([...numbers.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, i) => i + 1));

  expect(await room.status(eventId)).toMatchObject({
    phase: 'open',
    draw: { seed: drawn.revealed?.seed, lineOffset: 0 },
  });
  await room.act('advance', eventId, { batchSize: 10 });
  const served = await Promise.all(
    [1, 10, 11].map(async (number) => (await room.check(eventId, numbers.get(number) ?? '')).json()),
  );
  expect(served.map(({ admitted }) => admitted)).toEqual([true, true, false]);
  expect(room.vwrTokens.verify(served[1].token)).toMatchObject({
    claims: { pos: 10, tier: 1, jti: `${drawn.era}.10` },
  });
});

test.each([0, 1, 2])('a draw of %i entries', async (size) => {
  const eventId = await aDraw();
  const entered = await crowd(room, eventId, size);
  await settle(room, minuteMs);
  await settle(room, 40_000);
  const draw = await published(room, eventId);
  expect(draw.frozen).toMatchObject({ entries: size });
  expect(await verdictOn(room, draw)).toMatchObject({ outcome: 'passed' });
  for (const { receipt } of entered) expect(await verdictOn(room, draw, receipt)).toMatchObject({ outcome: 'passed' });
  expect(await enter(room, eventId)).toMatchObject({ position: size + 1, entry: null });
});

test('a draw of a million entries is published whole, and each number is one look', async () => {
  const eventId = await aDraw();
  const mine = await enter(room, eventId);
  const before = await published(room, eventId);
  let head: Uint8Array = fromHex(before.head);
  const roots = Array.from({ length: 15_625 }, (_, i) => toHex(sha256(Buffer.from(`root ${i}`))));
  const batches = roots.map((root, i) => [1 + 64 * i, i === 15_624 ? 63 : 64, root] as const);
  for (const batch of batches) head = nextHead(head, batch);
  await room.database.query(
    `INSERT INTO waiting_room.draw_batches (event_id, era, index, first, count, root)
     SELECT $1, $2, n, 1 + 64 * (n - 1), CASE n WHEN 15625 THEN 63 ELSE 64 END, decode(root, 'hex')
     FROM unnest($3::text[]) WITH ORDINALITY AS r (root, n)`,
    [eventId, before.era, roots],
  );
  await room.database.query(
    'UPDATE waiting_room.draws SET batches = 15626, entries = 1000000, head = $3 WHERE event_id = $1 AND era = $2',
    [eventId, before.era, Buffer.from(head)],
  );
  await settle(room, minuteMs);
  await settle(room, 40_000);
  const draw = await published(room, eventId);
  expect(draw.frozen?.entries).toBe(1_000_000);
  const verdict = await verdictOn(room, draw, mine.receipt);
  expect(verdict.outcome).toBe('passed');
  expect((await room.check(eventId, mine.requestId)).json()).toMatchObject({ position: verdict.number });
  expect(await enter(room, eventId)).toMatchObject({ position: 1_000_001, line: 1_000_001 });
});

test('two processes that freeze at once, while a crowd still enters, make one N', async () => {
  const { url } = await aDatabase();
  const first = await aWaitingRoom({ databaseUrl: url });
  const { clock, counters, beacon } = first;
  const second = await aWaitingRoom({ databaseUrl: url, clock, beacon, counters: () => counters });
  const eventId = await aDraw(first);
  await second.runJob('refresh');
  const entering = [crowd(first, eventId, 200), crowd(second, eventId, 200)];
  await new Promise(setImmediate);
  clock.advance(minuteMs);
  await Promise.all([first.runJob('draw'), second.runJob('draw'), second.runJob('draw')]);
  const all = (await Promise.all(entering)).flat();
  all.push(...(await crowd(second, eventId, 20)), ...(await crowd(first, eventId, 20)));
  await settle(second, 40_000);
  await first.runJob('refresh');
  const draw = await published(first, eventId);
  const size = draw.frozen?.entries ?? 0;
  const entered = all.filter(({ entry }) => entry !== null);
  expect(entered.map(({ entry }) => entry).sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
  for (const { receipt } of entered) expect(await verdictOn(first, draw, receipt)).toMatchObject({ outcome: 'passed' });
  const positions = await Promise.all(
    all.map(async ({ requestId }) => (await second.check(eventId, requestId)).json().position as number),
  );
  expect(new Set(positions).size).toBe(440);
  const behind = positions.filter((_, i) => all[i]?.entry === null);
  expect(behind.every((position) => position > size)).toBe(true);
});

describe('the beacon', () => {
  test('a round that never appears is passed over by the next, which the verdict points at', async () => {
    const eventId = await aDraw();
    const mine = await enter(room, eventId);
    await settle(room, minuteMs);
    const { round = 0 } = (await published(room, eventId)).frozen ?? {};
    room.beacon.missing.add(round);
    await settle(room, 40_000);
    expect(await room.status(eventId)).toMatchObject({ phase: 'frozen' });
    await settle(room, 30_000);
    const draw = await published(room, eventId);
    expect(draw.revealed?.round).toBe(round + 1);
    const verdict = await verdictOn(room, draw, mine.receipt);
    expect(verdict.outcome).toBe('passed');
    expect(verdict.checks.map(({ id }) => id)).toContain('later-round');
  });

  test('one that cannot be reached for five minutes makes the draw void for ever, and one enters the next', async () => {
    const eventId = await aDraw();
    const browser = room.browser();
    const before = await enter(room, eventId, browser);
    await settle(room, minuteMs);
    const late = await enter(room, eventId);
    room.beacon.isAway = true;
    room.clock.advance(60_000);
    await expect(room.runJob('draw')).rejects.toThrow('nobody answers');
    await settle(room, 300_000);
    room.beacon.isAway = false;
    await settle(room, 1_000);
    const voided = await published(room, eventId);
    expect(voided).toMatchObject({ revealed: null, voids: [{ reason: 'unrevealed', entries: 1, era: voided.era }] });
    expect(await verdictOn(room, voided, before.receipt)).toMatchObject({ outcome: 'failed' });
    for (const { requestId } of [before, late]) expect((await room.check(eventId, requestId)).statusCode).toBe(404);
    const refused = await room.call('POST', `/vwr/assign/${eventId}`, { as: browser, body: {} });
    expect([refused.statusCode, refused.json().code]).toEqual([503, 'DRAW_VOID']);

    const opensAt = new Date(room.clock.now() + minuteMs).toISOString();
    await room.act('schedule', eventId, { opensAt });
    expect((await room.act('activate', eventId, { reset: true, draw: { beacon: 'drand' } })).statusCode).toBe(200);
    const again = await enter(room, eventId, browser);
    expect(again).toMatchObject({ entry: 0 });
    await settle(room, minuteMs);
    await settle(room, 40_000);
    const draw = await published(room, eventId);
    expect(draw.voids).toEqual(voided.voids);
    expect(await verdictOn(room, draw, again.receipt)).toMatchObject({ outcome: 'passed', number: 1 });
    expect((await room.check(eventId, again.requestId)).json()).toMatchObject({ position: 1 });
    await room.act('advance', eventId, { batchSize: 1 });
    expect((await room.check(eventId, again.requestId)).json()).toMatchObject({ admitted: true });
  });

  test('is not asked for a draw that was announced without one, which is drawn at its freeze', async () => {
    const eventId = await aDraw(room, { beacon: 'operator' });
    const mine = await enter(room, eventId);
    const asked = room.beacon.asked.length;
    await settle(room, minuteMs);
    await settle(room);
    expect(room.beacon.asked).toHaveLength(asked);
    const draw = await published(room, eventId);
    const verdict = await verdictOn(room, draw, mine.receipt);
    expect(verdict).toMatchObject({ outcome: 'passed', number: 1 });
    expect(verdict.checks.map(({ id }) => id)).toContain('trusted');
  });
});

describe('an operator', () => {
  test('announces a draw with a new era whose line has yet to begin, or not at all', async () => {
    const open = room.anEvent();
    const draw = { beacon: 'drand' };
    expect((await room.act('activate', open, { draw })).json()).toMatchObject({ code: 'DRAW_NEEDS_OPENING' });
    const eventId = opensIn(room, minuteMs);
    await room.act('activate', eventId);
    expect((await room.act('activate', eventId, { draw })).json()).toMatchObject({ code: 'DRAW_NEEDS_RESET' });
    const reset = (await room.act('activate', eventId, { reset: true, draw })).json();
    expect(reset).toMatchObject({ draw: { stage: 'entering', beacon: 'drand', entries: 0 } });
    const { era, commitment } = await published(room, eventId);
    expect((await room.act('activate', eventId, { draw })).json()).toMatchObject({ era });
    expect(await published(room, eventId)).toMatchObject({ era, commitment });
    const { rows } = await room.database.query<{ after: unknown }>(
      `SELECT after FROM urr.audit_log WHERE subject = $1 AND action = 'waiting-room.reset'`,
      [eventId],
    );
    expect(rows).toMatchObject([{ after: { draw: { commitment } } }]);
  });

  test('who resets after the freeze is listed, before it is not', async () => {
    const eventId = await aDraw();
    const browser = room.browser();
    const before = await enter(room, eventId, browser);
    const reset = () => room.act('activate', eventId, { reset: true, draw: { beacon: 'drand' } });
    await reset();
    expect((await room.check(eventId, before.requestId)).statusCode).toBe(404);
    expect(await enter(room, eventId, browser)).toMatchObject({ entry: 0 });
    expect((await published(room, eventId)).voids).toEqual([]);
    await settle(room, minuteMs);
    const { era } = await published(room, eventId);
    await room.act('schedule', eventId, { opensAt: new Date(room.clock.now() + minuteMs).toISOString() });
    await reset();
    expect((await published(room, eventId)).voids).toMatchObject([{ era, entries: 1, reason: 'reset' }]);
  });

  test('who resets after the reveal is listed, and those numbers are served first', async () => {
    const eventId = await aDraw();
    const mine = await enter(room, eventId);
    await settle(room, minuteMs);
    await settle(room, 40_000);
    await room.act('activate', eventId, { reset: true });
    const next = await enter(room, eventId);
    expect(next).toMatchObject({ position: 1, line: 2, entry: null });
    expect((await room.check(eventId, mine.requestId)).json()).toMatchObject({ position: 1, line: 1, ahead: 0 });
    expect((await published(room, eventId)).voids).toMatchObject([{ entries: 1, reason: 'reset' }]);
  });

  test('who switches the room off before the draw lets everybody on', async () => {
    const eventId = await aDraw();
    const [one, two] = await crowd(room, eventId, 2);
    await room.act('deactivate', eventId);
    for (const entered of [one, two]) {
      const { admitted, token } = (await room.check(eventId, entered?.requestId ?? '')).json();
      expect(admitted).toBe(true);
      expect(room.vwrTokens.verify(token)).toMatchObject({ claims: { pos: (entered?.entry ?? 0) + 1 } });
    }
  });

  test('sees where an entry is', async () => {
    const eventId = await aDraw();
    const { requestId } = await enter(room, eventId);
    const trace = await room.call('GET', `/api/admin/vwr/trace/${requestId}`, { as: room.staff() });
    expect(trace.json()).toMatchObject({ entry: 0, position: null, line: null, state: 'drawing' });
  });
});

test('with one entry per account strangers sign in first, and all browsers of an account have the same entry', async () => {
  const eventId = await aDraw(room, { beacon: 'drand', signInRequired: true });
  const stranger = await room.call('POST', `/vwr/assign/${eventId}`, { body: {} });
  expect([stranger.statusCode, stranger.json().code]).toEqual([401, 'SIGN_IN_REQUIRED']);
  const phone = room.staff('buyer');
  const desktop = { cookies: new Map<string, string>(), accessToken: phone.accessToken };
  const [first, second] = await Promise.all([enter(room, eventId, phone), enter(room, eventId, desktop)]);
  const third = await enter(room, eventId, { ...desktop, cookies: new Map() });
  expect([first.entry, second.entry, third.entry]).toEqual([0, 0, 0]);
  expect(third.requestId).toBe(first.requestId);
  expect(third).not.toHaveProperty('receipt');
  expect(await enter(room, eventId, room.staff('buyer'))).toMatchObject({ entry: 1 });
  const { rows } = await room.database.query<{ row: string }>(
    'SELECT a::text AS row FROM waiting_room.draw_accounts a WHERE event_id = $1',
    [eventId],
  );
  expect(rows).toHaveLength(2);
});

test('where work is asked for, a proof is good for one entry, however many come with it at once', async () => {
  const eventId = await aDraw();
  await room.act('schedule', eventId, { proofDigits: 1 });
  const wish = async (proof?: unknown) =>
    (await room.call('POST', `/vwr/assign/${eventId}`, { body: { ...(proof !== undefined && { proof }) } })).json();
  expect(await wish()).toMatchObject({ code: 'PROOF_REQUIRED' });
  const aProof = async () => prove((await room.call('GET', `/vwr/challenge/${eventId}`)).json());
  const proof = await aProof();
  const answers = await Promise.all([wish(proof), wish(proof), wish(proof)]);
  expect(answers.map(({ code, entry }) => code ?? entry).sort()).toEqual([0, 'PROOF_REFUSED', 'PROOF_REFUSED']);
  expect(await wish(proof)).toMatchObject({ code: 'PROOF_REFUSED' });
  expect(await wish(await aProof())).toMatchObject({ entry: 1 });
});

test('counters that are lost before or after the freeze take nothing from the draw, and no number comes twice', async () => {
  const lossy = await aWaitingRoom();
  const eventId = await aDraw(lossy);
  const entered = await crowd(lossy, eventId, 5);
  lossy.counters.forget();
  await lossy.pass(1_000);
  // The draw has yet to give the places.
  await lossy.act('advance', eventId, { batchSize: 10 });
  entered.push(...(await crowd(lossy, eventId, 5)));
  await settle(lossy, minuteMs);
  const late = [await enter(lossy, eventId)];
  lossy.counters.forget();
  await lossy.pass(1_000);
  late.push(await enter(lossy, eventId));
  await settle(lossy, 40_000);
  const places = await Promise.all(
    [...entered, ...late].map(async ({ requestId }) => (await lossy.check(eventId, requestId)).json()),
  );
  expect(await lossy.status(eventId)).toMatchObject({ draw: { lineOffset: 0 }, waitingCount: 12 });
  const drawn = places.slice(0, 10).map(({ position }) => position);
  expect(drawn.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(late[0]).toMatchObject({ position: 11, line: 11 });
  expect(late[1]?.position).toBeGreaterThan(11);
  expect(places.at(-1)).toMatchObject({ line: 12 });
});

test('an event without a draw has none published', async () => {
  const eventId = await room.aRoom();
  expect((await room.call('GET', `/vwr/draw/${eventId}`)).statusCode).toBe(404);
  expect(await room.status(eventId)).toMatchObject({ draw: null });
});
