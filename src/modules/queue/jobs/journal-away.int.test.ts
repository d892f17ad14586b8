import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import type { QueueConfig, QueueJournal } from '../ports.ts';
import { snapshotOf } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { activeUsers, anAdmission, enterAll, ticks, usersOf } from '../testing/an-admission.ts';
import { aQueueProcess } from '../testing/queue-processes.ts';

const { journal } = await aJournal();

const aSetting = (config: Partial<QueueConfig> = {}) => anAdmission(journal, config);

test('while the journal cannot be written nobody is admitted, which is said once, and it goes on by itself', async () => {
  const { clock, memory, eventId } = aSetting();
  const lines: { level: string; msg: string }[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  let away = false;
  const fails = () => Promise.reject(platformErrors.fault('DATABASE_UNAVAILABLE'));
  const unsteady: QueueJournal = {
    ...journal,
    write: (...batch) => (away ? fails() : journal.write(...batch)),
    settingsOf: (ids) => (away ? fails() : journal.settingsOf(ids)),
  };
  const process = aQueueProcess({ store: memory, journal: unsteady, clock, config: { threshold: 3 }, logger });
  const users = usersOf(10);
  await enterAll(process, eventId, users);
  await process.tick();
  away = true;
  await memory.leave({ eventId, userId: 'user-0' });
  await ticks(process, clock, 5);
  expect(await activeUsers(memory, eventId, users)).toEqual(['user-1', 'user-2']);
  // Nor does entering give a slot, although there is one free and nobody in the way.
  await memory.clear({ eventId, limit: 100 });
  expect(await process.enter(eventId, 'late')).toMatchObject({ status: 'waiting' });
  const said = lines.filter(({ msg }) => msg.includes('admission is paused'));
  expect(said).toEqual([expect.objectContaining({ level: 'error' })]);

  away = false;
  await ticks(process, clock, 10);
  expect(await activeUsers(memory, eventId, [...users, 'late'])).toEqual(['user-1', 'user-2', 'late']);
  expect(lines.some(({ msg }) => msg.includes('admission goes on'))).toBe(true);
  expect((await journal.load(eventId)).slots).toHaveLength(3);
});

test('a write that fails once costs one step', async () => {
  const { clock, memory, eventId } = aSetting();
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  let fails: 'before' | 'after' | 'never' = 'never';
  const unsteady: QueueJournal = {
    ...journal,
    async write(eventId, batch) {
      const now = fails;
      fails = 'never';
      if (now === 'before') throw platformErrors.fault('DATABASE_UNAVAILABLE');
      const outcome = await journal.write(eventId, batch);
      if (now === 'never') return outcome;
      // Another process has written the same in the meantime, so that nothing is left for the next try.
      await memory.acknowledge({ eventId, epoch: batch.epoch, upTo: batch.from + batch.changes.length });
      throw platformErrors.fault('DATABASE_UNAVAILABLE');
    },
  };
  const config = { threshold: 100, admissionBatch: 1 };
  const process = aQueueProcess({ store: memory, journal: unsteady, clock, config, logger });
  await process.enter(eventId, 'opener');
  await memory.configure({ eventId, changes: { paused: true } });
  await enterAll(process, eventId, usersOf(20));
  await memory.configure({ eventId, changes: { paused: false } });
  const admitted: number[] = [];
  const step = async () => {
    await ticks(process, clock, 1);
    admitted.push((await activeUsers(memory, eventId, usersOf(20))).length);
  };
  fails = 'before';
  for (let n = 0; n < 4; n++) await step();
  expect(admitted).toEqual([0, 1, 2, 3]);
  expect(lines.filter((line) => line.includes('admission goes on'))).toHaveLength(1);

  await memory.leave({ eventId, userId: 'opener' });
  fails = 'after';
  for (let n = 0; n < 3; n++) await step();
  expect(admitted.slice(4)).toEqual([3, 4, 5]);
});

test('one process that cannot write the journal does not stop the others, who can', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 1_000, admissionBatch: 1 });
  const fails = () => Promise.reject(platformErrors.fault('DATABASE_UNAVAILABLE'));
  const sick = start({ journal: { ...journal, write: fails, settingsOf: fails } });
  const well = start();
  await well.enter(eventId, 'opener');
  await memory.configure({ eventId, changes: { paused: true } });
  await enterAll(well, eventId, usersOf(60));
  await memory.configure({ eventId, changes: { paused: false } });
  for (let second = 0; second < 40; second++) {
    clock.advance(1_000);
    for (const process of second % 2 === 0 ? [sick, well] : [well, sick]) await process.tick();
  }
  // One a second, but for the time until the sick one knew that somebody else writes.
  expect((await snapshotOf(memory, eventId)).active).toBeGreaterThan(25);
  expect((await journal.load(eventId)).slots.length).toBeGreaterThan(25);
});
