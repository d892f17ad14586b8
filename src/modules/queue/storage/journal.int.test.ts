import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { generalLane, type PlaceOrder, packPlaceOrder, presaleLane, spentPlace } from '../domain/place-order.ts';
import type { BeginCall, Slot, StoreChange } from '../ports.ts';
import { aJournal } from '../testing/a-journal.ts';

const { database, journal } = await aJournal();

const orderOf = (number: number, era = 0): PlaceOrder => packPlaceOrder({ lane: generalLane, era, number });
const endsAtMs = Date.parse('2027-03-01T11:10:00.123Z');
const aSlot = (number: number, era = 0) => ({
  slotId: `slot-${era}-${number}`,
  userId: randomUUID(),
  order: orderOf(number, era),
  endsAtMs,
});
const spent = (order: PlaceOrder): StoreChange => ({ kind: 'spent', order });

function isSpent({ spent: chunks }: Pick<BeginCall, 'spent'>, order: PlaceOrder): boolean {
  const { era, chunk, offset } = spentPlace(order);
  const bits = chunks.find((each) => each.era === era && each.chunk === chunk)?.bits;
  return bits !== undefined && ((bits[offset >> 3] ?? 0) & (0x80 >> (offset & 7))) !== 0;
}

const noRoom = { room: { on: false, era: 0, version: 0 } };

async function anEvent(): Promise<string> {
  const eventId = randomUUID();
  await journal.open(eventId);
  await journal.markBegun(eventId, { epoch: 1, identity: 'server' });
  return eventId;
}

async function write(eventId: string, from: number, changes: StoreChange[], epoch = 1) {
  return journal.write(eventId, { epoch, from, changes, crowd: null });
}

test('of many processes that open a new event at once, one makes it', async () => {
  const eventId = randomUUID();
  const heads = await Promise.all(Array.from({ length: 8 }, () => journal.open(eventId)));
  expect(heads.filter(({ mine }) => mine)).toHaveLength(1);
  expect(heads.every(({ epoch, era, begun, leased }) => epoch === 1 && era === 0 && !begun && leased)).toBe(true);
});

test('of many processes that raise the epoch at once, one wins, and the era rises with it', async () => {
  const eventId = await anEvent();
  const raised = await Promise.all(Array.from({ length: 8 }, () => journal.raiseEpoch(eventId, 1)));
  expect(raised.filter((head) => head !== null)).toEqual([expect.objectContaining({ epoch: 2, era: 1, begun: false })]);
});

test('an epoch that somebody is beginning is not raised until the lease is over or given up', async () => {
  const eventId = await anEvent();
  await journal.raiseEpoch(eventId, 1);
  expect(await journal.raiseEpoch(eventId, 2)).toBeNull();
  await journal.giveUpLease(eventId, 2);
  expect((await journal.raiseEpoch(eventId, 2))?.epoch).toBe(3);
  await database.query(`UPDATE queue.events SET lease_until = urr.now() - interval '1 ms' WHERE event_id = $1`, [
    eventId,
  ]);
  expect((await journal.raiseEpoch(eventId, 3))?.epoch).toBe(4);
});

test('slots and spent places come back as they were written', async () => {
  const eventId = await anEvent();
  const [first, second] = [aSlot(1), aSlot(2 ** 20 + 7)];
  const presale = packPlaceOrder({ lane: presaleLane, era: 3, number: 8_191 });
  await write(eventId, 0, [
    { kind: 'slot', slot: first, claimed: true },
    spent(first.order),
    { kind: 'slot', slot: second, claimed: true },
    spent(second.order),
    spent(presale),
    spent(orderOf(8_192)),
    { kind: 'slot-ended', userId: first.userId, slotId: first.slotId },
  ]);
  const loaded = await journal.load(eventId);
  expect(loaded.slots).toEqual([{ ...second, claimed: true }]);
  expect(loaded.watermark).toBe(second.order);
  for (const order of [first.order, second.order, presale, orderOf(8_192)]) expect(isSpent(loaded, order)).toBe(true);
  for (const order of [orderOf(2), orderOf(8_191), orderOf(8_193), orderOf(2 ** 20 + 6)]) {
    expect(isSpent(loaded, order)).toBe(false);
  }
  expect(loaded.spent.every(({ bits }) => bits.length === 2 ** 17)).toBe(true);
});

test('changes that arrive again, or late from a slower process, change nothing', async () => {
  const eventId = await anEvent();
  const slot = aSlot(5);
  const all: StoreChange[] = [
    { kind: 'slot', slot, claimed: true },
    spent(slot.order),
    { kind: 'unspent', order: slot.order },
    { kind: 'slot-ended', userId: slot.userId, slotId: slot.slotId },
    spent(slot.order),
  ];
  await write(eventId, 0, all);
  // The process that read only the first three stalled, and writes them after all five were written.
  expect(await write(eventId, 0, all.slice(0, 3))).toBe('written');
  const loaded = await journal.load(eventId);
  expect(loaded.slots).toEqual([]);
  expect(isSpent(loaded, slot.order)).toBe(true);
});

test('a batch that overlaps what is written is applied from where it goes on', async () => {
  const eventId = await anEvent();
  await write(eventId, 0, [spent(orderOf(1)), spent(orderOf(2))]);
  await write(eventId, 1, [spent(orderOf(2)), { kind: 'unspent', order: orderOf(1) }]);
  const loaded = await journal.load(eventId);
  expect([1, 2].map((number) => isSpent(loaded, orderOf(number)))).toEqual([false, true]);
});

test('nothing of an epoch that is over is written', async () => {
  const eventId = await anEvent();
  await journal.raiseEpoch(eventId, 1);
  expect(await write(eventId, 0, [spent(orderOf(1))], 1)).toBe('stale');
  expect(isSpent(await journal.load(eventId), orderOf(1))).toBe(false);
});

test('slots that ended before their time are denied again after a loss, until they would have ended', async () => {
  const eventId = await anEvent();
  const [early, over, live] = [aSlot(1), { ...aSlot(2), endsAtMs: Date.now() - 1_000 }, aSlot(3)];
  await write(eventId, 0, [
    ...[early, over, live].map((slot): StoreChange => ({ kind: 'slot', slot, claimed: true })),
    ...[early, over].map(({ userId, slotId }): StoreChange => ({ kind: 'slot-ended', userId, slotId })),
  ]);
  const { slots, denied } = await journal.load(eventId);
  expect(slots).toEqual([{ ...live, claimed: true }]);
  expect(denied).toEqual([{ slotId: early.slotId, untilMs: early.endsAtMs }]);
});

test('a claim is kept, in whichever order the news of the slot arrive, and is no news of one that ended', async () => {
  const eventId = await anEvent();
  const [early, late, sleeper, ended] = [aSlot(1), aSlot(2), aSlot(3), aSlot(4)];
  const slotChange = (slot: Slot, claimed: boolean): StoreChange => ({ kind: 'slot', slot, claimed });
  await write(eventId, 0, [
    ...[early, late, sleeper, ended].map((slot) => slotChange(slot, false)),
    slotChange(early, true),
    { kind: 'slot-ended', userId: ended.userId, slotId: ended.slotId },
  ]);
  const claimedNow = async () => (await journal.load(eventId)).slots.map(({ claimed }) => claimed);
  expect(await claimedNow()).toEqual([true, false, false]);
  await write(eventId, 6, [slotChange(late, true)]);
  expect(await claimedNow()).toEqual([true, true, false]);
  await write(eventId, 7, [slotChange(ended, true), slotChange(sleeper, true), slotChange(sleeper, false)]);
  expect(await claimedNow()).toEqual([true, true, true]);
});

test('when the eras are used up, numbers leave a gap instead', async () => {
  const eventId = await anEvent();
  await database.query('UPDATE queue.events SET era = 511 WHERE event_id = $1', [eventId]);
  await write(eventId, 0, [spent(orderOf(700, 511)), spent(orderOf(900, 4))]);
  expect(await journal.raiseEpoch(eventId, 1)).toMatchObject({ era: 511 });
  expect((await journal.load(eventId)).sequence).toBe(700 + 2 ** 24);
});

test('each switch of the room takes an era of its own, and a loss goes behind all of them', async () => {
  const eventId = randomUUID();
  expect(await journal.switchRoom(eventId, { on: false })).toMatchObject({ status: 'kept', era: 0 });
  const { rows } = await database.query('SELECT FROM queue.events WHERE event_id = $1', [eventId]);
  expect(rows).toEqual([]);
  const room = (on: boolean, era: number, version: number) => ({ on, era, version });
  const eight = Array.from({ length: 8 }, () => journal.switchRoom(eventId, { on: true }));
  const switched = (await Promise.all(eight)).filter(({ status }) => status === 'switched');
  expect(switched).toEqual([{ status: 'switched', era: 0, room: room(true, 1, 1) }]);
  await journal.markBegun(eventId, { epoch: 1, identity: 'server' });
  await write(eventId, 0, [spent(orderOf(40, 0)), spent(orderOf(9, 1))]);
  expect(await journal.load(eventId)).toMatchObject({ era: 0, sequence: 40, room: room(true, 1, 1) });
  expect(await journal.switchRoom(eventId, { on: false })).toMatchObject({ era: 2, room: room(false, 1, 2) });
  expect(await journal.load(eventId)).toMatchObject({ era: 2, sequence: 0, room: room(false, 1, 2) });
  expect(await journal.switchRoom(eventId, { on: true })).toMatchObject({ era: 2, room: room(true, 3, 3) });
  expect(await journal.raiseEpoch(eventId, 1)).toMatchObject({ era: 4 });
  expect((await journal.settingsOf([eventId])).get(eventId)).toMatchObject({ era: 4, room: room(true, 3, 3) });
  // Of a later switch that the store knows it learns, of an earlier one nothing.
  await journal.adoptRoom(eventId, { era: 6, room: room(false, 5, 4) });
  await journal.adoptRoom(eventId, { era: 7, room: room(true, 6, 3) });
  expect((await journal.settingsOf([eventId])).get(eventId)).toMatchObject({ era: 6, room: room(false, 5, 4) });
});

test('the operator sets some settings and the others stay open', async () => {
  const eventId = await anEvent();
  await journal.saveSettings(eventId, { paused: true, message: '잠시만요' });
  expect((await journal.load(eventId)).settings).toEqual({
    threshold: null,
    paused: true,
    closed: false,
    message: '잠시만요',
  });
  await journal.saveSettings(eventId, { threshold: 0, message: null });
  const settings = await journal.settingsOf([eventId, randomUUID()]);
  const saved = { threshold: 0, paused: true, closed: false, message: null, version: 2, era: 0, ...noRoom };
  expect([...settings]).toEqual([[eventId, saved]]);
});

test('slots are forgotten some minutes after their end and not before', async () => {
  const eventId = await anEvent();
  const old = { ...aSlot(1), endsAtMs: Date.now() - 11 * 60_000 };
  const fresh = { ...aSlot(2), endsAtMs: Date.now() - 9 * 60_000 };
  await write(
    eventId,
    0,
    [old, fresh].map((slot) => ({ kind: 'slot', slot, claimed: true })),
  );
  await journal.prune();
  expect((await journal.load(eventId)).slots).toEqual([{ ...fresh, claimed: true }]);
});

test('that a place was given back is known until it is spent, and then by its slot until that is claimed or over', async () => {
  const eventId = await anEvent();
  const returned = async () => (await journal.load(eventId)).returned;
  const first = aSlot(1);
  const second = { ...first, slotId: 'the second' };
  const ended = ({ userId, slotId }: Slot): StoreChange => ({ kind: 'slot-ended', userId, slotId });
  const changes: [StoreChange, PlaceOrder[]][] = [
    [{ kind: 'slot', slot: first, claimed: false }, []],
    [spent(first.order), []],
    // Cut here, the slot is live again: nothing was given back.
    [{ kind: 'unspent', order: first.order }, []],
    [ended(first), [first.order]],
    [{ kind: 'slot', slot: second, claimed: false }, [first.order]],
    [spent(first.order), [first.order]],
    [ended(second), []],
  ];
  for (const [position, [change, known]] of changes.entries()) {
    await write(eventId, position, [change]);
    expect([position, await returned()]).toEqual([position, known]);
  }

  // However it is cut into batches, it comes to the same.
  for (const cut of changes.keys()) {
    const other = await anEvent();
    const all = changes.map(([change]) => change);
    await write(other, 0, all.slice(0, cut));
    await write(other, cut, all.slice(cut, 6));
    expect([cut, (await journal.load(other)).returned]).toEqual([cut, [first.order]]);
    await write(other, 6, [{ kind: 'slot', slot: second, claimed: true }]);
    expect([cut, (await journal.load(other)).returned]).toEqual([cut, []]);
  }
});

test('a place that was given back and then given up is known no more', async () => {
  const eventId = await anEvent();
  await write(eventId, 0, [spent(orderOf(1)), { kind: 'unspent', order: orderOf(1) }]);
  expect((await journal.load(eventId)).returned).toEqual([orderOf(1)]);
  await write(eventId, 2, [spent(orderOf(1))]);
  expect((await journal.load(eventId)).returned).toEqual([]);
});

test('it names the server of an event, those before it, and whether anybody has heard of it lately', async () => {
  const eventId = randomUUID();
  await journal.open(eventId);
  await journal.markBegun(eventId, { epoch: 1, identity: 'first' });
  // Also before any process has said that it answers: the one that began there had an answer just now.
  expect(await journal.open(eventId)).toMatchObject({ superseded: [], served: true });
  await database.query(`UPDATE queue.servers SET seen_at = urr.now() - interval '1 minute' WHERE identity = 'first'`);
  const head = { epoch: 1, begun: true, identity: 'first', hasLate: false };
  expect(await journal.confirm({ eventIds: [eventId, randomUUID()], servers: [] })).toEqual(new Map([[eventId, head]]));
  expect(await journal.open(eventId)).toMatchObject({ superseded: [], served: false });
  await journal.confirm({ eventIds: [], servers: ['first', 'another'] });
  expect(await journal.open(eventId)).toMatchObject({ served: true });
  // Of an epoch that is over it says nothing.
  await journal.markBegun(eventId, { epoch: 7, identity: 'not begun' });
  const { rows } = await database.query("SELECT FROM queue.servers WHERE identity = 'not begun'");
  expect(rows).toEqual([]);
  for (const identity of ['first', 'second', 'third', 'first'])
    await journal.markBegun(eventId, { epoch: 1, identity });
  expect(await journal.open(eventId)).toMatchObject({ identity: 'first', superseded: ['third', 'second'] });
});

test('the server whose state it takes over counts as heard of', async () => {
  const eventId = await anEvent();
  const lists = { slots: [], denied: [], returned: [], spent: [] };
  const dump = { status: 'ok', epoch: 2, era: 1, sequence: 0, watermark: 0, from: 0, ...noRoom, ...lists } as const;
  expect(await journal.adopt(eventId, dump, 'its server')).toBe('adopted');
  expect(await journal.open(eventId)).toMatchObject({ identity: 'its server', superseded: ['server'], served: true });
});

test('what comes late waits in its order until it is forgotten', async () => {
  const eventId = randomUUID();
  await journal.open(eventId);
  const changes = [3, 1, 2].map((order) => ({ kind: 'spent', order }) as const);
  await journal.noteLate(eventId, changes);
  expect((await journal.confirm({ eventIds: [eventId], servers: [] })).get(eventId)).toMatchObject({ hasLate: true });
  const [first, ...others] = await journal.readLate(eventId, 10);
  expect([first, ...others].map((each) => each?.change)).toEqual(changes);
  await journal.forgetLate([first?.id ?? 0]);
  expect(await journal.readLate(eventId, 10)).toEqual(others);
});

test('changes after a gap, or of an epoch that it does not know yet, are not written', async () => {
  const eventId = randomUUID();
  const batch = { epoch: 1, from: 0, changes: [{ kind: 'spent', order: 5 }], crowd: null } as const;
  expect(await journal.write(eventId, batch)).toBe('behind');
  await journal.open(eventId);
  expect(await journal.write(eventId, { ...batch, from: 1 })).toBe('behind');
  expect(await journal.write(eventId, { ...batch, epoch: 2 })).toBe('behind');
  expect(await journal.write(eventId, batch)).toBe('written');
  expect(await journal.write(eventId, { ...batch, from: 1 })).toBe('written');
});
