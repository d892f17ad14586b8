import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import type { StoreKit } from './harness.ts';

const general = (number: number, era = 1) => packPlaceOrder({ lane: 1, era, number });
const presale = (number: number, era = 1) => packPlaceOrder({ lane: 0, era, number });

export function enteringTests(kit: StoreKit): void {
  describe('entering', () => {
    it('without a slot gives a place though there is room, and still claims a slot that is there', async () => {
      const line = await kit.open({ threshold: 1 });
      expect(await line.enter('ann', { withoutSlot: true })).toMatchObject({ status: 'waiting', position: 1 });
      expect(await line.admitted()).toEqual(['ann']);
      expect(await line.look('ann', { withoutSlot: true })).toMatchObject({ status: 'active' });
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: true } });
    });

    it('gives places one after the other, and the same one to who enters again', async () => {
      const line = await kit.open();
      expect(await line.enter('ann')).toEqual({
        status: 'waiting',
        order: general(1),
        position: 1,
        epoch: 1,
        fresh: true,
      });
      expect(await line.enter('ben')).toMatchObject({ order: general(2), position: 2, fresh: true });
      expect(await line.enter('ann')).toMatchObject({ order: general(1), position: 1, fresh: false });
    });

    it('puts the presale lane before the general one', async () => {
      const line = await kit.open();
      await line.enter('ann');
      expect(await line.enter('ben', { lane: 0 })).toMatchObject({ order: presale(2), position: 1 });
      expect(await line.look('ann')).toMatchObject({ order: general(1), position: 2 });
    });

    it('gives a slot at once while nobody waits and slots are free', async () => {
      const line = await kit.open({ threshold: 2 });
      const slot = await line.wantSlot('ann');
      expect(slot).toMatchObject({ userId: line.user('ann'), order: general(1), endsAtMs: line.now() + 600_000 });
      await line.wantSlot('ben');
      await line.wantPlace('cat');
      await line.leave('ann');
      // A slot is free again, but cat is ahead.
      expect(await line.enter('dan')).toMatchObject({ status: 'waiting', position: 2 });
    });

    it('gives no slot at once past someone who is parked, while paused, recovering or on hold', async () => {
      const parked = await kit.open();
      await parked.enter('ann');
      await parked.configure({ threshold: 2 });
      await parked.pass(90_000, { admitMax: 0 });
      expect(await parked.admit()).toMatchObject({ parked: 1, waiting: 0, active: 0 });
      await parked.wantPlace('ben');

      const paused = await kit.open({ settings: { threshold: 1, paused: true, closed: false, message: null } });
      await paused.wantPlace('ann');

      const recovering = await kit.open({ threshold: 1, recoveringMs: 1 });
      await recovering.wantPlace('ann');

      const held = await kit.open({ threshold: 1 });
      await held.store.hold({ eventId: held.eventId, forMs: 1_000, nowMs: held.now() });
      await held.wantPlace('ann');
    });

    it('looking takes no place', async () => {
      const line = await kit.open({ threshold: 1 });
      expect(await line.look('ann')).toEqual({ status: 'none', spent: false, epoch: 1 });
      expect(await line.snapshot()).toMatchObject({ waiting: 0, active: 0, totals: { joined: 0 } });
    });

    it('gives an unclaimed slot to anyone who entered without waiting for the answer', async () => {
      const line = await kit.open({ threshold: 1 });
      const result = await line.enter('ann', { unattended: true });
      if (result.status !== 'active') throw new Error(result.status);
      expect((await line.changes()).changes[0]).toEqual({ kind: 'slot', slot: result.slot, claimed: false });
      await line.enter('ann', { unattended: true });
      expect(await line.trace('ann')).toMatchObject({ place: 'active', slot: { claimed: false } });
      await line.pass(120_000);
      await line.admit({ admitMax: 0 });
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', order: general(1), returned: true });
    });

    it('returning with a ticket takes the old place, never a slot, and claims none', async () => {
      const line = await kit.open({ threshold: 1 });
      const returning = { mode: 'return', ticketOrder: general(7) } as const;
      expect(await line.enter('ann', { mode: 'return' })).toMatchObject({ status: 'none', spent: false });
      expect(await line.enter('ann', returning)).toMatchObject({ status: 'waiting', order: general(7), fresh: true });
      expect(await line.admitted()).toEqual(['ann']);
      line.wait(1_000);
      expect(await line.enter('ann', returning)).toMatchObject({ status: 'active', fresh: false });
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: false }, seenAtMs: line.now() });
      await line.look('ann');
      line.wait(1_000);
      await line.enter('ann', returning);
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: true }, seenAtMs: line.now() });
      await line.leave('ann');
      expect(await line.enter('ann', returning)).toMatchObject({ status: 'none', spent: true });
    });

    it('puts the holder of an unspent ticket back at its order, also for a mere look', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben', 'cat']) await line.enter(name);
      line.wait(700_000);
      await line.touch('cat');
      expect(await line.forget(600_000)).toBe(2);
      expect(await line.look('ben', { ticketOrder: general(2) })).toEqual({
        status: 'waiting',
        order: general(2),
        position: 1,
        epoch: 1,
        fresh: true,
      });
      expect(await line.enter('ann', { ticketOrder: general(1) })).toMatchObject({ order: general(1), position: 1 });
      expect(await line.look('cat')).toMatchObject({ order: general(3), position: 3 });
    });

    it('moves who waits, or was away, to the earlier place of a ticket, and the later one is over', async () => {
      const line = await kit.open();
      const first = await line.wantPlace('ann');
      for (const name of ['ben', 'cat']) await line.enter(name);
      line.wait(700_000);
      await line.touch('ben', 'cat');
      expect(await line.forget(600_000)).toBe(1);
      // From another device, without the ticket.
      const second = await line.wantPlace('ann');
      expect(second).toBe(general(4));
      const back = { status: 'waiting', order: first, position: 1, epoch: 1, fresh: false };
      expect(await line.look('ann', { ticketOrder: first })).toEqual(back);
      expect(await line.look('ann', { ticketOrder: second })).toEqual(back);
      expect(await line.look('ben')).toMatchObject({ position: 2 });
      expect((await line.changes()).changes).toEqual([{ kind: 'spent', order: second }]);
      expect(await line.snapshot()).toMatchObject({ waiting: 3, totals: { joined: 4 } });
      await line.leave('ann');
      for (const ticketOrder of [first, second]) {
        expect(await line.look('ann', { ticketOrder })).toMatchObject({ status: 'none', spent: true });
      }

      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      expect(await line.admit()).toMatchObject({ parked: 2 });
      expect(await line.enter('cat', { ticketOrder: presale(7) })).toMatchObject({ order: presale(7), position: 1 });
      expect(await line.look('cat', { ticketOrder: general(3) })).toMatchObject({ order: presale(7) });
      expect(await line.snapshot()).toMatchObject({ waiting: 1, parked: 1 });
    });

    it('keeps the earlier place when a ticket of a later one is shown, which is over then', async () => {
      const line = await kit.open();
      const order = await line.wantPlace('ann');
      expect(await line.look('ann', { ticketOrder: general(3) })).toMatchObject({ order, fresh: false });
      expect(await line.look('ben', { ticketOrder: general(3) })).toMatchObject({ status: 'none', spent: true });
      // And never given by the sequence.
      expect(await line.wantPlace('ben')).toBe(general(4));
    });

    it('moves nobody to a place that is over or that somebody else holds', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.leave('ann');
      const bens = await line.wantPlace('ben');
      const order = await line.wantPlace('cat');
      for (const ticketOrder of [general(1), bens]) {
        expect(await line.look('cat', { ticketOrder })).toMatchObject({ order, position: 2 });
      }
      expect(await line.look('ben')).toMatchObject({ order: bens, position: 1 });
    });

    it('ends the place of another ticket when a slot is claimed, and not before', async () => {
      const line = await kit.open({ threshold: 1 });
      await line.enter('ann', { unattended: true });
      const other = general(9);
      await line.enter('ann', { mode: 'return', ticketOrder: other });
      expect((await line.changes()).changes).toHaveLength(2);
      expect(await line.look('ann', { ticketOrder: other })).toMatchObject({
        status: 'active',
        slot: { order: general(1) },
      });
      expect((await line.changes()).changes.slice(2)).toMatchObject([
        { kind: 'slot', claimed: true },
        { kind: 'spent', order: other },
      ]);
      await line.leave('ann');
      expect(await line.look('ann', { ticketOrder: other })).toMatchObject({ status: 'none', spent: true });
    });

    it('gives back the earlier of two places when a slot ended unclaimed', async () => {
      const line = await kit.open({ threshold: 1 });
      await line.enter('ann', { unattended: true, ticketOrder: general(5), activeTtlMs: 5_000 });
      line.wait(5_000);
      expect(await line.look('ann', { ticketOrder: general(2) })).toMatchObject({ order: general(2), position: 1 });
      expect((await line.changes()).changes.slice(2)).toMatchObject([
        { kind: 'unspent', order: general(5) },
        { kind: 'slot-ended' },
        { kind: 'spent', order: general(5) },
      ]);
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', returned: false });
    });

    it('counts a returning ticket not as joined', async () => {
      const line = await kit.open();
      await line.enter('ann', { ticketOrder: general(7) });
      await line.enter('ben');
      expect(await line.snapshot()).toMatchObject({ totals: { joined: 1 } });
    });

    it('gives a slot at once to a returning ticket when nobody waits', async () => {
      const line = await kit.open({ threshold: 1 });
      const result = await line.look('ann', { ticketOrder: general(7) });
      expect(result).toMatchObject({ status: 'active', slot: { order: general(7) }, fresh: true });
      expect(await line.look('ann')).toEqual({ ...result, fresh: false });
      expect(await line.snapshot()).toMatchObject({ watermark: general(7) });
    });

    it('never gives by sequence a number that came back in a ticket', async () => {
      const line = await kit.open();
      await line.enter('ann', { ticketOrder: general(2) });
      expect(await line.wantPlace('ben')).toBe(general(3));
      // Of another era, it has nothing to do with the sequence.
      await line.enter('cat', { ticketOrder: general(900, 0) });
      expect(await line.wantPlace('dan')).toBe(general(4));
    });

    it('gives nothing for a ticket whose place is over', async () => {
      const line = await kit.open();
      const order = await line.wantPlace('ann');
      await line.leave('ann');
      expect(await line.look('ann', { ticketOrder: order })).toEqual({ status: 'none', spent: true, epoch: 1 });
      expect(await line.wantPlace('ann', { ticketOrder: order })).toBe(general(2));
    });

    it('gives nothing for a ticket whose place somebody else holds, waiting or parked', async () => {
      const line = await kit.open();
      const order = await line.wantPlace('ann');
      expect(await line.look('eve', { ticketOrder: order })).toMatchObject({ status: 'none', spent: false });
      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      expect(await line.admit()).toMatchObject({ parked: 1 });
      expect(await line.look('eve', { ticketOrder: order })).toMatchObject({ status: 'none', spent: false });
    });

    it('takes a tier-1 number once: the second user is refused, and so is a spent number', async () => {
      const line = await kit.open();
      expect(await line.enter('ann', { numbered: general(40, 2), roomOn: true })).toMatchObject({
        order: general(40, 2),
      });
      expect(await line.enter('ben', { numbered: general(30, 2), roomOn: true })).toMatchObject({ position: 1 });
      expect(await line.enter('eve', { numbered: general(40, 2), roomOn: true })).toEqual({
        status: 'number-taken',
        epoch: 1,
      });
      await line.leave('ann');
      for (const name of ['ann', 'eve']) {
        expect(await line.enter(name, { numbered: general(40, 2), roomOn: true })).toMatchObject({
          status: 'number-taken',
        });
      }
    });

    it('keeps the place of who comes again with another number', async () => {
      const line = await kit.open();
      await line.enter('ann', { numbered: general(40) });
      expect(await line.enter('ann', { numbered: general(1) })).toMatchObject({ order: general(40), fresh: false });
      expect(await line.enter('ben', { numbered: general(1) })).toMatchObject({ order: general(1), position: 1 });
    });

    it('asks for a tier-1 number while the room is on, except from who has a place or a ticket', async () => {
      const line = await kit.open();
      await line.enter('ann');
      expect(await line.enter('ben', { roomOn: true })).toEqual({ status: 'tier1-required', epoch: 1 });
      expect(await line.enter('ann', { roomOn: true })).toMatchObject({ status: 'waiting', order: general(1) });
      expect(await line.enter('cat', { roomOn: true, ticketOrder: general(9) })).toMatchObject({ order: general(9) });
    });

    it('takes no new entrants when closed, but keeps those who are in line', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ closed: true });
      expect(await line.enter('ben')).toEqual({ status: 'closed', epoch: 1 });
      expect(await line.enter('ann')).toMatchObject({ status: 'waiting', position: 1 });
      expect(await line.enter('cat', { ticketOrder: general(9) })).toMatchObject({ status: 'waiting' });
      for (const call of [{ numbered: general(5, 2) }, { numbered: general(5, 2), roomOn: true }, { roomOn: true }]) {
        expect(await line.enter('dan', call)).toEqual({ status: 'closed', epoch: 1 });
      }
      // Refused, so the number still is whose it was.
      await line.configure({ closed: false });
      expect(await line.enter('dan', { numbered: general(5, 2) })).toMatchObject({ order: general(5, 2), fresh: true });
      await line.configure({ closed: true });
      expect(await line.enter('dan', { numbered: general(5, 2) })).toMatchObject({
        order: general(5, 2),
        fresh: false,
      });
      expect(await line.snapshot()).toMatchObject({ totals: { joined: 2 } });
    });

    it('gives 50 connections of one user one place', async () => {
      const line = await kit.open();
      const results = await Promise.all(Array.from({ length: 50 }, () => line.wantPlace('ann')));
      expect(new Set(results)).toEqual(new Set([general(1)]));
      expect(await line.snapshot()).toMatchObject({ waiting: 1, totals: { joined: 1 } });
    });

    it('fills no more than the threshold when a crowd enters at once', async () => {
      const line = await kit.open({ threshold: 10 });
      const results = await Promise.all(Array.from({ length: 200 }, (_, index) => line.enter(`user ${index}`)));
      expect(results.filter(({ status }) => status === 'active')).toHaveLength(10);
      expect(await line.snapshot()).toMatchObject({ waiting: 190, active: 10, watermark: general(10) });
    });
  });

  describe('signs of life', () => {
    it('names the users it does not know at all', async () => {
      const line = await kit.open({ threshold: 1 });
      await line.enter('ann');
      await line.enter('ben');
      expect(await line.touch('eve', 'ann', 'ben', 'mallory')).toEqual([line.user('eve'), line.user('mallory')]);
      expect(await line.touch()).toEqual([]);
    });

    it('brings a parked user back at the old order', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      await line.admit();
      expect(await line.trace('ann')).toMatchObject({ place: 'parked', position: null, order: general(1) });
      await line.enter('ben');
      expect(await line.touch('ann')).toEqual([]);
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', position: 1, seenAtMs: line.now() });
      expect(await line.look('ben')).toMatchObject({ position: 2 });
    });

    it('refuses more users in one call than it promises to take', async () => {
      const line = await kit.open();
      await expect(line.touch(...Array.from({ length: 501 }, (_, index) => `user ${index}`))).rejects.toThrow();
    });
  });

  describe('leaving', () => {
    it('gives up a place for good, waiting or parked', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      expect(await line.leave('ann')).toBe('place');
      expect(await line.leave('ann')).toBe('nothing');
      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      expect(await line.admit()).toMatchObject({ parked: 1 });
      expect(await line.leave('ben')).toBe('place');
      expect(await line.snapshot()).toMatchObject({ waiting: 0, parked: 0, totals: { left: 2 } });
      expect(await line.look('ben', { ticketOrder: general(2) })).toMatchObject({ status: 'none', spent: true });
    });

    it('moves everybody behind one step forward', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben', 'cat']) await line.enter(name);
      await line.leave('ben');
      expect(await line.look('cat')).toMatchObject({ position: 2, order: general(3) });
    });
  });

  describe('eras', () => {
    it('begin numbers anew behind everybody, and are only ever raised', async () => {
      const line = await kit.open();
      await line.enter('ann');
      const off = (version: number) => ({ on: false, era: 2, version });
      const turn = (era: number, version: number) =>
        line.store.switchRoom({ eventId: line.eventId, era, room: off(version) });
      expect(await turn(3, 1)).toEqual({ switched: true });
      await line.enter('ben');
      expect(await turn(3, 2)).toEqual({ switched: true });
      expect(await turn(2, 3)).toEqual({ switched: true });
      expect(await line.enter('cat')).toMatchObject({ order: general(2, 3), position: 3 });
      expect(await line.snapshot()).toMatchObject({ era: 3, room: off(3) });
    });
  });
}
