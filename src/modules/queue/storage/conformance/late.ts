import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import type { LateChange, Slot } from '../../ports.ts';
import { aBegin, ids, present, type QueueLine, type StoreKit, startMs } from './harness.ts';

const fiveSlots = { settings: { threshold: 5, paused: false, closed: false, message: null } };
const general = (number: number, era = 1) => packPlaceOrder({ lane: 1, era, number });

/** An event that was lost and brought back with nothing in the journal: epoch 2, whose numbers are of era 2. */
export function lateTests(kit: StoreKit): void {
  const open = (threshold: number) => kit.open({ epoch: 2, era: 2, threshold });

  function aSlot(line: QueueLine, name: string, number: number, endsAtMs = startMs + 600_000): Slot {
    return {
      slotId: `${line.eventId}.${general(number)}.${startMs - 1}`,
      userId: line.user(name),
      order: general(number),
      endsAtMs,
    };
  }

  async function merge(line: QueueLine, changes: LateChange[], epoch = 2): Promise<boolean> {
    const { store, eventId } = line;
    return present(await store.merge({ eventId, epoch, changes, nowMs: line.now() })).merged;
  }

  const given = (slot: Slot, claimed = true): LateChange => ({ kind: 'slot', slot, claimed });
  const ended = ({ userId, slotId }: Slot): LateChange => ({ kind: 'slot-ended', userId, slotId });

  describe('what happened in a lost epoch and is told late', () => {
    it('gives a slot back to anyone who has come back to its place meanwhile, and tells the journal', async () => {
      const line = await open(5);
      const slot = aSlot(line, 'ann', 1);
      await line.configure({ paused: true });
      await line.look('ann', { ticketOrder: slot.order });
      await line.enter('ben');
      expect(await merge(line, [given(slot)])).toBe(true);
      expect(await line.trace('ann')).toMatchObject({ place: 'active', slot: { ...slot, claimed: true } });
      expect(await line.trace('ben')).toMatchObject({ place: 'waiting', position: 1 });
      expect((await line.changes()).changes).toEqual([given(slot), { kind: 'spent', order: slot.order }]);
      expect(await line.snapshot()).toMatchObject({ waiting: 1, active: 1, watermark: slot.order });
      expect(await line.store.activeEvents()).toContain(line.eventId);
    });

    it('may be told twice, and by several processes', async () => {
      const line = await open(5);
      const slot = aSlot(line, 'ann', 1);
      for (const claimed of [false, true, false]) await merge(line, [given(slot, claimed)]);
      expect(await line.trace('ann')).toMatchObject({ slot: { ...slot, claimed: true } });
      expect((await line.changes()).changes).toEqual([
        given(slot, false),
        { kind: 'spent', order: slot.order },
        given(slot, true),
      ]);
    });

    it('gives no third chance to a place that was given back once, unless it was claimed', async () => {
      const line = await kit.open({ epoch: 2, era: 2, threshold: 5, returned: [general(1), general(2)] });
      await merge(line, [given(aSlot(line, 'ann', 1), false), given(aSlot(line, 'ben', 2), true)]);
      expect(await line.trace('ann')).toMatchObject({ place: 'active', returned: true });
      expect(await line.trace('ben')).toMatchObject({ place: 'active', returned: false });
      await line.pass(120_000);
      expect(await line.admit()).toMatchObject({ returned: 0, dropped: 1, active: 1 });
      expect(await line.look('ann', { ticketOrder: general(1) })).toMatchObject({ status: 'none', spent: true });
    });

    it('gives no slot that the journal knew and that is over', async () => {
      const line = await open(5);
      const slot = await line.wantSlot('ann');
      await line.leave('ann');
      await merge(line, [given(slot)]);
      expect(await line.trace('ann')).toMatchObject({ place: 'none' });
    });

    it('gives an unclaimed slot the whole time to be claimed', async () => {
      const line = await open(5);
      await merge(line, [given(aSlot(line, 'ann', 1), false)]);
      await line.pass(119_000);
      expect(await line.trace('ann')).toMatchObject({ place: 'active' });
      await line.pass(2_000);
      await line.admit({ admitMax: 0 });
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', order: general(1), returned: true });
    });

    it('never gives more slots than there is room for: the place stays, the id is denied', async () => {
      const line = await open(1);
      await line.wantSlot('ben');
      const slot = aSlot(line, 'ann', 1);
      await merge(line, [given(slot)]);
      await merge(line, [given(slot)]);
      expect(await line.snapshot()).toMatchObject({
        active: 1,
        waiting: 1,
        denied: [{ slotId: slot.slotId, untilMs: slot.endsAtMs }],
      });
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', order: slot.order });
      await line.leave('ben');
      // There is room now, but the token of the old slot is denied already.
      await merge(line, [given(slot)]);
      expect(await line.admitted()).toEqual(['ann']);
    });

    it('ends a place that was given up, no matter who came back to it', async () => {
      const line = await open(0);
      await line.look('ann', { ticketOrder: general(1) });
      await merge(line, [{ kind: 'spent', order: general(1) }]);
      expect(await line.look('ann', { ticketOrder: general(1) })).toMatchObject({ status: 'none', spent: true });
      expect((await line.changes()).changes).toEqual([{ kind: 'spent', order: general(1) }]);
    });

    it('ends a slot that was given up, in whichever order it is told', async () => {
      const line = await open(5);
      const [ann, ben] = [aSlot(line, 'ann', 1), aSlot(line, 'ben', 2)];
      const leaving = (slot: Slot): LateChange[] => [given(slot), { kind: 'spent', order: slot.order }, ended(slot)];
      await merge(line, [given(ann)]);
      await merge(line, leaving(ann));
      await merge(line, leaving(ben));
      await merge(line, [given(ben)]);
      for (const name of ['ann', 'ben']) expect(await line.trace(name)).toMatchObject({ place: 'none' });
      const { active, denied } = await line.snapshot();
      expect(active).toBe(0);
      expect(denied.map(({ slotId }) => slotId).sort()).toEqual([ann.slotId, ben.slotId].sort());
    });

    it('leaves anyone who has another slot by now with that one', async () => {
      const line = await open(5);
      const newer = await line.wantSlot('ann');
      const older = aSlot(line, 'ann', 1);
      await merge(line, [given(older)]);
      expect(await line.trace('ann')).toMatchObject({ slot: { slotId: newer.slotId } });
      expect(await line.snapshot()).toMatchObject({ active: 1, denied: [{ slotId: older.slotId }] });
      await line.leave('ann');
      expect(await line.look('ann', { ticketOrder: older.order })).toMatchObject({ status: 'none', spent: true });
    });

    it.each([true, false])('leaves a slot that is over out of account, claimed or not (%s)', async (claimed) => {
      const line = await open(5);
      const over = aSlot(line, 'ann', 1, startMs + 30_000);
      const late = aSlot(line, 'ann', 2);
      const place: LateChange = { kind: 'place', userId: line.user('ben'), order: general(4) };
      const overToo = aSlot(line, 'ben', 3, startMs + 30_000);
      const slots = [over, overToo].map((slot) => ({ ...slot, claimed }));
      await line.store.begin(aBegin(line.eventId, { ...fiveSlots, epoch: 3, era: 3, slots }));
      line.wait(30_000);
      // No admission step has dropped them yet.
      await merge(line, [given(late), place], 3);
      expect(await line.trace('ann')).toMatchObject({ place: 'active', slot: { ...late, claimed: true } });
      // Who never claimed the slot still has its place, which is the earlier one.
      expect(await line.trace('ben')).toMatchObject({ place: 'waiting', order: general(claimed ? 4 : 3) });
      expect(await line.snapshot()).toMatchObject({ active: 1, waiting: 1, denied: [] });
      expect((await line.changes()).changes).toContainEqual(ended(over));
      await line.leave('ann');
      for (const { order } of [over, late])
        expect(await line.look('ann', { ticketOrder: order })).toMatchObject({ status: 'none', spent: true });
    });

    it('gives a place back to anyone who never heard of it, unless it is over, held, or its user is elsewhere', async () => {
      const line = await open(0);
      const place = (name: string, number: number): LateChange => ({
        kind: 'place',
        userId: line.user(name),
        order: general(number),
      });
      const elsewhere = await line.wantPlace('ben');
      await line.look('cat', { ticketOrder: general(3) });
      await merge(line, [{ kind: 'spent', order: general(4) }]);
      const late = [place('ann', 1), place('ben', 2), place('dan', 3), place('eve', 4)];
      for (const _ of ['once', 'twice']) await merge(line, late);
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', order: general(1), position: 1 });
      expect(await line.trace('ben')).toMatchObject({ order: elsewhere });
      for (const name of ['dan', 'eve']) expect(await line.trace(name)).toMatchObject({ place: 'none' });
    });

    it('leaves one user one place: the slot ends a newer place', async () => {
      const line = await open(5);
      await line.configure({ paused: true });
      const newer = await line.wantPlace('ann');
      await merge(line, [given(aSlot(line, 'ann', 1))]);
      expect(await line.trace('ann')).toMatchObject({ place: 'active', order: general(1) });
      expect(await line.snapshot()).toMatchObject({ waiting: 0, active: 1 });
      await line.leave('ann');
      expect(await line.look('ann', { ticketOrder: newer })).toMatchObject({ status: 'none', spent: true });
    });

    it('ends the place of a slot whose time is over, unless nobody had claimed it', async () => {
      const line = await open(0);
      const [used, missed] = [aSlot(line, 'ann', 1, startMs), aSlot(line, 'ben', 2, startMs)];
      await merge(line, [given(used, true), given(missed, false)]);
      expect(await line.look('ann', { ticketOrder: used.order })).toMatchObject({ status: 'none', spent: true });
      expect(await line.look('ben', { ticketOrder: missed.order })).toMatchObject({ status: 'waiting' });
    });

    it('is for the epoch that is there, and for no other', async () => {
      const line = await open(5);
      const slot = aSlot(line, 'ann', 1);
      for (const epoch of [1, 3]) expect(await merge(line, [given(slot)], epoch)).toBe(false);
      expect(await line.trace('ann')).toMatchObject({ place: 'none' });
      const lost = { eventId: ids.next(), epoch: 1, changes: [given(slot)] };
      expect(await line.store.merge(lost)).toEqual({ status: 'lost' });
    });
  });

  describe('slots that ended early, after a loss', () => {
    it('are denied again until they would have ended', async () => {
      const line = await kit.open();
      const denied = Array.from({ length: 1_100 }, (_, n) => ({ slotId: `slot-${n}`, untilMs: startMs + 1_000 + n }));
      await line.store.begin(aBegin(line.eventId, { epoch: 2, era: 2, denied }));
      expect((await line.snapshot()).denied).toEqual(denied);
      line.wait(1_500);
      expect((await line.snapshot()).denied).toHaveLength(599);
    });
  });

  describe('a slot that ends before anybody claimed it', () => {
    it.each(['asks', 'is admitted past'] as const)('gives its place back once to a user who %s', async (what) => {
      const line = await open(1);
      const slot = aSlot(line, 'ann', 1, startMs + 30_000);
      await line.store.begin(aBegin(line.eventId, { epoch: 3, era: 3, slots: [{ ...slot, claimed: false }] }));
      line.wait(30_000);
      expect(await line.trace('ann')).toMatchObject({ place: 'none', order: slot.order, slot: null });
      if (what === 'asks') expect(await line.look('ann')).toMatchObject({ status: 'waiting', order: slot.order });
      else expect(await line.admit({ admitMax: 0 })).toMatchObject({ returned: 1, ended: 0 });
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', order: slot.order, returned: true });
      expect((await line.changes()).changes.slice(1)).toEqual([{ kind: 'unspent', order: slot.order }, ended(slot)]);
      expect((await line.snapshot()).totals.noShows).toBe(1);
    });

    it('ends for good the second time', async () => {
      const line = await open(1);
      const slot = aSlot(line, 'ann', 1, startMs + 30_000);
      await line.store.begin(aBegin(line.eventId, { epoch: 3, era: 3, slots: [{ ...slot, claimed: false }] }));
      line.wait(30_000);
      await line.configure({ threshold: 1 });
      const [again] = (await line.admit({ activeTtlMs: 20_000 })).admitted;
      expect(again?.order).toBe(slot.order);
      line.wait(20_000);
      expect(await line.trace('ann')).toMatchObject({ place: 'none', order: null });
      expect(await line.look('ann', { ticketOrder: slot.order })).toMatchObject({ status: 'none', spent: true });
    });
  });
}
