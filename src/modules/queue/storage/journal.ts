import { assert } from '#platform/assert.ts';
import type { Database, Queryable } from '#platform/postgres/database.ts';
import { eraMax, type PlaceOrder } from '../domain/place-order.ts';
import type {
  ConfirmedHead,
  JournalHead,
  OperatorSettings,
  QueueJournal,
  QueueSettings,
  SlotRecord,
} from '../ports.ts';
import { replaceAll } from './journal-adopt.ts';
import { gather } from './journal-batch.ts';
import { forgetLate, noteLate, pruneLate, readLate } from './journal-late.ts';
import { adoptRoom, type RoomRow, roomColumns, roomOf, switchJournaled } from './journal-room.ts';
import {
  liveSlots,
  markEnded,
  pruneSlots,
  returnedPlaces,
  saveMarks,
  saveReturned,
  saveSlots,
  slotsEndedEarly,
  someSlots,
  spentRanges,
} from './journal-rows.ts';
import { chunksOf } from './spent-bits.ts';

/** Who raised the epoch has this long to bring it to the store. `beginWithinMs` of service/recovery.ts is shorter. */
const leaseMs = 6_000;
/**
 * When the eras of an event are used up, numbers leave a gap after each loss instead: wider than any crowd whose
 * numbers the journal has not seen.
 */
const lossGap = 2 ** 24;

export function createJournal({ database }: { database: Database }): QueueJournal {
  async function open(eventId: string): Promise<JournalHead & { mine: boolean }> {
    const known = await readHead(eventId);
    if (known !== null) return { ...known, mine: false };
    const made = await database.query<HeadRow>(
      `INSERT INTO queue.events (event_id, lease_until) VALUES ($1, urr.now() + ${leaseInterval})
       ON CONFLICT (event_id) DO NOTHING RETURNING ${headColumns}`,
      [eventId],
    );
    if (made.rows[0] !== undefined) return { ...headOf(made.rows[0]), mine: true };
    const others = await readHead(eventId);
    assert(others, `event ${eventId} was made by another and is not there`);
    return { ...others, mine: false };
  }

  async function readHead(eventId: string): Promise<JournalHead | null> {
    const { rows } = await database.query<HeadRow>(`SELECT ${headColumns} FROM queue.events WHERE event_id = $1`, [
      eventId,
    ]);
    return rows[0] === undefined ? null : headOf(rows[0]);
  }

  return {
    open,

    async raiseEpoch(eventId, seen) {
      const { rows } = await database.query<HeadRow>(
        `UPDATE queue.events
            SET epoch = epoch + 1, begun = false, lease_until = urr.now() + ${leaseInterval},
                position = 0,
                era = least(greatest(era, room_era) + 1, ${eraMax}),
                sequence = CASE WHEN era < ${eraMax} THEN 0 ELSE sequence + ${lossGap} END
          WHERE event_id = $1 AND epoch = $2 AND (begun OR lease_until <= urr.now())
          RETURNING ${headColumns}`,
        [eventId, seen],
      );
      return rows[0] === undefined ? null : headOf(rows[0]);
    },

    async markBegun(eventId, { epoch, identity }) {
      await database.query(
        `WITH begun AS (
           UPDATE queue.events SET begun = true, identity = $3, superseded = ${supersededBy('$3')}
            WHERE event_id = $1 AND epoch = $2 RETURNING identity)
         ${heardOf('SELECT identity, urr.now() FROM begun')}`,
        [eventId, epoch, identity],
      );
    },

    async confirm({ eventIds, servers }) {
      const { rows } = await database.query<ConfirmedHead & { event_id: string }>(
        `WITH seen AS (
           INSERT INTO queue.servers (identity, seen_at) SELECT identity, urr.now() FROM unnest($2::text[]) AS identity
           ON CONFLICT (identity) DO UPDATE SET seen_at = excluded.seen_at
             WHERE servers.seen_at < excluded.seen_at - interval '500 milliseconds')
         SELECT event_id, epoch, begun, identity,
                EXISTS (SELECT FROM queue.late_changes AS late WHERE late.event_id = events.event_id) AS "hasLate"
           FROM queue.events WHERE event_id = ANY($1::uuid[])`,
        // In one order: two processes that say the same must not wait for each other.
        [eventIds, [...servers].sort()],
      );
      return new Map(rows.map(({ event_id, ...head }) => [event_id, head]));
    },

    adopt: (eventId, dump, identity) =>
      database.transaction(async (tx) => {
        await tx.query(
          'INSERT INTO queue.events (event_id, lease_until) VALUES ($1, urr.now()) ON CONFLICT (event_id) DO NOTHING',
          [eventId],
        );
        const head = await lockHead(tx, eventId);
        if (head !== null && head.epoch > dump.epoch) return 'stale';
        await replaceAll(tx, eventId, dump);
        await tx.query(
          `UPDATE queue.events SET epoch = $2, era = greatest(era, $3), sequence = CASE WHEN era > $3 THEN sequence ELSE $4 END, watermark = $5, position = $6, identity = $7,
                  begun = true, superseded = ${supersededBy('$7')}
            WHERE event_id = $1`,
          [eventId, dump.epoch, dump.era, dump.sequence, dump.watermark, dump.from, identity],
        );
        await adoptRoom(tx, eventId, dump);
        await tx.query(heardOf('SELECT $1, urr.now()'), [identity]);
        return 'adopted';
      }),

    noteLate: (eventId, changes) => noteLate(database, eventId, changes),
    readLate: (eventId, limit) => readLate(database, eventId, limit),
    forgetLate: (ids) => forgetLate(database, ids),

    async giveUpLease(eventId, epoch) {
      await database.query(
        'UPDATE queue.events SET lease_until = urr.now() WHERE event_id = $1 AND epoch = $2 AND NOT begun',
        [eventId, epoch],
      );
    },

    async switchRoom(eventId, wanted) {
      if (wanted.on) await open(eventId);
      return database.transaction((tx) => switchJournaled(tx, eventId, wanted));
    },

    adoptRoom: (eventId, known) => adoptRoom(database, eventId, known),

    load: (eventId) =>
      // One moment for all of it: a write between two reads would give a slot without its spent mark.
      database.transaction(
        async (tx) => {
          const { rows } = await tx.query<SettingsRow & RoomRow & { sequence: number; watermark: number }>(
            `SELECT ${roomColumns}, sequence, watermark, threshold, paused, closed, message FROM queue.events WHERE event_id = $1`,
            [eventId],
          );
          const [row] = rows;
          assert(row, `event ${eventId} is loaded before it was opened`);
          const slots = await liveSlots(tx, eventId);
          return {
            sequence: row.sequence,
            watermark: row.watermark,
            settings: settingsOf(row),
            ...roomOf(row),
            slots: slots.map(({ lastChance: _, ...slot }) => slot),
            returned: givenBackOnce(slots, await returnedPlaces(tx, eventId)),
            denied: await slotsEndedEarly(tx, eventId),
            spent: chunksOf(await spentRanges(tx, eventId)),
          };
        },
        { isolation: 'repeatable read' },
      ),

    write: (eventId, { epoch, from, changes, backlog, crowd }) =>
      database.transaction(async (tx) => {
        const head = await lockHead(tx, eventId);
        if (head !== null && head.epoch > epoch) return 'stale';
        if (head === null || head.epoch < epoch || head.position < from) return 'behind';
        if (backlog !== undefined && head.position > from + backlog) return { position: head.position };
        const batch = gather(changes.slice(Math.max(0, head.position - from)));
        await saveSlots(tx, eventId, batch.slots);
        await saveMarks(tx, eventId, batch.marks);
        await saveReturned(tx, eventId, batch.marks);
        await markEnded(tx, eventId, batch.endedSlotIds);
        await tx.query(
          `UPDATE queue.events
              SET position = greatest(position, $2), watermark = greatest(watermark, $3),
                  sequence = greatest(sequence, $4), crowd = coalesce($5, crowd)
            WHERE event_id = $1`,
          [eventId, from + changes.length, batch.watermark, batch.highestNumber(head.era), crowd],
        );
        return 'written';
      }),

    async saveSettings(eventId, changes, on = database) {
      const { columns, values } = assignments(changes);
      if (columns.length === 0) return;
      const sql = `UPDATE queue.events SET ${columns.join(', ')}, settings_version = settings_version + 1 WHERE event_id = $1`;
      const { rowCount } = await on.query(sql, [eventId, ...values]);
      assert(rowCount === 1, `event ${eventId} is set before it was opened`);
    },

    async settingsOf(eventIds) {
      const { rows } = await database.query<SettingsRow & RoomRow & { event_id: string; version: number }>(
        `SELECT event_id, ${roomColumns}, threshold, paused, closed, message, settings_version AS version
           FROM queue.events WHERE event_id = ANY($1::uuid[])`,
        [eventIds],
      );
      return new Map(rows.map((row) => [row.event_id, { ...settingsOf(row), ...roomOf(row), version: row.version }]));
    },

    async adoptSettings(eventId, { threshold, paused, closed, message, version }) {
      await database.query(
        `UPDATE queue.events SET threshold = $2, paused = $3, closed = $4, message = $5, settings_version = $6
          WHERE event_id = $1 AND settings_version < $6`,
        [eventId, threshold, paused, closed, message, version],
      );
    },

    async finished({ byMs, limit }) {
      // At random: one that cannot be removed yet must not stand in the way of the others.
      const { rows } = await database.query<{ event_id: string }>(
        `SELECT event_id FROM queue.events JOIN queue.event_facts USING (event_id)
          WHERE begun AND (closes_at <= $1 OR ((facts->>'cancelled')::boolean AND changed_at <= $1))
          ORDER BY random() LIMIT $2`,
        [new Date(byMs), limit],
      );
      return rows.map((row) => row.event_id);
    },

    async markRemoved(eventId, epoch) {
      await database.query(
        'UPDATE queue.events SET begun = false, lease_until = urr.now() WHERE event_id = $1 AND epoch = $2 AND begun',
        [eventId, epoch],
      );
    },

    someSlots: (eventId, count) => someSlots(database, eventId, count),
    async prune() {
      await pruneLate(database);
      return pruneSlots(database);
    },
  };
}

/**
 * Of a place with a slot only the slot says it. If it was given back since, then the journal was cut before the slot's end:
 * the slot is live again, and nothing was given back.
 */
function givenBackOnce(
  slots: readonly (SlotRecord & { lastChance: boolean })[],
  waitedFor: readonly PlaceOrder[],
): PlaceOrder[] {
  const inSlots = new Set(slots.map(({ order }) => order));
  const lastChances = slots.filter(({ lastChance, claimed }) => lastChance && !claimed);
  return [...lastChances.map(({ order }) => order), ...waitedFor.filter((order) => !inSlots.has(order))];
}

/** Processes say each second which servers answer them. */
const serverKept = `interval '5 seconds'`;
/** More fail-overs than one event ever sees while an earlier server is still alive. */
const supersededKept = 8;
/** When the event is on the server of this parameter, the one that kept it before is the latest of those. */
const supersededBy = (parameter: string) => `ARRAY(
  SELECT former FROM unnest(array_prepend(identity, superseded)) WITH ORDINALITY AS each (former, n)
   WHERE former IS NOT NULL AND former <> ${parameter} ORDER BY n LIMIT ${supersededKept})`;
/** In the step that names a server: until a process's next word a superseded one would take it for gone, and the event back. */
const heardOf = (rows: string) => `INSERT INTO queue.servers (identity, seen_at) ${rows}
  ON CONFLICT (identity) DO UPDATE SET seen_at = greatest(servers.seen_at, excluded.seen_at)`;
const leaseInterval = `interval '${leaseMs} milliseconds'`;
const headColumns = `epoch, era, begun, NOT begun AND lease_until > urr.now() AS leased, identity, crowd, superseded,
  EXISTS (SELECT FROM queue.servers AS known
           WHERE known.identity = events.identity AND known.seen_at > urr.now() - ${serverKept}) AS served`;

interface HeadRow {
  epoch: number;
  era: number;
  begun: boolean;
  leased: boolean;
  identity: string | null;
  crowd: number;
  superseded: string[];
  served: boolean;
}

function headOf({ epoch, era, begun, leased, identity, crowd, superseded, served }: HeadRow): JournalHead {
  return { epoch, era, begun, leased, identity, crowd, superseded, served };
}

interface SettingsRow {
  threshold: number | null;
  paused: boolean;
  closed: boolean;
  message: string | null;
}

function settingsOf({ threshold, paused, closed, message }: SettingsRow): OperatorSettings {
  return { threshold, paused, closed, message };
}

/** Everything written for an event is written under this lock, so a raised epoch and a write have an order. */
async function lockHead(tx: Queryable, eventId: string) {
  const { rows } = await tx.query<{ epoch: number; era: number; position: number }>(
    'SELECT epoch, era, position FROM queue.events WHERE event_id = $1 FOR UPDATE',
    [eventId],
  );
  return rows[0] ?? null;
}

const settingNames = ['threshold', 'paused', 'closed', 'message'] as const satisfies (keyof QueueSettings)[];

function assignments(changes: Partial<OperatorSettings>): { columns: string[]; values: unknown[] } {
  const given = settingNames.filter((name) => changes[name] !== undefined);
  return {
    columns: given.map((name, index) => `${name} = $${index + 2}`),
    values: given.map((name) => changes[name]),
  };
}
