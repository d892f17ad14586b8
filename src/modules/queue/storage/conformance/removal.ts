import { describe, expect, it } from 'vitest';
import { aBegin, type QueueLine, type StoreKit } from './harness.ts';

export function removalTests(kit: StoreKit): void {
  const remove = async ({ store, eventId, now }: QueueLine, epoch = 1) =>
    (await store.remove({ eventId, epoch, nowMs: now() })).removed;

  async function journalAll(line: QueueLine) {
    const { changes, from } = await line.changes();
    await line.store.acknowledge({ eventId: line.eventId, epoch: 1, upTo: from + changes.length });
    return changes;
  }

  describe('removing an event', () => {
    it('waits until nobody is there and the journal has everything', async () => {
      const line = await kit.open({ threshold: 1 });
      await line.wantSlot('ann');
      await line.wantPlace('ben');
      await journalAll(line);
      expect(await remove(line)).toBe(false);
      await line.leave('ben');
      await journalAll(line);
      expect(await remove(line)).toBe(false);
      line.wait(600_000);
      // Over, but nobody has dropped it yet.
      expect(await remove(line)).toBe(false);
      await line.admit();
      expect(await remove(line)).toBe(false);
      await journalAll(line);
      expect(await remove(line)).toBe(true);
      expect(await line.store.snapshot({ eventId: line.eventId })).toEqual({ status: 'lost' });
      expect(await line.store.activeEvents()).not.toContain(line.eventId);
      expect(await remove(line)).toBe(true);
    });

    it('waits until the last token of a slot that ended early is worth nothing by itself', async () => {
      const line = await kit.open({ threshold: 2 });
      await line.wantSlot('ann');
      line.wait(1_000);
      await line.wantSlot('ben');
      for (const name of ['ben', 'ann']) await line.leave(name);
      await journalAll(line);
      line.wait(599_999);
      expect(await remove(line)).toBe(false);
      expect((await line.snapshot()).denied).toHaveLength(1);
      line.wait(1);
      expect(await remove(line)).toBe(true);
    });

    it('leaves a later epoch alone', async () => {
      const line = await kit.open({ epoch: 2 });
      expect(await remove(line, 1)).toBe(false);
      expect(await remove(line, 3)).toBe(false);
      expect(await line.snapshot()).toMatchObject({ epoch: 2 });
      expect(await remove(line, 2)).toBe(true);
    });

    it('leaves nothing behind: begun again, it is as the journal says and no more', async () => {
      const line = await kit.open({ threshold: 1 });
      const { order } = await line.wantSlot('ann');
      const unspent = await line.wantPlace('ben');
      await line.configure({ message: 'so nah', paused: true });
      line.wait(600_000);
      await line.forget(1);
      await line.admit();
      await journalAll(line);
      expect(await remove(line)).toBe(true);
      await line.store.begin(aBegin(line.eventId, { epoch: 2, era: 2, nowMs: line.now() }));
      expect(await line.snapshot()).toMatchObject({
        epoch: 2,
        waiting: 0,
        active: 0,
        watermark: 0,
        settings: { threshold: 0, paused: false, message: null },
        totals: { joined: 0, admitted: 0, left: 0, noShows: 0, forgotten: 0 },
      });
      // This journal was empty, so neither of them is spent.
      expect(await line.enter('ann', { ticketOrder: order })).toMatchObject({ order });
      expect(await line.enter('ben', { ticketOrder: unspent })).toMatchObject({ order: unspent });
    });
  });
}
