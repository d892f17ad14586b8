import { describe, expect, it } from 'vitest';
import { outageMs } from '../../ports.ts';
import type { QueueLine, StoreKit } from './harness.ts';

const absentMs = 90_000;
const claimMs = 120_000;
const hourMs = 3_600_000;
const nobodyYet = { admitMax: 0 };

/** Ann waits before ben, and steps are made; then the store's clock is set back by an hour. */
async function anHourBack(kit: StoreKit, before: (line: QueueLine) => Promise<unknown> = async () => undefined) {
  const line = await kit.open();
  for (const name of ['ann', 'ben']) await line.enter(name);
  await line.configure({ threshold: 1 });
  await line.flush('one');
  await before(line);
  await line.admit(nobodyYet);
  line.wait(-hourMs);
  return line;
}

export function clockStepTests(kit: StoreKit): void {
  describe('a clock that is set back', () => {
    it('makes nobody absent at once, and everybody who stays silent in the usual time', async () => {
      const line = await anHourBack(kit);
      await line.pass(absentMs, nobodyYet, ['one']);
      await line.touch('ben');
      await line.flush('one');
      expect(await line.admit({ admitMax: 1 })).toMatchObject({ parked: 1, admitted: [{ userId: line.user('ben') }] });

      const sooner = await anHourBack(kit);
      await sooner.pass(absentMs - outageMs - 1, nobodyYet, ['one']);
      await sooner.touch('ben');
      await sooner.flush('one');
      expect(await sooner.admitted()).toEqual(['ann']);
    });

    it('after a pause of the steps, too', async () => {
      const line = await anHourBack(kit, async (paused) => {
        await paused.admit(nobodyYet);
        paused.wait(outageMs + 1);
      });
      await line.pass(absentMs, nobodyYet, ['one']);
      await line.touch('ben');
      await line.flush('one');
      expect(await line.admitted()).toEqual(['ben']);
    });

    it('does not lengthen the time to claim a slot', async () => {
      const line = await anHourBack(kit, (before) => before.admit());
      expect(await line.trace('ann')).toMatchObject({ place: 'active' });
      await line.pass(claimMs, nobodyYet, ['one']);
      await line.flush('one');
      expect(await line.admit(nobodyYet)).toMatchObject({ returned: 1, active: 0 });
    });

    it('does not shorten the time to claim a slot that is given before the next step', async () => {
      const line = await kit.open({ threshold: 1 });
      line.wait(2 * hourMs);
      await line.admit();
      line.wait(-hourMs);
      await line.wantSlot('ann', { unattended: true });
      await line.pass(claimMs - outageMs, nobodyYet);
      expect(await line.admit(nobodyYet)).toMatchObject({ returned: 0, active: 1 });
    });

    it('lengthens neither a recovery nor a hold', async () => {
      const line = await kit.open({ threshold: 5, recoveringMs: 75_000 });
      await line.enter('ann');
      await line.admit();
      line.wait(-hourMs);
      await line.admit();
      line.wait(75_000);
      expect(await line.admitted()).toEqual(['ann']);

      await line.leave('ann');
      await line.enter('ben', { mode: 'enter' });
      await line.leave('ben');
      await line.store.hold({ eventId: line.eventId, forMs: 8_000, nowMs: line.now() });
      line.wait(-hourMs);
      await line.enter('cat');
      await line.admit();
      line.wait(8_000);
      expect(await line.admitted()).toEqual(['cat']);
    });

    it('forgets a process that crashed before it, in the usual time', async () => {
      const line = await anHourBack(kit, (before) => before.flush('crashed'));
      await line.pass(60_000 + 2 * outageMs, nobodyYet, ['one']);
      await line.pass(absentMs, nobodyYet, ['one']);
      await line.touch('ben');
      await line.flush('one');
      expect(await line.admitted()).toEqual(['ben']);
      // An hour later it is not missed again.
      const later = await anHourBack(kit, (before) => before.flush('crashed'));
      await later.pass(hourMs - absentMs / 2, nobodyYet, ['one']);
      await later.touch('ann');
      await later.pass(absentMs, nobodyYet, ['one']);
      await later.touch('ben');
      await later.flush('one');
      expect(await later.admitted()).toEqual(['ben']);
    });

    it.each([true, false])('leaves no lock behind that keeps everybody waiting (turn: %s)', async (turn) => {
      const { store, eventId } = await kit.open();
      // So it looks to a store that lets keys end by a clock.
      expect(await store.tryLock({ eventId, owner: 'one', ttlMs: hourMs, turn })).toBe(true);
      expect(await store.tryLock({ eventId, owner: 'two', ttlMs: 1_000, turn })).toBe(true);
      expect(await store.tryLock({ eventId, owner: 'three', ttlMs: 1_000, turn })).toBe(false);
    });

    it('by less than an outage changes nothing', async () => {
      const line = await kit.open();
      for (const name of ['ann', 'ben']) await line.enter(name);
      await line.configure({ threshold: 1 });
      await line.pass(absentMs - 10_000, nobodyYet);
      line.wait(-outageMs);
      await line.pass(10_000 + outageMs, nobodyYet);
      await line.touch('ben');
      expect(await line.admitted()).toEqual(['ben']);
    });
  });
}
