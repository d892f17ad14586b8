import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import { freeMax } from '../../ports.ts';
import type { QueueLine, StoreKit } from './harness.ts';

const general = (number: number) => packPlaceOrder({ lane: 1, era: 1, number });
const named = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `user ${from + index}`);

/** Users 1 … count wait, and slots are then opened for them. */
async function aCrowd(kit: StoreKit, { count, threshold }: { count: number; threshold: number }): Promise<QueueLine> {
  const line = await kit.open();
  for (const name of named(1, count)) await line.enter(name);
  await line.configure({ threshold });
  return line;
}

export function admissionTests(kit: StoreKit): void {
  describe('admission', () => {
    it('follows the order, up to the threshold and to the batch', async () => {
      const line = await aCrowd(kit, { count: 10, threshold: 5 });
      const first = await line.admit({ admitMax: 3 });
      expect(first.admitted.map(({ userId }) => userId)).toEqual(named(1, 3).map(line.user));
      expect(first).toMatchObject({ status: 'ok', active: 3, waiting: 7, threshold: 5, more: true });
      expect(first.admitted[0]).toMatchObject({ order: general(1), endsAtMs: line.now() + 600_000 });
      const second = await line.admit({ admitMax: 3 });
      expect(second).toMatchObject({ active: 5, waiting: 5, more: false });
      expect(await line.admitted()).toEqual([]);
      expect(await line.snapshot()).toMatchObject({ watermark: general(5), totals: { joined: 10, admitted: 5 } });
    });

    it('goes by order and not by time of entering', async () => {
      const line = await kit.open();
      for (const number of [30, 10, 20]) await line.enter(`user ${number}`, { numbered: general(number) });
      await line.enter('early bird', { lane: 0 });
      await line.configure({ threshold: 4 });
      expect(await line.admitted()).toEqual(['early bird', 'user 10', 'user 20', 'user 30']);
    });

    it('drops slots that have ended and gives them on in the same step', async () => {
      const line = await aCrowd(kit, { count: 4, threshold: 2 });
      await line.admit();
      for (const name of named(1, 2)) await line.look(name);
      await line.pass(600_000 - 1);
      await line.touch(...named(3, 4));
      expect(await line.admit()).toMatchObject({ ended: 0, admitted: [] });
      line.wait(1);
      const result = await line.admit();
      expect(result).toMatchObject({ ended: 2, active: 2, waiting: 0, more: false });
      expect((await line.snapshot()).denied).toEqual([]);
    });

    it('evicts nobody when the threshold is lowered, and admits nobody until it has drained', async () => {
      const line = await aCrowd(kit, { count: 6, threshold: 4 });
      await line.admit();
      await line.configure({ threshold: 2 });
      expect(await line.admit()).toMatchObject({ active: 4, admitted: [], threshold: 2, more: false });
      for (const name of named(1, 2)) await line.leave(name);
      expect(await line.admit()).toMatchObject({ active: 2, admitted: [] });
      await line.leave('user 3');
      expect(await line.admitted()).toEqual(['user 5']);
    });

    it('parks absent heads and serves the present ones behind them', async () => {
      const line = await aCrowd(kit, { count: 6, threshold: 2 });
      await line.pass(89_999, { admitMax: 0 });
      await line.touch(...named(4, 6));
      line.wait(1);
      const result = await line.admit();
      expect(result).toMatchObject({ parked: 3, active: 2, waiting: 1, more: false });
      expect(result.admitted.map(({ userId }) => userId)).toEqual(named(4, 5).map(line.user));
      expect(await line.snapshot()).toMatchObject({ waiting: 1, parked: 3 });
    });

    it('counts who was seen a moment ago as present, and parks nobody while no slot is free', async () => {
      const line = await aCrowd(kit, { count: 2, threshold: 1 });
      await line.pass(89_999, { admitMax: 0 });
      expect(await line.admitted()).toEqual(['user 1']);
      line.wait(1);
      expect(await line.admit()).toMatchObject({ parked: 0, waiting: 1, more: false });
    });

    it('parks no more than asked for in one step, and says that there is more to do', async () => {
      const line = await aCrowd(kit, { count: 5, threshold: 5 });
      await line.pass(90_000, { admitMax: 0 });
      await line.touch('user 5');
      expect(await line.admit({ parkMax: 3 })).toMatchObject({ parked: 3, admitted: [], waiting: 2, more: true });
      const result = await line.admit({ parkMax: 3 });
      expect(result).toMatchObject({ parked: 1, waiting: 0, more: false });
      expect(result.admitted).toHaveLength(1);
    });

    it('serves a parked user who is back before all who are behind', async () => {
      const line = await aCrowd(kit, { count: 3, threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      await line.touch('user 2', 'user 3');
      expect(await line.admitted()).toEqual(['user 2']);
      await line.touch('user 1');
      await line.leave('user 2');
      expect(await line.admitted()).toEqual(['user 1']);
    });

    it('counts nobody as absent for the time of an outage', async () => {
      const line = await aCrowd(kit, { count: 2, threshold: 1 });
      await line.admit({ admitMax: 0 });
      line.wait(5_001);
      await line.pass(89_999, { admitMax: 0 });
      expect(await line.admit({ admitMax: 0 })).toMatchObject({ parked: 0 });
      line.wait(5_001);
      expect(await line.admitted()).toEqual(['user 1']);
    });

    it('counts absence from the first step on', async () => {
      const line = await aCrowd(kit, { count: 1, threshold: 0 });
      line.wait(80_000);
      await line.configure({ threshold: 1 });
      await line.pass(89_999, { admitMax: 0 });
      expect(await line.admitted()).toEqual(['user 1']);
    });

    it('does nothing but free slots while paused, recovering or on hold', async () => {
      const line = await aCrowd(kit, { count: 3, threshold: 2 });
      await line.admit({ admitMax: 2 });
      for (const name of named(1, 2)) await line.look(name);
      await line.configure({ paused: true });
      await line.pass(600_000);
      expect(await line.admit()).toMatchObject({ ended: 2, admitted: [], parked: 0, waiting: 1, more: false });
      await line.configure({ paused: false });
      await line.touch('user 3');
      await line.store.hold({ eventId: line.eventId, forMs: 2_000, nowMs: line.now() });
      await line.store.hold({ eventId: line.eventId, forMs: 1_000, nowMs: line.now() });
      line.wait(1_999);
      expect(await line.admit()).toMatchObject({ admitted: [], more: false });
      // A hold is not recovery, and does not end with it.
      await line.store.endRecovery({ eventId: line.eventId, epoch: 1 });
      expect(await line.snapshot()).toMatchObject({ recovering: false });
      expect(await line.admitted()).toEqual([]);
      line.wait(1);
      expect(await line.admitted()).toEqual(['user 3']);
    });

    it('goes on at once when somebody has written the journal while it was on hold', async () => {
      const line = await kit.open({ threshold: 1 });
      const { store, eventId } = line;
      const hold = () => store.hold({ eventId, forMs: 8_000, nowMs: line.now() });
      await line.wantSlot('ann');
      for (const name of ['ben', 'cat', 'dan']) await line.enter(name);
      await line.leave('ann');
      await hold();
      await store.acknowledge({ eventId, epoch: 2, upTo: 2 });
      expect(await line.admitted()).toEqual([]);
      await store.acknowledge({ eventId, epoch: 1, upTo: 2 });
      expect(await line.admitted()).toEqual(['ben']);
      await line.leave('ben');
      await hold();
      // A word that comes late says nothing of the present.
      await store.acknowledge({ eventId, epoch: 1, upTo: 1 });
      expect(await line.admitted()).toEqual([]);
      const { from, backlog } = await line.changes(0);
      await store.acknowledge({ eventId, epoch: 1, upTo: from + backlog });
      expect(await line.admitted()).toEqual(['cat']);
      await line.leave('cat');
      await hold();
      // Written though there was nothing new to write, or nothing that the other had not said: it can be written.
      await store.acknowledge({ eventId, epoch: 1, upTo: from + backlog });
      expect(await line.admitted()).toEqual(['dan']);
    });

    it('waits for the end of recovery, or for the word that it is over', async () => {
      const ends = await kit.open({ threshold: 1, recoveringMs: 75_000 });
      await ends.enter('ann');
      ends.wait(74_999);
      await ends.touch('ann');
      expect(await ends.snapshot()).toMatchObject({ recovering: true });
      expect(await ends.admitted()).toEqual([]);
      ends.wait(1);
      expect(await ends.snapshot()).toMatchObject({ recovering: false });
      expect(await ends.admitted()).toEqual(['ann']);

      const told = await kit.open({ threshold: 1, recoveringMs: 75_000 });
      await told.enter('ann');
      await told.store.endRecovery({ eventId: told.eventId, epoch: 2 });
      expect(await told.snapshot()).toMatchObject({ recovering: true });
      await told.store.endRecovery({ eventId: told.eventId, epoch: 1 });
      expect(await told.admitted()).toEqual(['ann']);
    });

    it('frees a bounded number of slots in one step, and says that there is more to do', async () => {
      const count = freeMax + 5;
      const line = await kit.open({ threshold: count });
      for (const name of named(1, count)) await line.enter(name);
      line.wait(600_000);
      expect(await line.admit()).toMatchObject({ ended: freeMax, active: 0, more: true });
      expect(await line.admit()).toMatchObject({ ended: 5, active: 0, more: false });
    });

    it('never overshoots, however many run it at once', async () => {
      const line = await aCrowd(kit, { count: 60, threshold: 25 });
      const results = await Promise.all(Array.from({ length: 10 }, () => line.admit({ admitMax: 7 })));
      const admitted = results.flatMap((result) => result.admitted.map(({ order }) => order));
      expect(admitted.toSorted((a, b) => a - b)).toEqual(named(1, 25).map((_, index) => general(index + 1)));
      expect(await line.snapshot()).toMatchObject({ active: 25, waiting: 35 });
    });
  });
}
