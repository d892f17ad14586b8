import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import type { QueueStore } from '../../ports.ts';
import { aBegin, ids, type StoreKit, startMs } from './harness.ts';

const general = (number: number, era = 1) => packPlaceOrder({ lane: 1, era, number });

export function lossTests(kit: StoreKit): void {
  describe('an event without state', () => {
    it('is lost to every call that needs it', async () => {
      const eventId = ids.next();
      for (const call of callsThatNeedState(kit.store(), eventId)) expect(await call).toEqual({ status: 'lost' });
      await kit.store().acknowledge({ eventId, epoch: 1, upTo: 1 });
      await kit.store().hold({ eventId, forMs: 1_000, nowMs: startMs });
      await kit.store().endRecovery({ eventId, epoch: 1 });
      expect(await kit.store().snapshot({ eventId, nowMs: startMs })).toEqual({ status: 'lost' });
    });

    it('begins once for each epoch', async () => {
      const eventId = ids.next();
      const store = kit.store();
      expect(await store.begin(aBegin(eventId, { epoch: 2 }))).toEqual({ begun: true });
      expect(await store.begin(aBegin(eventId, { epoch: 2 }))).toEqual({ begun: false });
      expect(await store.begin(aBegin(eventId, { epoch: 1 }))).toEqual({ begun: false });
    });

    it('begins once when many try at the same time', async () => {
      const eventId = ids.next();
      const results = await Promise.all(Array.from({ length: 8 }, () => kit.store().begin(aBegin(eventId))));
      expect(results.filter(({ begun }) => begun)).toHaveLength(1);
    });
  });

  describe('beginning from the journal', () => {
    it('brings slots back, claimed or not, with their old ids and ends', async () => {
      const line = await kit.open();
      const slot = { slotId: 'slot of ann', userId: line.user('ann'), order: general(1), endsAtMs: startMs + 9_000 };
      const other = { slotId: 'slot of ben', userId: line.user('ben'), order: general(2), endsAtMs: startMs + 8_000 };
      const slots = [
        { ...slot, claimed: true },
        { ...other, claimed: false },
      ];
      await line.store.begin(aBegin(line.eventId, { epoch: 2, era: 2, slots }));
      for (const [index, name] of ['ann', 'ben'].entries()) {
        expect(await line.trace(name)).toMatchObject({ place: 'active', slot: slots[index], seenAtMs: startMs });
      }
      expect(await line.enter('ann')).toEqual({ status: 'active', slot, epoch: 2, fresh: false });
      expect(await line.store.activeEvents()).toContain(line.eventId);
      line.wait(9_000);
      // Nobody could use the unclaimed one, so its place is not over with it.
      expect(await line.admit()).toMatchObject({ ended: 1, returned: 1, active: 0 });
      expect(await line.trace('ben')).toMatchObject({ place: 'waiting', order: general(2) });
    });

    it('gives an unclaimed slot the whole time to be claimed, then its place comes back; a claimed one stays', async () => {
      const line = await kit.open();
      const slots = ['ann', 'ben', 'cat'].map((name, index) => ({
        slotId: `slot-of-${name}`,
        userId: line.user(name),
        order: general(index + 1),
        endsAtMs: startMs + 600_000,
        claimed: name === 'ann',
      }));
      await line.store.begin(aBegin(line.eventId, { epoch: 2, era: 2, slots }));
      const last = await line.wantPlace('dan');
      await line.pass(119_000);
      // Came in time.
      await line.look('cat');
      expect(await line.snapshot()).toMatchObject({ active: 3, waiting: 1 });
      line.wait(1_000);
      expect(await line.admit()).toMatchObject({ returned: 1, dropped: 0, ended: 0, active: 2 });
      expect(await line.trace('ben')).toMatchObject({ place: 'waiting', order: general(2), position: 1, slot: null });
      expect(await line.trace('dan')).toMatchObject({ order: last, position: 2 });
      for (const name of ['ann', 'cat']) expect(await line.trace(name)).toMatchObject({ slot: { claimed: true } });
      const told = (await line.changes()).changes.slice(3);
      expect(told).toMatchObject([{ kind: 'slot' }, { kind: 'unspent', order: general(2) }, { kind: 'slot-ended' }]);
      await line.pass(400_000);
      for (const name of ['ann', 'cat']) expect(await line.trace(name)).toMatchObject({ place: 'active' });
    });

    it('counts slots that came back against the threshold', async () => {
      const eventId = ids.next();
      const slots = [1, 2, 3].map((number) => ({
        slotId: `slot ${number}`,
        userId: ids.next(),
        order: general(number),
        endsAtMs: startMs + number * 10_000,
        claimed: true,
      }));
      const line = await kit.open({ eventId, threshold: 2, slots, era: 2 });
      await line.enter('ann');
      expect(await line.admit()).toMatchObject({ active: 3, admitted: [] });
      line.wait(20_000);
      await line.touch('ann');
      expect(await line.admit()).toMatchObject({ active: 2, ended: 2 });
    });

    it('knows every spent place again', async () => {
      const bits = Buffer.alloc(3);
      // Numbers 1, 8 and 23 of chunk 0: the most significant bit comes first.
      bits[0] = 0b0100_0000;
      bits[1] = 0b1000_0000;
      bits[2] = 0b0000_0001;
      const far = Buffer.from([0b0010_0000]);
      const spent = [
        { era: 1, chunk: 0, bits },
        { era: 3, chunk: 2, bits: far },
      ];
      const line = await kit.open({ era: 4, epoch: 5, spent });
      const over = [general(1), general(8), general(23), general(2 * 2 ** 20 + 2, 3)];
      for (const ticketOrder of over) {
        expect(await line.look('ann', { ticketOrder })).toEqual({ status: 'none', spent: true, epoch: 5 });
      }
      for (const ticketOrder of [general(2), general(7), general(22), general(24), general(1, 3), general(1, 4)]) {
        expect(await line.look(`holder of ${ticketOrder}`, { ticketOrder })).toMatchObject({ order: ticketOrder });
      }
    });

    it('marks the place of a slot spent where the journal was cut before the mark', async () => {
      const line = await kit.open();
      const slot = {
        slotId: 'cut',
        userId: line.user('ann'),
        order: general(5),
        endsAtMs: startMs + 9_000,
        claimed: true,
      };
      await line.store.begin(aBegin(line.eventId, { epoch: 2, era: 2, slots: [slot] }));
      expect(await line.changes()).toEqual({
        status: 'ok',
        epoch: 2,
        from: 0,
        backlog: 1,
        changes: [{ kind: 'spent', order: general(5) }],
      });
      line.wait(9_000);
      expect(await line.look('ann', { ticketOrder: general(5) })).toMatchObject({ status: 'none', spent: true });
    });

    it('knows which places were given back once: not claimed again, they are over', async () => {
      const line = await kit.open();
      const slot = (name: string, number: number, claimed: boolean) => ({
        slotId: `slot-of-${name}`,
        userId: line.user(name),
        order: general(number),
        endsAtMs: startMs + 600_000,
        claimed,
      });
      const slots = [slot('ann', 1, false), slot('ben', 2, false), slot('cat', 3, true)];
      const returned = [general(1), general(4)];
      const settings = { threshold: 4, paused: false, closed: false, message: null };
      await line.store.begin(aBegin(line.eventId, { epoch: 2, era: 2, slots, returned, settings, recoveringMs: 1 }));
      // His place was given back, and he comes back to it by his ticket.
      await line.look('dan', { ticketOrder: general(4) });
      expect(await line.trace('ann')).toMatchObject({ place: 'active', returned: true });
      expect(await line.trace('ben')).toMatchObject({ place: 'active', returned: false });
      expect(await line.trace('dan')).toMatchObject({ place: 'waiting', returned: true });
      line.wait(1);
      expect(await line.admitted()).toEqual(['dan']);
      await line.pass(120_000);
      expect(await line.admit({ admitMax: 0 })).toMatchObject({ returned: 1, dropped: 2, waiting: 1 });
      expect(await line.trace('ben')).toMatchObject({ place: 'waiting', order: general(2), returned: true });
      for (const [name, number] of [['ann', 1] as const, ['dan', 4] as const]) {
        expect(await line.look(name, { ticketOrder: general(number) })).toMatchObject({ status: 'none', spent: true });
      }
    });

    it('goes on with the sequence and keeps the watermark', async () => {
      const line = await kit.open({ sequence: 41, watermark: general(40) });
      expect(await line.wantPlace('ann')).toBe(general(42));
      expect(await line.snapshot()).toMatchObject({ watermark: general(40) });
    });

    it('leaves nothing of the epoch before: people come back by their tickets', async () => {
      const line = await kit.open();
      const order = await line.wantPlace('ann');
      await line.enter('ben');
      await line.leave('ben');
      await line.store.hold({ eventId: line.eventId, forMs: 60_000, nowMs: line.now() });
      expect(await line.store.begin(aBegin(line.eventId, { epoch: 2, era: 2 }))).toEqual({ begun: true });
      expect(await line.snapshot()).toMatchObject({ epoch: 2, waiting: 0, totals: { joined: 0, left: 0 } });
      expect(await line.changes()).toMatchObject({ epoch: 2, from: 0, backlog: 0 });
      // The spent mark of ben never reached the journal, so his ticket is good: missing state never ends a place.
      expect(await line.look('ben', { ticketOrder: general(2) })).toMatchObject({ status: 'waiting' });
      expect(await line.look('ann', { ticketOrder: order })).toMatchObject({ order, position: 1, epoch: 2 });
      await line.configure({ threshold: 1 });
      expect(await line.admitted()).toEqual(['ann']);
    });
  });

  describe('a store that lost everything', () => {
    it('says so for every event, and begins again with the next epoch', async () => {
      const line = await kit.open({ threshold: 1 });
      const slot = await line.wantSlot('ann');
      const order = await line.wantPlace('ben');
      await kit.wipe();
      for (const call of callsThatNeedState(line.store, line.eventId)) expect(await call).toEqual({ status: 'lost' });
      expect(await line.store.activeEvents()).not.toContain(line.eventId);
      const begin = { epoch: 2, era: 2, slots: [{ ...slot, claimed: true }], recoveringMs: 75_000 };
      await line.store.begin(
        aBegin(line.eventId, { ...begin, settings: { threshold: 1, paused: false, closed: false, message: null } }),
      );
      expect(await line.look('ann', { ticketOrder: slot.order })).toEqual({
        status: 'active',
        slot,
        epoch: 2,
        fresh: false,
      });
      expect(await line.wantPlace('cat')).toBe(general(1, 2));
      expect(await line.look('ben', { ticketOrder: order })).toMatchObject({ order, position: 1, epoch: 2 });
      expect(await line.leave('ann')).toBe('slot');
      expect(await line.look('ann', { ticketOrder: slot.order })).toMatchObject({ status: 'none', spent: true });
    });
  });
}

function callsThatNeedState(store: QueueStore, eventId: string): Promise<unknown>[] {
  const userId = ids.next();
  const at = { eventId, nowMs: startMs };
  const limits = { admitMax: 1, parkMax: 1, absentMs: 1, claimMs: 1, activeTtlMs: 1, activeSeenTtlMs: null };
  return [
    store.enter({ ...at, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 1 }),
    store.enter({ ...at, userId, mode: 'look', lane: 1, roomOn: true, activeTtlMs: 1, ticketOrder: general(1) }),
    store.touch({ ...at, userIds: [userId] }),
    store.leave({ ...at, userId }),
    store.endSlot({ ...at, userId, slotId: 'any' }),
    store.admit({ ...at, ...limits }),
    store.snapshot(at),
    store.forget({ ...at, seenTtlMs: 1, limit: 1 }),
    store.configure({ eventId, changes: { paused: true } }),
    store.clear({ eventId, limit: 1 }),
    store.trace({ ...at, userId }),
    store.changes({ eventId, limit: 1 }),
    store.marks({ eventId, epoch: 1, from: 0 }),
    store.switchRoom({ eventId, era: 9, room: { on: true, era: 8, version: 1 } }),
    store.merge({ ...at, epoch: 1, changes: [] }),
  ];
}
