import { describe, expect, it } from 'vitest';
import { flusherKeptMs, flushersMax, outageMs } from '../../ports.ts';
import type { QueueLine, StoreKit } from './harness.ts';

const absentMs = 90_000;
const claimMs = 120_000;
const nobodyYet = { admitMax: 0 };

/** Ann waits before ben, and two processes say that they tell signs of life. */
async function aPair(kit: StoreKit): Promise<QueueLine> {
  const line = await kit.open();
  await line.enter('ann');
  await line.enter('ben');
  await line.configure({ threshold: 1 });
  await line.flush('one', 'two');
  return line;
}

/** Ben is seen, a slot is free: is ann, who was not, passed over? */
async function whoIsNext(line: QueueLine): Promise<string[]> {
  await line.touch('ben');
  return line.admitted();
}

export function outageTests(kit: StoreKit): void {
  describe('a pause of the flushes', () => {
    it('is none while every process says that it flushes, however little there is to tell', async () => {
      const line = await aPair(kit);
      await line.pass(absentMs, nobodyYet, ['one', 'two']);
      await line.flush('one', 'two');
      await line.admit(nobodyYet);
      line.wait(outageMs);
      expect(await whoIsNext(line)).toEqual(['ben']);
    });

    it('of all processes is nobody’s absence, however long it lasts', async () => {
      const line = await aPair(kit);
      await line.pass(3_600_000, nobodyYet);
      expect(await whoIsNext(line)).toEqual(['ann']);
    });

    it('of one process is nobody’s absence while steps and the other’s flushes go on', async () => {
      const line = await aPair(kit);
      await line.pass(absentMs - 30_000, nobodyYet, ['one', 'two']);
      await line.pass(flusherKeptMs, nobodyYet, ['one']);
      expect(await whoIsNext(line)).toEqual(['ann']);
    });

    it('is over when the process flushes again, and absence counts from there', async () => {
      const line = await aPair(kit);
      await line.pass(30_000, nobodyYet, ['one']);
      await line.flush('two');
      await line.pass(absentMs - 1, nobodyYet, ['one', 'two']);
      await line.flush('one', 'two');
      expect(await line.admit(nobodyYet)).toMatchObject({ parked: 0 });
      line.wait(1);
      expect(await whoIsNext(line)).toEqual(['ben']);
    });

    it('counts also if it began and ended between two steps', async () => {
      const line = await aPair(kit);
      await line.pass(absentMs - 10_000, nobodyYet, ['one', 'two']);
      await line.flush('one', 'two');
      await line.admit(nobodyYet);
      line.wait(outageMs + 1);
      await line.flush('one', 'two');
      line.wait(5_000);
      expect(await whoIsNextAfterLongSteps(line)).toEqual(['ann']);
    });

    it('of a process that crashed counts for a minute, and then no more', async () => {
      const line = await aPair(kit);
      await line.pass(flusherKeptMs, nobodyYet, ['one']);
      await line.pass(5_000, nobodyYet, ['one']);
      // The last step at which it was missed is five seconds ago.
      await line.pass(absentMs - 5_000, nobodyYet, ['one']);
      await line.flush('one');
      expect(await whoIsNext(line)).toEqual(['ben']);
    });

    it('is none when a process has said that it ends', async () => {
      const line = await aPair(kit);
      await line.endFlushes('two');
      await line.pass(absentMs, nobodyYet, ['one']);
      await line.flush('one');
      expect(await whoIsNext(line)).toEqual(['ben']);

      const last = await aPair(kit);
      for (const id of ['one', 'two']) await last.endFlushes(id);
      await last.pass(absentMs, nobodyYet);
      expect(await whoIsNext(last)).toEqual(['ben']);
    });

    it('is noticed also by the last word of a process', async () => {
      const line = await aPair(kit);
      await line.pass(absentMs - 10_000, nobodyYet, ['one', 'two']);
      await line.flush('one', 'two');
      await line.admit(nobodyYet);
      line.wait(outageMs + 1);
      await line.endFlushes('two');
      await line.endFlushes('one');
      line.wait(5_000);
      expect(await whoIsNextAfterLongSteps(line)).toEqual(['ann']);
    });

    it('takes no slot from who may have asked for it', async () => {
      const line = await aPair(kit);
      expect(await whoIsNext(line)).toEqual(['ann']);
      await line.pass(110_000, nobodyYet, ['one', 'two']);
      await line.pass(30_000, nobodyYet, ['one']);
      expect(await line.admit(nobodyYet)).toMatchObject({ returned: 0, active: 1 });
    });

    it('of workers that crash again and again keeps a slot that nobody claims for a minute longer, and no more', async () => {
      const line = await aPair(kit);
      expect(await whoIsNext(line)).toEqual(['ann']);
      // Each is silent before the one before it is forgotten.
      let crashes = 0;
      const crash = async (forMs: number) => {
        for (let atMs = 0; atMs < forMs; atMs += 30_000) {
          crashes += 1;
          await line.flush(`worker ${crashes}`);
          await line.pass(30_000, nobodyYet, ['one', 'two']);
        }
      };
      await crash(claimMs + flusherKeptMs - 30_000);
      expect(await line.admit(nobodyYet)).toMatchObject({ returned: 0, active: 1 });
      await crash(30_000);
      await line.touch('ben');
      expect(await line.admit({ admitMax: 0 })).toMatchObject({ returned: 1, active: 0 });
      // Ann is ahead and gives a sign of life; the second time the place is over, and it is ben's turn.
      await line.touch('ann');
      expect(await line.admitted()).toEqual(['ann']);
      await crash(claimMs + flusherKeptMs);
      expect(await line.admit({ admitMax: 0 })).toMatchObject({ dropped: 1, active: 0 });
      expect(await whoIsNext(line)).toEqual(['ben']);
    });

    it('of all steps, again and again, keeps such a slot for as long as there were none', async () => {
      const line = await aPair(kit);
      expect(await whoIsNext(line)).toEqual(['ann']);
      // Half of the time nothing runs at all, and nobody can claim anything.
      for (let atMs = 0; atMs < claimMs + flusherKeptMs; atMs += 15_000) {
        await line.endFlushes('one');
        await line.endFlushes('two');
        expect(await line.admit(nobodyYet)).toMatchObject({ returned: 0 });
        line.wait(15_000);
        await line.pass(15_000, nobodyYet);
      }
      expect(await line.admit(nobodyYet)).toMatchObject({ returned: 1 });
    });

    it('of workers that crash again and again hides who is absent for a minute longer, and no more', async () => {
      const line = await aPair(kit);
      await crashes(line, absentMs + flusherKeptMs - 1);
      expect(await whoIsNext(line)).toEqual(['ann']);

      const later = await aPair(kit);
      await crashes(later, absentMs + flusherKeptMs);
      expect(await whoIsNext(later)).toEqual(['ben']);
    });

    it('of all workers, or of all steps, begins that time anew', async () => {
      const silent = await aPair(kit);
      await crashes(silent, 100_000);
      await silent.pass(30_000, nobodyYet);
      await crashes(silent, absentMs + flusherKeptMs - 30_000);
      expect(await whoIsNext(silent)).toEqual(['ann']);

      const still = await aPair(kit);
      await crashes(still, 100_000);
      await still.endFlushes('one');
      await still.endFlushes('two');
      still.wait(30_000);
      await crashes(still, absentMs + flusherKeptMs - 1);
      expect(await whoIsNext(still)).toEqual(['ann']);
    });

    it('is forgotten with the processes that were silent for longest, should there ever be too many', async () => {
      const line = await aPair(kit);
      line.wait(1);
      for (let n = 0; n < flushersMax; n++) await line.flush(`process ${n}`);
      await line.endFlushes('process 0');
      await line.flush('one');
      for (let n = 1; n < flushersMax; n++) await line.endFlushes(`process ${n}`);
      // One that was forgotten is not missed.
      await line.pass(absentMs, nobodyYet, ['one']);
      await line.flush('one');
      expect(await whoIsNext(line)).toEqual(['ben']);
    });
  });
}

/** A worker says one word and crashes, each half minute: one of them is always silent, while two others go on. */
async function crashes(line: QueueLine, forMs: number): Promise<void> {
  for (let atMs = 0; atMs < forMs; atMs += 30_000) {
    await line.flush(`worker at ${line.now()}`);
    await line.pass(Math.min(30_000, forMs - atMs), nobodyYet, ['one', 'two']);
  }
  await line.flush('one', 'two');
}

/** Where steps are ten seconds apart by intention. */
async function whoIsNextAfterLongSteps(line: QueueLine): Promise<string[]> {
  await line.touch('ben');
  return line.admitted({ outageMs: 25_000 });
}
