import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from '../../domain/place-order.ts';
import { marksKept, marksMax } from '../../ports.ts';
import { aBegin, ids, present, type StoreKit, startMs } from './harness.ts';

const general = (number: number) => packPlaceOrder({ lane: 1, era: 1, number });

export function journalTests(kit: StoreKit): void {
  describe('changes for the journal', () => {
    it('tell of slots and spent places, in an order that may be cut anywhere', async () => {
      const line = await kit.open({ threshold: 1 });
      const slot = await line.wantSlot('ann');
      await line.enter('ben');
      await line.leave('ben');
      await line.leave('ann');
      expect(await line.changes()).toEqual({
        status: 'ok',
        epoch: 1,
        from: 0,
        backlog: 4,
        changes: [
          { kind: 'slot', slot, claimed: true },
          { kind: 'spent', order: general(1) },
          { kind: 'spent', order: general(2) },
          { kind: 'slot-ended', userId: line.user('ann'), slotId: slot.slotId },
        ],
      });
    });

    it('tell of a place that is given back', async () => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      const [slot] = (await line.admit()).admitted;
      await line.pass(120_000);
      await line.admit();
      expect((await line.changes()).changes).toEqual([
        { kind: 'slot', slot, claimed: false },
        { kind: 'spent', order: general(1) },
        { kind: 'unspent', order: general(1) },
        { kind: 'slot-ended', userId: line.user('ann'), slotId: slot?.slotId },
      ]);
    });

    it.each(['enter', 'look'] as const)('tell of a claim by %s, once', async (mode) => {
      const line = await kit.open();
      await line.enter('ann');
      await line.configure({ threshold: 1 });
      const [slot] = (await line.admit()).admitted;
      await line.touch('ann');
      await line.trace('ann');
      expect((await line.changes()).changes).toEqual([
        { kind: 'slot', slot, claimed: false },
        { kind: 'spent', order: general(1) },
      ]);
      await line.enter('ann', { mode });
      await line.enter('ann', { mode });
      expect((await line.changes()).changes.slice(2)).toEqual([{ kind: 'slot', slot, claimed: true }]);
    });

    it('tell of slots that ended by time or by their id, and of cleared places', async () => {
      const line = await kit.open({ threshold: 2 });
      const slots = [await line.wantSlot('ann'), await line.wantSlot('ben')];
      for (const name of ['cat', 'dan']) await line.enter(name);
      await line.endSlot('ben', slots[1]?.slotId ?? '');
      line.wait(600_000);
      await line.admit({ admitMax: 0 });
      await line.clear(10);
      expect((await line.changes()).changes.slice(4)).toEqual([
        { kind: 'slot-ended', userId: line.user('ben'), slotId: slots[1]?.slotId },
        { kind: 'slot-ended', userId: line.user('ann'), slotId: slots[0]?.slotId },
        { kind: 'spent', order: general(3) },
        { kind: 'spent', order: general(4) },
      ]);
    });

    it('are read in parts and dropped once acknowledged, by position and epoch', async () => {
      const line = await kit.open();
      const { store, eventId } = line;
      for (const name of ['ann', 'ben', 'cat', 'dan']) {
        await line.enter(name);
        await line.leave(name);
      }
      expect(await line.changes(2)).toMatchObject({
        from: 0,
        backlog: 4,
        changes: [{ order: general(1) }, { order: general(2) }],
      });
      await store.acknowledge({ eventId, epoch: 1, upTo: 2 });
      // A second process says the same, or says it of another epoch.
      await store.acknowledge({ eventId, epoch: 1, upTo: 2 });
      await store.acknowledge({ eventId, epoch: 2, upTo: 4 });
      await store.acknowledge({ eventId, epoch: 1, upTo: 1 });
      expect(await line.changes()).toMatchObject({
        from: 2,
        backlog: 2,
        changes: [{ order: general(3) }, { order: general(4) }],
      });
      await store.acknowledge({ eventId, epoch: 1, upTo: 4 });
      expect(await line.changes()).toEqual({ status: 'ok', epoch: 1, from: 4, backlog: 0, changes: [] });
      await line.enter('eve');
      await line.leave('eve');
      expect(await line.changes()).toMatchObject({ from: 4, backlog: 1 });
    });

    it('is no end of them: what became of places is told for a while longer, to all who ask', async () => {
      const line = await kit.open({ threshold: 1 });
      const { store, eventId } = line;
      const marks = async (from: number, epoch = 1) => present(await store.marks({ eventId, epoch, from }));
      expect(await marks(0)).toEqual({ status: 'ok', marks: [], upTo: 0, more: false });
      await line.enter('ann', { unattended: true });
      await line.enter('ben');
      await line.leave('ben');
      await line.pass(130_000);
      const [isSpent, isNot] = [
        (n: number) => ({ order: general(n), isSpent: true }),
        (n: number) => ({ order: general(n), isSpent: false }),
      ];
      const all = [isSpent(1), isSpent(2), isNot(1)];
      const told = await marks(0);
      expect(told).toMatchObject({ status: 'ok', marks: all, more: false });
      const { upTo } = told as { upTo: number };
      for (const taken of [3, 0, upTo]) {
        const { changes, from } = await line.changes(taken);
        await store.acknowledge({ eventId, epoch: 1, upTo: from + changes.length });
        expect(await marks(0)).toEqual(told);
        expect(await marks(2)).toMatchObject({ marks: all.slice(1), upTo });
        expect(await marks(upTo)).toEqual({ status: 'ok', marks: [], upTo, more: false });
      }
      expect([await marks(upTo + 1), await marks(0, 2)]).toEqual([{ status: 'gap' }, { status: 'gap' }]);
      expect(await store.marks({ eventId: ids.next(), epoch: 1, from: 0 })).toEqual({ status: 'lost' });
      await store.begin(aBegin(eventId, { epoch: 2 }));
      expect([await marks(0, 1), await marks(0, 2)]).toEqual([
        { status: 'gap' },
        { status: 'ok', marks: [], upTo: 0, more: false },
      ]);
    });

    it('does not know for ever what became of places', async () => {
      const line = await kit.open();
      const { store, eventId } = line;
      const users = Array.from({ length: marksKept + 10 }, () => ids.next());
      const base = { eventId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 1_000, nowMs: line.now() } as const;
      for (let from = 0; from < users.length; from += 500) {
        await Promise.all(users.slice(from, from + 500).map((userId) => store.enter({ ...base, userId })));
      }
      for (let left = 1; left > 0; ) left = (await line.clear(1_000)).left;
      const marks = async (from: number) => present(await store.marks({ eventId, epoch: 1, from }));
      expect(await marks(0)).toMatchObject({ upTo: marksMax, more: true });
      expect(await marks(marksMax)).toMatchObject({ upTo: marksKept + 10, more: false });
      await store.acknowledge({ eventId, epoch: 1, upTo: marksKept + 10 });
      expect(await marks(9)).toEqual({ status: 'gap' });
      const last = await marks(10);
      expect(last).toMatchObject({ upTo: marksKept + 10, more: false });
      expect(last.status === 'ok' && last.marks).toHaveLength(marksKept);
    });

    it('is told all that it keeps by a dump, from which the event begins as it was', async () => {
      const line = await kit.open({ threshold: 3 });
      // More than one read of a bitmap takes, and a mark in its last byte.
      const bits = Buffer.alloc(40_000, 0);
      for (const byte of [0, 16_384, 39_999]) bits[byte] = 0x81;
      const spent = [{ era: 1, chunk: 0, bits }];
      const endsAtMs = startMs + 600_000;
      const slotOf = (name: string, number: number, claimed: boolean) => {
        const order = general(number);
        return { slotId: `${line.eventId}.${order}.1`, userId: line.user(name), order, endsAtMs, claimed };
      };
      const slots = [slotOf('ann', 15, true), slotOf('ben', 23, false)].sort((a, b) => (a.userId < b.userId ? -1 : 1));
      const denied = [{ slotId: 'over', untilMs: endsAtMs }];
      const loaded = {
        era: 2,
        room: { on: true, era: 3, version: 5 },
        slots,
        denied,
        returned: [slots[1]?.order ?? 0, general(40)],
      };
      await line.store.begin(aBegin(line.eventId, { epoch: 2, ...loaded, spent, sequence: 7, watermark: 9 }));
      const dump = present(await line.store.dump({ eventId: line.eventId, nowMs: line.now() }));
      for (const byte of [1, 2]) bits[byte] = 0x01;
      const returned = loaded.returned.toSorted((a, b) => a - b);
      expect(dump).toEqual({ status: 'ok', epoch: 2, from: 0, ...loaded, returned, spent, sequence: 7, watermark: 9 });
      await line.store.begin(aBegin(line.eventId, { ...dump, epoch: 3 }));
      const again = present(await line.store.dump({ eventId: line.eventId, nowMs: line.now() }));
      expect(again).toEqual({ ...dump, epoch: 3 });
      expect(await line.store.dump({ eventId: ids.next() })).toEqual({ status: 'lost' });
    });
  });
}
