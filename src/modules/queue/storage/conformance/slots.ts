import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import type { StoreKit } from './harness.ts';

const general = (number: number) => packPlaceOrder({ lane: 1, era: 1, number });

export function slotTests(kit: StoreKit): void {
  describe('slots', () => {
    it('are the same however often one asks, and never extended by it', async () => {
      const line = await kit.open({ threshold: 1 });
      const slot = await line.wantSlot('ann');
      line.wait(599_999);
      expect(await line.wantSlot('ann')).toEqual(slot);
      await line.touch('ann');
      expect(await line.look('ann')).toEqual({ status: 'active', slot, epoch: 1, fresh: false });
      line.wait(1);
      expect(await line.look('ann', { ticketOrder: slot.order })).toEqual({ status: 'none', spent: true, epoch: 1 });
      expect(await line.trace('ann')).toMatchObject({ place: 'none', slot: null });
      expect(await line.touch('ann')).toEqual([line.user('ann')]);
    });

    it('that have ended count no more, even before a step drops them', async () => {
      const line = await kit.open({ threshold: 1 });
      const first = await line.wantSlot('ann');
      line.wait(600_000);
      expect(await line.snapshot()).toMatchObject({ active: 0 });
      expect(await line.leave('ann')).toBe('nothing');
      await line.wantSlot('ben');
      line.wait(600_000);
      const again = await line.wantSlot('ben');
      expect(again).toMatchObject({ order: general(3) });
      expect(again.slotId).not.toBe(first.slotId);
      expect(await line.admit()).toMatchObject({ ended: 0, active: 1 });
    });

    it('have ids that no other event has', async () => {
      const lines = await Promise.all([kit.open({ threshold: 1 }), kit.open({ threshold: 1 })]);
      const slots = await Promise.all(lines.map((line) => line.wantSlot('ann')));
      expect(new Set(slots.map(({ slotId }) => slotId)).size).toBe(2);
    });

    it('given up end at once, and their id is denied until they would have ended', async () => {
      const line = await kit.open({ threshold: 1 });
      const slot = await line.wantSlot('ann');
      line.wait(1_000);
      expect(await line.leave('ann')).toBe('slot');
      expect(await line.leave('ann')).toBe('nothing');
      const { slotId, endsAtMs } = slot;
      expect(await line.snapshot()).toMatchObject({
        active: 0,
        denied: [{ slotId, untilMs: endsAtMs }],
        totals: { left: 1 },
      });
      expect(await line.look('ann', { ticketOrder: slot.order })).toMatchObject({ status: 'none', spent: true });
      line.wait(598_999);
      expect((await line.snapshot()).denied).toHaveLength(1);
      line.wait(1);
      expect((await line.snapshot()).denied).toEqual([]);
    });

    it('end early only by their own id', async () => {
      const line = await kit.open({ threshold: 1 });
      const old = await line.wantSlot('ann');
      await line.leave('ann');
      line.wait(1_000);
      const slot = await line.wantSlot('ann');
      expect(await line.endSlot('ann', old.slotId)).toBe(false);
      expect(await line.endSlot('ben', slot.slotId)).toBe(false);
      expect(await line.snapshot()).toMatchObject({ active: 1 });
      expect(await line.endSlot('ann', slot.slotId)).toBe(true);
      expect(await line.endSlot('ann', slot.slotId)).toBe(false);
      const { active, denied, totals } = await line.snapshot();
      expect({ active, left: totals.left }).toEqual({ active: 0, left: 1 });
      expect(denied.map(({ slotId }) => slotId)).toEqual([old.slotId, slot.slotId]);
    });

    it('are not ended by their id after their end', async () => {
      const line = await kit.open({ threshold: 1 });
      const slot = await line.wantSlot('ann');
      line.wait(600_000);
      expect(await line.endSlot('ann', slot.slotId)).toBe(false);
      expect(await line.admit()).toMatchObject({ ended: 1 });
    });

    it('are claimed by asking, not by a sign of life', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben', 'cat']) await line.enter(name);
      await line.configure({ threshold: 3 });
      await line.admit();
      expect(await line.trace('ann')).toMatchObject({ place: 'active', slot: { claimed: false }, returned: false });
      await line.touch('ann');
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: false } });
      await line.enter('ann');
      await line.look('ben');
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: true } });
      expect(await line.trace('ben')).toMatchObject({ slot: { claimed: true } });
      expect(await line.trace('cat')).toMatchObject({ slot: { claimed: false } });
    });

    it('are claimed by a protected call, which is a sign of life too and extends nothing', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      await line.configure({ threshold: 2 });
      await line.admit();
      const { slot } = await line.trace('ann');
      line.wait(10_000);
      expect(await line.claim('ann', slot?.slotId ?? '')).toBe(1);
      expect(await line.trace('ann')).toMatchObject({ slot: { ...slot, claimed: true }, seenAtMs: line.now() });
      line.wait(10_000);
      expect(await line.claim('ann', slot?.slotId ?? '')).toBe(0);
      expect(await line.trace('ann')).toMatchObject({ slot: { ...slot, claimed: true }, seenAtMs: line.now() });
      expect(await line.trace('ben')).toMatchObject({ slot: { claimed: false } });
      const told = (await line.changes()).changes.filter((change) => change.kind === 'slot' && change.claimed);
      expect(told).toHaveLength(1);
    });

    it('are claimed only by their own id, and not after their end', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      await line.admit();
      const { slot } = await line.trace('ann');
      const slotId = slot?.slotId ?? '';
      expect(await line.claim('ann', `${slotId}0`)).toBe(0);
      expect(await line.claim('ben', slotId)).toBe(0);
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: false } });
      line.wait(600_000);
      expect(await line.claim('ann', slotId)).toBe(0);
      expect(await line.touch('ben')).toEqual([line.user('ben')]);
    });

    it('given at once are claimed already', async () => {
      const line = await kit.open({ threshold: 1 });
      await line.enter('ann');
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: true }, seenAtMs: line.now() });
    });
  });

  describe('unclaimed slots', () => {
    it('go back once: to the old order, and the slot to the next', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      await line.configure({ threshold: 1 });
      expect(await line.admitted()).toEqual(['ann']);
      const { slot } = await line.trace('ann');
      line.wait(5_000);
      await line.touch('ben');
      await line.pass(114_999);
      expect(await line.admit()).toMatchObject({ returned: 0, active: 1 });
      line.wait(1);
      await line.touch('ben');
      // Ann was not seen for so long that she is parked at once.
      const result = await line.admit();
      expect(result).toMatchObject({ returned: 1, dropped: 0, parked: 1, active: 1, ended: 0 });
      expect(result.admitted.map(({ userId }) => userId)).toEqual([line.user('ben')]);
      expect(await line.trace('ann')).toMatchObject({ place: 'parked', order: general(1), returned: true });
      expect(await line.snapshot()).toMatchObject({
        denied: [{ slotId: slot?.slotId }],
        totals: { noShows: 1, admitted: 2 },
      });
      expect(await line.enter('ann', { ticketOrder: general(1) })).toMatchObject({ order: general(1), position: 1 });
    });

    it('are dropped for good the second time', async () => {
      const line = await kit.open();
      const order = await line.wantPlace('ann');
      await line.configure({ threshold: 1 });
      for (const outcome of [
        { returned: 1, dropped: 0 },
        { returned: 0, dropped: 1 },
      ]) {
        await line.touch('ann');
        expect(await line.admitted()).toEqual(['ann']);
        await line.pass(120_000);
        expect(await line.admit()).toMatchObject(outcome);
      }
      expect(await line.look('ann', { ticketOrder: order })).toMatchObject({ status: 'none', spent: true });
      expect(await line.snapshot()).toMatchObject({ active: 0, waiting: 0, parked: 0, totals: { noShows: 2 } });
    });

    it('are dropped the second time also when the place was forgotten in between', async () => {
      const line = await kit.open();
      const order = await line.wantPlace('ann');
      await line.configure({ threshold: 1 });
      await line.admit();
      await line.pass(120_000);
      await line.admit();
      expect(await line.forget(100_000)).toBe(1);
      await line.configure({ paused: true });
      await line.enter('ann', { ticketOrder: order });
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting', returned: true });
      await line.configure({ paused: false });
      await line.admit();
      await line.pass(120_000);
      expect(await line.admit()).toMatchObject({ returned: 0, dropped: 1 });
    });

    it('of a user who took another place later are a first time again', async () => {
      const line = await kit.open();
      await line.wantPlace('ann');
      await line.configure({ threshold: 1 });
      await line.admit();
      await line.pass(120_000);
      expect(await line.admit()).toMatchObject({ returned: 1, parked: 1 });
      await line.leave('ann');
      await line.configure({ paused: true });
      await line.wantPlace('ann');
      expect(await line.trace('ann')).toMatchObject({ returned: false });
    });

    it('that were claimed in time stay', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      await line.admit();
      await line.pass(119_999);
      await line.look('ann');
      await line.pass(400_000);
      expect(await line.admit()).toMatchObject({ returned: 0, dropped: 0, active: 1 });
    });

    it('that were claimed by a protected call stay, also those of a place that was given back once', async () => {
      const line = await kit.open();
      const order = await line.wantPlace('ann');
      await line.configure({ threshold: 1 });
      await line.admit();
      await line.pass(120_000);
      await line.touch('ann');
      // Given back once, and then again in a slot.
      expect((await line.admit()).admitted).toHaveLength(1);
      const { slot } = await line.trace('ann');
      expect(await line.trace('ann')).toMatchObject({ order, returned: true });
      await line.pass(119_999);
      expect(await line.claim('ann', slot?.slotId ?? '')).toBe(1);
      expect(await line.trace('ann')).toMatchObject({ returned: false });
      await line.pass(400_000);
      expect(await line.admit()).toMatchObject({ returned: 0, dropped: 0, active: 1 });
    });

    it('are not counted as unclaimed for the time of an outage', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      await line.admit();
      line.wait(200_000);
      expect(await line.admit()).toMatchObject({ returned: 0, active: 1 });
      await line.pass(120_000);
      expect(await line.admit()).toMatchObject({ returned: 1 });
    });
  });

  describe('steps that are far apart by intention', () => {
    it('are no outage where the call says so', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      await line.configure({ threshold: 1 });
      expect(await line.admitted({ outageMs: 60_000 })).toEqual(['ann']);
      for (let step = 0; step < 6; step++) {
        line.wait(20_000);
        await line.touch('ben');
        expect(await line.admit({ outageMs: 60_000 })).toMatchObject({ returned: step === 5 ? 1 : 0 });
      }
      // The pause of 61 s is one, so nobody is late for a slot.
      line.wait(61_000);
      expect(await line.admit({ outageMs: 60_000, claimMs: 60_000 })).toMatchObject({ returned: 0, dropped: 0 });
    });
  });

  describe('slots of unseen users', () => {
    it('end where that is switched on, and only claimed ones', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben', 'cat']) await line.enter(name);
      await line.configure({ threshold: 3 });
      await line.admit();
      for (const name of ['ann', 'ben']) await line.look(name);
      await line.pass(29_999);
      await line.touch('ben');
      expect(await line.admit({ activeSeenTtlMs: 30_000 })).toMatchObject({ ended: 0, active: 3 });
      line.wait(1);
      expect(await line.admit()).toMatchObject({ ended: 0 });
      expect(await line.admit({ activeSeenTtlMs: 30_000 })).toMatchObject({ ended: 1, active: 2, returned: 0 });
      expect(await line.look('ann', { ticketOrder: general(1) })).toMatchObject({ status: 'none', spent: true });
      expect(await line.trace('cat')).toMatchObject({ place: 'active' });
      expect((await line.snapshot()).denied).toHaveLength(1);
    });
  });
}
