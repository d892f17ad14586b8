import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import { ids, type StoreKit } from './harness.ts';

const general = (number: number) => packPlaceOrder({ lane: 1, era: 1, number });

export function controlTests(kit: StoreKit): void {
  describe('settings', () => {
    it('change field by field', async () => {
      const line = await kit.open({ threshold: 3 });
      const before = { threshold: 3, paused: false, closed: false, message: null };
      const after = { ...before, paused: true, message: '잠시만 기다려 주세요: 2 % "more"\nsoon' };
      expect(await line.configure({ paused: true, message: after.message })).toEqual({ before, after });
      expect(await line.configure({})).toEqual({ before: after, after });
      expect(await line.configure({ message: null, closed: true, threshold: 0 })).toEqual({
        before: after,
        after: { threshold: 0, paused: true, closed: true, message: null },
      });
      expect(await line.snapshot()).toMatchObject({
        settings: { threshold: 0, paused: true, closed: true, message: null },
      });
    });

    it('keep an empty message apart from none', async () => {
      const line = await kit.open();
      expect(await line.configure({ message: '' })).toMatchObject({ after: { message: '' } });
    });
  });

  describe('clearing', () => {
    it('ends waiting and parked places in bounded steps; slots stay', async () => {
      const line = await kit.open({ threshold: 1 });
      await line.enter('shopper');
      for (const name of ['ann', 'ben', 'cat']) await line.enter(name);
      await line.configure({ threshold: 2 });
      await line.pass(90_000, { admitMax: 0 });
      await line.touch('cat');
      await line.touch('shopper');
      await line.admit({ parkMax: 1 });
      expect(await line.snapshot()).toMatchObject({ parked: 1, waiting: 2 });
      const upTo = [0, general(4)] as const;
      expect(await line.clear(0)).toEqual({ cleared: 0, left: 3, upTo });
      expect(await line.clear(2)).toEqual({ cleared: 2, left: 1, upTo });
      expect(await line.trace('ann')).toMatchObject({ place: 'parked' });
      expect(await line.clear(2)).toEqual({ cleared: 1, left: 0, upTo: [0, general(2)] });
      expect(await line.clear(2)).toEqual({ cleared: 0, left: 0, upTo: [0, 0] });
      expect(await line.snapshot()).toMatchObject({ waiting: 0, parked: 0, active: 1, totals: { left: 0 } });
      for (const [name, number] of [
        ['ann', 2],
        ['ben', 3],
        ['cat', 4],
      ] as const) {
        expect(await line.look(name, { ticketOrder: general(number) })).toMatchObject({ status: 'none', spent: true });
      }
    });
  });

  describe('the snapshot after a clearing', () => {
    it('says how many places it ended, and up to where nobody waits any more', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben', 'cat']) await line.enter(name);
      await line.enter('fan', { lane: 0 });
      const cleared = async () => (await line.snapshot()).cleared;
      const { upTo } = await line.clear(0);
      expect(await cleared()).toEqual({ count: 0, upTo: [0, 0] });
      await line.clear(2, upTo);
      expect(await cleared()).toEqual({ count: 2, upTo: [upTo[0], general(1)] });
      await line.enter('dan');
      await line.clear(5, upTo);
      expect(await cleared()).toEqual({ count: 4, upTo });
      await line.clear(5, upTo);
      expect(await cleared()).toEqual({ count: 4, upTo });
      expect(await line.trace('dan')).toMatchObject({ place: 'waiting' });
    });
  });

  describe('clearing up to a place', () => {
    it('leaves anyone who has entered since, in either lane and in a later era', async () => {
      const line = await kit.open();
      const presale = { lane: 0 } as const;
      for (const name of ['ann', 'ben']) await line.enter(name, presale);
      for (const name of ['cat', 'dan']) await line.enter(name);
      const { upTo } = await line.clear(0);
      expect(upTo).toEqual([packPlaceOrder({ lane: 0, era: 1, number: 2 }), general(4)]);
      const later = ['eve, presale', 'fay', 'gus, presale', 'hal'];
      await line.enter('eve, presale', presale);
      await line.enter('fay');
      expect(await line.clear(3, upTo)).toEqual({ cleared: 3, left: 1, upTo });
      await line.store.switchRoom({ eventId: line.eventId, era: 2, room: { on: false, era: 0, version: 1 } });
      await line.enter('gus, presale', presale);
      await line.enter('hal');
      expect(await line.clear(3, upTo)).toEqual({ cleared: 1, left: 0, upTo });
      expect(await line.clear(3, upTo)).toEqual({ cleared: 0, left: 0, upTo });
      for (const name of later) expect([name, (await line.trace(name)).place]).toEqual([name, 'waiting']);
      for (const name of ['ann', 'ben', 'cat', 'dan']) {
        expect([name, (await line.trace(name)).place]).toEqual([name, 'none']);
      }
    });

    it('ends nothing where nobody was, no matter who comes', async () => {
      const line = await kit.open();
      const { upTo } = await line.clear(0);
      expect(upTo).toEqual([0, 0]);
      await line.enter('ann');
      await line.enter('ben', { lane: 0 });
      expect(await line.clear(10, upTo)).toEqual({ cleared: 0, left: 0, upTo });
      expect(await line.snapshot()).toMatchObject({ waiting: 2 });
      // Only people of one lane are there: those who come later in the other one stay.
      await line.leave('ben');
      const last = (await line.clear(0)).upTo;
      await line.enter('cat', { lane: 0 });
      expect(await line.clear(10, last)).toMatchObject({ cleared: 1, left: 0 });
      expect(await line.trace('cat')).toMatchObject({ place: 'waiting' });
    });

    it('counts those who are away, also when they come back in between', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      await line.admit({ parkMax: 2 });
      expect(await line.snapshot()).toMatchObject({ parked: 2, waiting: 0 });
      const { upTo } = await line.clear(0);
      expect(upTo).toEqual([0, general(2)]);
      await line.enter('cat');
      await line.touch('ben');
      expect(await line.clear(1, upTo)).toEqual({ cleared: 1, left: 1, upTo });
      expect(await line.trace('ann')).toMatchObject({ place: 'parked' });
      expect(await line.clear(1, upTo)).toEqual({ cleared: 1, left: 0, upTo });
      expect(await line.snapshot()).toMatchObject({ parked: 0, waiting: 1 });
    });
  });

  describe('forgetting', () => {
    it('takes the longest unseen first, in bounded steps, and counts them', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben', 'cat', 'dan']) {
        await line.enter(name);
        line.wait(1_000);
      }
      await line.touch('ann');
      line.wait(600_000 - 3_000);
      // Ben was seen 600 s ago, cat 599 s.
      expect(await line.forget(600_000)).toBe(1);
      expect(await line.trace('ben')).toMatchObject({ place: 'none' });
      line.wait(10_000);
      expect(await line.forget(600_000, 2)).toBe(2);
      expect(await line.trace('ann')).toMatchObject({ place: 'waiting' });
      expect(await line.forget(600_000, 2)).toBe(1);
      expect(await line.snapshot()).toMatchObject({ waiting: 0, totals: { forgotten: 4, left: 0 } });
      expect(await line.changes()).toMatchObject({ changes: [] });
    });

    it('takes parked users too, and never anybody in a slot', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      await line.touch('ben');
      expect(await line.admit()).toMatchObject({ parked: 1, active: 1 });
      line.wait(599_999);
      expect(await line.forget(90_000)).toBe(1);
      expect(await line.snapshot()).toMatchObject({ parked: 0, active: 1 });
      expect(await line.enter('ann', { ticketOrder: general(1) })).toMatchObject({
        status: 'waiting',
        order: general(1),
      });
    });
  });

  describe('the events to look at', () => {
    it('are those with anybody in them, or with changes that the journal has not taken', async () => {
      const line = await kit.open();
      const { store, eventId } = line;
      const listed = async () => (await store.activeEvents()).includes(eventId);
      expect(await listed()).toBe(false);
      await line.enter('ann');
      expect(await listed()).toBe(true);
      await store.dropIdle(eventId);
      expect(await listed()).toBe(true);
      await line.leave('ann');
      await store.dropIdle(eventId);
      expect(await listed()).toBe(true);
      await store.acknowledge({ eventId, epoch: 1, upTo: 1 });
      await store.dropIdle(eventId);
      expect(await listed()).toBe(false);
      await line.enter('ben');
      expect(await listed()).toBe(true);
    });

    it('stay while somebody is parked or in a slot', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      await line.pass(90_000, { admitMax: 0 });
      expect(await line.admit()).toMatchObject({ parked: 1 });
      await line.store.dropIdle(line.eventId);
      expect(await line.store.activeEvents()).toContain(line.eventId);

      const shop = await kit.open({ threshold: 1 });
      await shop.enter('ann');
      await shop.store.acknowledge({ eventId: shop.eventId, epoch: 1, upTo: 2 });
      await shop.store.dropIdle(shop.eventId);
      expect(await shop.store.activeEvents()).toContain(shop.eventId);
    });

    it('stay while the token of a slot that was given up would still be good', async () => {
      const line = await kit.open({ threshold: 1 });
      const { store, eventId } = line;
      await line.enter('ann');
      await line.leave('ann');
      await store.acknowledge({ eventId, epoch: 1, upTo: 3 });
      await store.dropIdle(eventId);
      expect(await store.activeEvents()).toContain(eventId);
      line.wait(600_000);
      await line.admit();
      await store.dropIdle(eventId);
      expect(await store.activeEvents()).not.toContain(eventId);
    });

    it('are no more those that are lost', async () => {
      const eventId = ids.next();
      await kit.store().dropIdle(eventId);
      expect(await kit.store().activeEvents()).not.toContain(eventId);
    });
  });

  describe('the admission lock', () => {
    it('has one owner, who alone gives it back', async () => {
      const store = kit.store();
      const eventId = ids.next();
      expect(await store.tryLock({ eventId, owner: 'one', ttlMs: 60_000 })).toBe(true);
      expect(await store.tryLock({ eventId, owner: 'two', ttlMs: 60_000 })).toBe(false);
      expect(await store.tryLock({ eventId, owner: 'one', ttlMs: 60_000 })).toBe(false);
      await store.unlock({ eventId, owner: 'two' });
      expect(await store.tryLock({ eventId, owner: 'two', ttlMs: 60_000 })).toBe(false);
      expect(await store.tryLock({ eventId: ids.next(), owner: 'two', ttlMs: 1_000 })).toBe(true);
      await store.unlock({ eventId, owner: 'one' });
      expect(await store.tryLock({ eventId, owner: 'two', ttlMs: 60_000 })).toBe(true);
    });
  });
}
