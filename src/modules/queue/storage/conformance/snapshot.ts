import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import { breakpointRanks } from '../../domain/ranks.ts';
import type { DeniedMark } from '../../ports.ts';
import { aBegin, present, type StoreKit, startMs } from './harness.ts';

const general = (number: number) => packPlaceOrder({ lane: 1, era: 1, number });

export function snapshotTests(kit: StoreKit): void {
  describe('the snapshot', () => {
    it('of an empty event is whole', async () => {
      const line = await kit.open({ threshold: 3, era: 4, epoch: 7, watermark: general(9) });
      expect(await line.snapshot()).toEqual({
        status: 'ok',
        epoch: 7,
        era: 4,
        atMs: startMs,
        watermark: general(9),
        waiting: 0,
        parked: 0,
        active: 0,
        settings: { threshold: 3, paused: false, closed: false, message: null },
        settingsVersion: 0,
        room: { on: false, era: 0, version: 0 },
        numbered: 0,
        recovering: false,
        admittedPerSecond: Array.from({ length: 60 }, () => 0),
        totals: { joined: 0, admitted: 0, left: 0, noShows: 0, forgotten: 0 },
        breakpoints: [],
        denied: [],
        deniedMark: { epoch: 7, serial: 0 },
        cleared: { count: 0, upTo: [0, 0] },
      });
    });

    it('has the latest version of the settings that was told, until the state is begun anew', async () => {
      const { store, eventId, snapshot } = await kit.open({ threshold: 3 });
      for (const version of [2, 10, 9]) await store.configure({ eventId, changes: {}, version });
      await store.configure({ eventId, changes: { paused: true } });
      expect(await snapshot()).toMatchObject({ settingsVersion: 10, settings: { threshold: 3, paused: true } });
      await store.begin(aBegin(eventId, { epoch: 2 }));
      expect(await snapshot()).toMatchObject({ settingsVersion: 0 });
    });

    it('has of the denied slots only those that are new to who asks, and all of them in a new epoch', async () => {
      const line = await kit.open({ threshold: 5 });
      const [ann, ben] = [await line.wantSlot('ann'), await line.wantSlot('ben')];
      const since = async (deniedSince: DeniedMark) =>
        present(await line.store.snapshot({ eventId: line.eventId, nowMs: line.now(), deniedSince }));
      await line.leave('ann');
      const first = await line.snapshot();
      expect(first.denied).toEqual([{ slotId: ann.slotId, untilMs: ann.endsAtMs }]);
      expect((await since(first.deniedMark)).denied).toEqual([]);
      await line.endSlot('ben', ben.slotId);
      const second = await since(first.deniedMark);
      expect(second.denied).toEqual([{ slotId: ben.slotId, untilMs: ben.endsAtMs }]);
      expect((await line.snapshot()).denied).toHaveLength(2);

      const denied = [{ slotId: 'slot-1', untilMs: ann.endsAtMs }];
      await line.store.begin(aBegin(line.eventId, { epoch: 2, denied }));
      const anew = await since(second.deniedMark);
      expect(anew.denied).toEqual(denied);
      expect((await since(anew.deniedMark)).denied).toEqual([]);
    });

    it('has the admissions of each of the last 60 whole seconds', async () => {
      const line = await kit.open({ threshold: 100 });
      await line.enter('ann');
      line.wait(999);
      await line.enter('ben');
      expect((await line.snapshot()).admittedPerSecond.at(-1)).toBe(0);
      line.wait(1);
      expect((await line.snapshot()).admittedPerSecond.at(-1)).toBe(2);
      await line.enter('cat');
      line.wait(59_000);
      const window = (await line.snapshot()).admittedPerSecond;
      expect({ length: window.length, first: window[0], second: window[1] }).toEqual({
        length: 60,
        first: 2,
        second: 1,
      });
      line.wait(2_000);
      expect((await line.snapshot()).admittedPerSecond).toEqual(Array.from({ length: 60 }, () => 0));
    });

    it('has the orders at the agreed ranks', async () => {
      const count = 2_200;
      const line = await kit.open();
      await Promise.all(
        Array.from({ length: count }, (_, index) => line.enter(`user ${index}`, { numbered: general(index * 3 + 1) })),
      );
      const { breakpoints, waiting } = await line.snapshot();
      expect(waiting).toBe(count);
      expect(breakpoints.slice(0, 2)).toEqual([
        { rank: 1, order: general(1) },
        { rank: 51, order: general(151) },
      ]);
      expect(breakpoints.map(({ rank }) => rank)).toEqual(breakpointRanks(count));
      expect(breakpoints.map(({ order }) => order)).toEqual(
        breakpointRanks(count).map((rank) => general((rank - 1) * 3 + 1)),
      );
    });

    it('counts the highest order ever admitted, not the last', async () => {
      const line = await kit.open();
      for (const number of [5, 9]) await line.enter(`user ${number}`, { numbered: general(number) });
      await line.configure({ threshold: 2 });
      await line.admit();
      await line.leave('user 9');
      await line.enter('user 2', { numbered: general(2) });
      expect(await line.snapshot()).toMatchObject({ watermark: general(9), active: 2 });
    });
  });

  describe('the trace of a user', () => {
    it('says where someone is and since when unseen', async () => {
      const line = await kit.open({ threshold: 1 });
      const slot = await line.wantSlot('ann');
      await line.enter('ben');
      await line.enter('cat');
      line.wait(1_000);
      const base = { status: 'ok', seenAtMs: startMs, returned: false };
      expect(await line.trace('ann')).toEqual({
        ...base,
        place: 'active',
        order: slot.order,
        position: null,
        slot: { ...slot, claimed: true },
      });
      expect(await line.trace('cat')).toEqual({
        ...base,
        place: 'waiting',
        order: general(3),
        position: 2,
        slot: null,
      });
      expect(await line.trace('eve')).toEqual({
        ...base,
        place: 'none',
        order: null,
        position: null,
        seenAtMs: null,
        slot: null,
      });
      await line.touch('cat');
      expect(await line.trace('cat')).toMatchObject({ seenAtMs: line.now() });
    });

    it('is no sign of life and claims nothing', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      await line.admit();
      line.wait(1_000);
      await line.trace('ann');
      // Being admitted is no sign of life either.
      expect(await line.trace('ann')).toMatchObject({ slot: { claimed: false }, seenAtMs: startMs });
    });
  });
}
