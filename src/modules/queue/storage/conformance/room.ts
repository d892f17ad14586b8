import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import type { StoreKit } from './harness.ts';

const general = (number: number, era = 1) => packPlaceOrder({ lane: 1, era, number });

/** Tier 1 in front of the event: the store knows, and entering decides by it. */
export function roomTests(kit: StoreKit): void {
  describe('the room', () => {
    const on = (version: number) => ({ era: 1, room: { on: true, era: 2, version } });

    it('that the store knows to be on lets nobody in by the sequence, whatever the caller knows', async () => {
      const line = await kit.open();
      const { store, eventId } = line;
      await line.enter('ann');
      expect(await store.switchRoom({ eventId, ...on(1) })).toEqual({ switched: true });
      expect(await line.enter('ben')).toEqual({ status: 'tier1-required', epoch: 1 });
      expect(await line.enter('cat', { numbered: general(9, 2) })).toMatchObject({ order: general(9, 2), position: 2 });
      // Who has a place, or an unspent ticket, goes on as before.
      expect(await line.enter('ann')).toMatchObject({ status: 'waiting', order: general(1), position: 1 });
      expect(await line.enter('dan', { ticketOrder: general(7) })).toMatchObject({ order: general(7), position: 2 });
      expect(await line.look('eve')).toMatchObject({ status: 'none' });
      expect(await line.snapshot()).toMatchObject({ era: 1, room: on(1).room, numbered: 1 });
    });

    it('is passed by those who entered before it, with no other right', async () => {
      const line = await kit.open({ threshold: 1 });
      const { store, eventId } = line;
      await store.switchRoom({ eventId, ...on(1) });
      const before = { pastRoom: true, unattended: true };
      expect(await line.wantSlot('ann', before)).toMatchObject({ order: general(1) });
      expect(await line.look('ann', before)).toMatchObject({ status: 'active' });
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: false } });
      expect(await line.enter('ben', { ...before, withoutSlot: true })).toMatchObject({ order: general(2) });
      expect(await line.enter('cat', { ...before, roomOn: true })).toMatchObject({ status: 'tier1-required' });
      expect(await line.snapshot()).toMatchObject({ numbered: 0 });
    });

    it('that is off again lets everybody in, behind those whom it gave a number', async () => {
      const line = await kit.open();
      const { store, eventId } = line;
      await line.enter('ann');
      await store.switchRoom({ eventId, ...on(1) });
      await store.switchRoom({ eventId, era: 3, room: { on: false, era: 2, version: 2 } });
      expect(await line.enter('cat')).toMatchObject({ order: general(1, 3), position: 2 });
      expect(await line.enter('ben', { numbered: general(4, 2) })).toMatchObject({ order: general(4, 2), position: 2 });
    });

    it('follows the latest switch, in whatever order they arrive', async () => {
      const line = await kit.open();
      const { store, eventId } = line;
      await store.switchRoom({ eventId, era: 3, room: { on: false, era: 2, version: 2 } });
      expect(await store.switchRoom({ eventId, ...on(1) })).toEqual({ switched: false });
      expect(await store.switchRoom({ eventId, ...on(2) })).toEqual({ switched: false });
      expect(await line.enter('ann')).toMatchObject({ order: general(1, 3) });
      expect(await line.snapshot()).toMatchObject({ era: 3, room: { on: false, era: 2, version: 2 } });
    });

    it('is still on in the next epoch', async () => {
      const line = await kit.open({ room: on(4).room });
      expect(await line.enter('ann')).toMatchObject({ status: 'tier1-required' });
      expect(await line.store.dump({ eventId: line.eventId })).toMatchObject({ era: 1, room: on(4).room });
      expect(await line.store.switchRoom({ eventId: line.eventId, ...on(4) })).toEqual({ switched: false });
    });
  });
}
