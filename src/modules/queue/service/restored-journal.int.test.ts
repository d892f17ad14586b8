import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { QueueStore } from '../ports.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { snapshotOf } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { enterAll, ticks, usersOf } from '../testing/an-admission.ts';
import { aQueueProcess } from '../testing/queue-processes.ts';

const { database, journal } = await aJournal();
const tables = ['events', 'slots', 'spent', 'returned'];

/** What PostgreSQL knows of the queues, put away and brought back, as by a backup that is restored. */
async function backUp(): Promise<() => Promise<void>> {
  const saved: { table: string; rows: string }[] = [];
  for (const table of tables) {
    const { rows } = await database.query<{ rows: string }>(
      `SELECT coalesce(json_agg(row_to_json(each)), '[]')::text AS rows FROM queue.${table} AS each`,
    );
    saved.push({ table, rows: rows[0]?.rows ?? '[]' });
  }
  return async () => {
    for (const { table, rows } of saved) {
      await database.query(`DELETE FROM queue.${table}`);
      await database.query(
        `INSERT INTO queue.${table} SELECT * FROM json_populate_recordset(NULL::queue.${table}, $1)`,
        [rows],
      );
    }
  };
}

function aSale() {
  const clock = aClock();
  const memory = createMemoryStore({ clock });
  const eventId = randomUUID();
  const lines: { level: string; msg: string }[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const config = { threshold: 3, recoveringMs: 5_000 };
  let server = 'first';
  const store: QueueStore = {
    ...memory,
    identity: async () => server,
    servers: async () => ({ of: () => server, has: (other) => other === server, all: () => [server] }),
    connection: () => server,
  };
  const start = () => aQueueProcess({ store, journal, clock, config, logger });
  const isElsewhere = (name: string) => {
    server = name;
    memory.wipe();
  };
  return { clock, memory, store, eventId, lines, start, isElsewhere };
}

const slotIds = (some: readonly { slotId: string }[]) => some.map(({ slotId }) => slotId).sort();
const shoppersOf = async (eventId: string) => (await journal.load(eventId)).slots.map(({ userId }) => userId).sort();

const restored = ['of the same epoch', 'of an earlier epoch, on another server', 'from before the event'] as const;
const afterwards = ['under a process that goes on', 'before a process is started'] as const;

test.each(restored.flatMap((which) => afterwards.map((then) => ({ which, then }))))(
  'a journal that was restored, $which, $then, catches up with the store: no slot is lost or given twice',
  async ({ which, then }) => {
    const { clock, memory, eventId, lines, start, isElsewhere } = aSale();
    let process = start();
    const users = usersOf(12);
    const tickets = new Map<string, PlaceOrder>();
    let restore = await backUp();
    const enter = async (some: string[]) => {
      for (const [user, order] of await enterAll(process, eventId, some)) tickets.set(user, order);
      await ticks(process, clock, 2);
    };
    await enter(users.slice(0, 6));
    if (which !== 'from before the event') restore = await backUp();
    if (which === 'of an earlier epoch, on another server') {
      isElsewhere('second');
      await enterAll(process, eventId, users.slice(0, 6), tickets);
      await ticks(process, clock, 10);
    }
    // Two are done, the next two have their slots, and some more come.
    for (const user of ['user-0', 'user-1']) await process.leave(eventId, user);
    await ticks(process, clock, 2);
    for (const user of ['user-3', 'user-4']) await process.enter(eventId, user, tickets.get(user));
    await enter(users.slice(6, 9));
    const shopping = ['user-2', 'user-3', 'user-4'];
    expect(await shoppersOf(eventId)).toEqual(shopping);

    await restore();
    if (then === 'before a process is started') process = start();
    await process.leave(eventId, 'user-2');
    await ticks(process, clock, 5);
    // It says so, and goes on from what the store knows.
    expect(lines.filter(({ level, msg }) => level === 'error' && msg.includes('older than the store'))).not.toEqual([]);
    expect(await shoppersOf(eventId)).toEqual(['user-3', 'user-4', 'user-5']);
    const inStore = await snapshotOf(memory, eventId);
    expect(inStore).toMatchObject({ active: 3, waiting: 3 });
    // Also which slots were given up: their tokens are good for nothing after the next loss, too.
    expect(inStore.denied).toHaveLength(3);
    expect(slotIds((await journal.load(eventId)).denied)).toEqual(slotIds(inStore.denied));

    // And if the store is lost after that, the journal brings back what was.
    isElsewhere('third');
    process = start();
    for (const user of ['user-0', 'user-1', 'user-2']) {
      const look = { eventId, userId: user, mode: 'look', lane: 1, roomOn: false, activeTtlMs: 1_000 } as const;
      const ticketOrder = tickets.get(user) ?? 0;
      const result = await process.states.withState(eventId, () => memory.enter({ ...look, ticketOrder }));
      expect(result).toMatchObject({ status: 'none', spent: true });
    }
    for (const user of ['user-3', 'user-4', 'user-5'])
      expect(await process.enter(eventId, user)).toMatchObject({ status: 'active' });
    const orders = await enterAll(process, eventId, users.slice(6, 9), tickets);
    for (const user of users.slice(6, 9)) expect(orders.get(user)).toBe(tickets.get(user));
    expect(await snapshotOf(memory, eventId)).toMatchObject({ active: 3, waiting: 3 });
  },
);

test.each(['before the operator changed the settings', 'before the event'] as const)(
  'a journal that was restored to %s takes over the settings in force: a pause stays a pause',
  async (which) => {
    const { clock, memory, eventId, lines, start } = aSale();
    const process = start();
    let restore = await backUp();
    await enterAll(process, eventId, usersOf(2));
    await ticks(process, clock, 2);
    await journal.saveSettings(eventId, { message: 'welcome' });
    await process.states.withState(eventId, () => memory.configure({ eventId, changes: { message: 'welcome' } }));
    await ticks(process, clock, 2);
    if (which === 'before the operator changed the settings') restore = await backUp();
    const changes = { threshold: 2, paused: true, closed: true, message: 'technical trouble' };
    await process.states.withState(eventId, () => memory.configure({ eventId, changes }));
    await journal.saveSettings(eventId, changes);
    await ticks(process, clock, 3);

    await restore();
    // That it lacks the whole event is noticed with the next change; that it has older settings, without one.
    if (which === 'before the event') await process.leave(eventId, 'user-0');
    await ticks(process, clock, 5);
    expect((await snapshotOf(memory, eventId)).settings).toEqual(changes);
    expect((await journal.settingsOf([eventId])).get(eventId)).toMatchObject(changes);
    const said = lines.filter(({ level, msg }) => level === 'error' && msg.includes('settings'));
    expect(said).toEqual([expect.objectContaining({ eventId, inForce: changes })]);

    // What the operator does after that counts.
    await process.states.withState(eventId, () => memory.configure({ eventId, changes: { paused: false } }));
    await journal.saveSettings(eventId, { paused: false });
    await ticks(process, clock, 5);
    expect((await snapshotOf(memory, eventId)).settings).toEqual({ ...changes, paused: false });
    expect((await journal.settingsOf([eventId])).get(eventId)).toMatchObject({ paused: false });
  },
);

test('a threshold that nobody has set stays unset when a restored journal takes over the settings', async () => {
  const { clock, memory, eventId, start } = aSale();
  const process = start();
  await enterAll(process, eventId, usersOf(2));
  await ticks(process, clock, 2);
  const restore = await backUp();
  await process.states.withState(eventId, () => memory.configure({ eventId, changes: { paused: true } }));
  await journal.saveSettings(eventId, { paused: true });
  await ticks(process, clock, 3);
  await restore();
  await ticks(process, clock, 5);
  expect((await journal.settingsOf([eventId])).get(eventId)).toMatchObject({ paused: true, threshold: null });
});

test('a store that went back, as a machine restored from a snapshot, is brought back from the journal', async () => {
  const { clock, memory, eventId, lines, start } = aSale();
  const process = start();
  await enterAll(process, eventId, usersOf(1));
  await ticks(process, clock, 2);
  const { settings } = await snapshotOf(memory, eventId);
  const early = await memory.dump({ eventId });
  if (early.status === 'lost') throw new Error('the event is not there');
  await enterAll(process, eventId, usersOf(5));
  for (const user of ['user-1', 'user-2']) await process.leave(eventId, user);
  await ticks(process, clock, 2);
  expect(await shoppersOf(eventId)).toEqual(['user-0', 'user-3', 'user-4']);

  memory.wipe(eventId);
  await memory.begin({ ...early, eventId, settings, recoveringMs: 0 });
  await process.enter(eventId, 'newcomer');
  await ticks(process, clock, 2);
  expect(await journal.open(eventId)).toMatchObject({ epoch: 2, begun: true });
  expect(await shoppersOf(eventId)).toEqual(['user-0', 'user-3', 'user-4']);
  expect(await snapshotOf(memory, eventId)).toMatchObject({ epoch: 2, active: 3, recovering: true });
  expect(lines.filter(({ level, msg }) => level === 'error' && msg.includes('the store went back'))).toHaveLength(1);
});
