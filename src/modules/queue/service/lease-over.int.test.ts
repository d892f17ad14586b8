import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { eventually } from '#test/kit/faults.ts';
import type { QueueJournal, QueueStore, Slot } from '../ports.ts';
import { aJournal } from '../testing/a-journal.ts';
import { activeUsers, anAdmission, enterAll } from '../testing/an-admission.ts';

const { journal } = await aJournal();

/** A process that stands still just before its next call that may give a slot, cut off from the journal, until its lease is over. */
function aSleeper() {
  const { memory, eventId, clock, start } = anAdmission(journal, { threshold: 1 });
  const state = { armed: false, away: false };
  const steady = <Call extends (...args: never[]) => Promise<unknown>>(call: Call) =>
    ((...args: never[]) =>
      state.away ? Promise.reject(platformErrors.fault('DATABASE_UNAVAILABLE')) : call(...args)) as Call;
  const unsteady: QueueJournal = { ...journal, confirm: steady(journal.confirm), write: steady(journal.write) };
  async function sleep(): Promise<void> {
    if (!state.armed) return;
    state.armed = false;
    state.away = true;
    await eventually(async () => !(await process.watch.mayGrant(eventId)), {
      withinMs: 30_000,
      what: 'the lease ends',
    });
  }
  const store: QueueStore = {
    ...memory,
    async enter(call) {
      if (call.withoutSlot !== true) await sleep();
      return memory.enter(call);
    },
    async admit(call) {
      await sleep();
      return memory.admit(call);
    },
  };
  const announced: Slot[] = [];
  const observe = { admitted: (_eventId: string, slots: readonly Slot[]) => void announced.push(...slots) };
  const process = start({ store, journal: unsteady, admission: { observe } });
  const isActive = async (user: string) => (await activeUsers(memory, eventId, [user])).length === 1;
  return { process, memory, clock, eventId, state, announced, isActive };
}

test('a slot that entering gave after the lease was over is told to nobody until the journal says that it counts', async () => {
  const { process, eventId, state, isActive } = aSleeper();
  await process.watch.mayGrant(eventId);
  await process.enter(eventId, 'first').then(() => process.leave(eventId, 'first'));
  state.armed = true;
  await expect(process.enter(eventId, 'ann')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await isActive('ann')).toBe(true);
  await expect(process.enter(eventId, 'ann')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  state.away = false;
  await eventually(async () => (await process.enter(eventId, 'ann').catch(() => null))?.status === 'active', {
    withinMs: 30_000,
    what: 'ann is told',
  });
});

test('a slot that a step gave after the lease was over is told to nobody until the journal says that it counts', async () => {
  const { process, memory, clock, eventId, state, announced, isActive } = aSleeper();
  await enterAll(process, eventId, ['ann', 'cat']);
  await process.tick();
  // Nothing is left to write, so the next step goes by the lease alone.
  await memory.configure({ eventId, changes: { threshold: 2 } });
  clock.advance(1_000);
  state.armed = true;
  await process.tick().catch(() => undefined);
  expect(await isActive('cat')).toBe(true);
  expect(announced).toEqual([]);
  await expect(process.enter(eventId, 'cat')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  state.away = false;
  await eventually(async () => (await process.enter(eventId, 'cat').catch(() => null))?.status === 'active', {
    withinMs: 30_000,
    what: 'cat is told',
  });
});
