import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import type { StoreKit } from './harness.ts';

const general = (number: number, era = 1) => packPlaceOrder({ lane: 1, era, number });

/** Calls of one turn, which a store may take together: each is answered as if the ones before it had come alone. */
export function rushTests(kit: StoreKit): void {
  describe('many at once', () => {
    it('get the places in the order of their calls', async () => {
      const line = await kit.open();
      const names = Array.from({ length: 300 }, (_, index) => `user ${index}`);
      const results = await Promise.all(names.map((name) => line.enter(name)));
      expect(results).toEqual(
        names.map((_, index) => ({
          status: 'waiting',
          order: general(index + 1),
          position: index + 1,
          epoch: 1,
          fresh: true,
        })),
      );
      expect(await line.snapshot()).toMatchObject({ waiting: 300, totals: { joined: 300 } });
      const again = await Promise.all(names.map((name) => line.look(name)));
      expect(again).toEqual(results.map((result) => ({ ...result, fresh: false })));
    });

    it('who comes twice has one place or one slot', async () => {
      const line = await kit.open({ threshold: 1 });
      const calls = ['ann', 'ann', 'ben', 'ben', 'ann', 'ben'];
      const [slot, sameSlot, place, samePlace, ...later] = await Promise.all(calls.map((name) => line.enter(name)));
      expect(slot).toMatchObject({ status: 'active', fresh: true, slot: { order: general(1) } });
      expect(sameSlot).toEqual({ ...slot, fresh: false });
      expect(place).toMatchObject({ status: 'waiting', fresh: true, order: general(2), position: 1 });
      expect(samePlace).toEqual({ ...place, fresh: false });
      expect(later).toEqual([sameSlot, samePlace]);
      expect(await line.snapshot()).toMatchObject({ active: 1, waiting: 1, totals: { joined: 2, admitted: 1 } });
    });

    it('fill the threshold and not one slot more', async () => {
      const line = await kit.open({ threshold: 70 });
      const names = Array.from({ length: 150 }, (_, index) => `user ${index}`);
      const results = await Promise.all(names.map((name) => line.enter(name)));
      expect(results.map(({ status }) => status)).toEqual(names.map((_, index) => (index < 70 ? 'active' : 'waiting')));
      expect(results.at(70)).toMatchObject({ order: general(71), position: 1 });
      expect(await line.snapshot()).toMatchObject({
        active: 70,
        waiting: 80,
        watermark: general(70),
        totals: { admitted: 70 },
      });
      const { changes } = await line.changes();
      expect(changes.filter(({ kind }) => kind === 'slot')).toHaveLength(70);
      expect(changes.filter(({ kind }) => kind === 'spent')).toHaveLength(70);
    });

    it('with the same tier-1 number: the first has it', async () => {
      const line = await kit.open();
      const shown = [40, 40, 30, 50, 30, 45].map((number) => general(number, 2));
      const results = await Promise.all(
        shown.map((numbered, index) => line.enter(`user ${index}`, { numbered, roomOn: true })),
      );
      expect(results).toMatchObject([
        { status: 'waiting', order: general(40, 2), position: 1 },
        { status: 'number-taken' },
        { status: 'waiting', order: general(30, 2), position: 1 },
        { status: 'waiting', order: general(50, 2), position: 3 },
        { status: 'number-taken' },
        { status: 'waiting', order: general(45, 2), position: 3 },
      ]);
      expect(await line.snapshot()).toMatchObject({ waiting: 4, totals: { joined: 4 } });
    });

    it('by ticket, by number, looking, away and new: each as if alone', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      expect(await line.admit()).toMatchObject({ parked: 2, waiting: 0 });
      await line.leave('ben');
      const results = await Promise.all([
        line.enter('cat'),
        line.enter('eve', { ticketOrder: general(9) }),
        line.enter('dan'),
        line.look('fay'),
        line.enter('ann'),
        line.look('ben', { ticketOrder: general(2) }),
        line.enter('gil', { lane: 0 }),
        line.enter('ben', { ticketOrder: general(2) }),
        line.look('mallory', { ticketOrder: general(9) }),
        line.enter('hal', { roomOn: true }),
        line.look('cat'),
      ]);
      expect(results).toMatchObject([
        { status: 'waiting', order: general(3), position: 1, fresh: true },
        { status: 'waiting', order: general(9), position: 2, fresh: true },
        { status: 'waiting', order: general(10), position: 3, fresh: true },
        { status: 'none', spent: false },
        { status: 'waiting', order: general(1), position: 1, fresh: false },
        { status: 'none', spent: true },
        { status: 'waiting', order: packPlaceOrder({ lane: 0, era: 1, number: 11 }), position: 1, fresh: true },
        { status: 'waiting', order: general(12), position: 6, fresh: true },
        { status: 'none', spent: false },
        { status: 'tier1-required' },
        { status: 'waiting', order: general(3), position: 3, fresh: false },
      ]);
      expect(await line.snapshot()).toMatchObject({ waiting: 6, parked: 0 });
    });

    it('take a slot that has ended for over, once', async () => {
      const line = await kit.open({ threshold: 1 });
      await line.wantSlot('ann');
      line.wait(600_000);
      const results = await Promise.all([line.look('ann'), line.look('ann'), line.enter('ben'), line.enter('ann')]);
      expect(results).toMatchObject([
        { status: 'none' },
        { status: 'none' },
        { status: 'active', fresh: true, slot: { order: general(2) } },
        { status: 'waiting', order: general(3), position: 1 },
      ]);
      const { changes } = await line.changes();
      expect(changes.filter(({ kind }) => kind === 'slot-ended')).toHaveLength(1);
    });

    it('of several events, of which one is lost, are not mixed', async () => {
      const [one, two] = [await kit.open(), await kit.open({ threshold: 1 })];
      const unknown = { eventId: one.user('an event that nobody began') };
      const turn = [0, 1, 2].flatMap((n) => [
        one.enter(`user ${n}`),
        two.enter(`user ${n}`),
        one.store.enter({
          ...unknown,
          userId: one.user(`user ${n}`),
          mode: 'enter',
          lane: 1,
          roomOn: false,
          activeTtlMs: 600_000,
          nowMs: one.now(),
        }),
      ]);
      expect(await Promise.all(turn)).toMatchObject([
        { position: 1, order: general(1) },
        { status: 'active' },
        { status: 'lost' },
        { position: 2, order: general(2) },
        { position: 1, order: general(2) },
        { status: 'lost' },
        { position: 3, order: general(3) },
        { position: 2, order: general(3) },
        { status: 'lost' },
      ]);
    });
  });
}
