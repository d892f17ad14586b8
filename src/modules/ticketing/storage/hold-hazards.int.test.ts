import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { systemRandom } from '#platform/random.ts';
import { eventually } from '#test/kit/faults.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { decideHolds } from './hold-batch-failures.ts';
import type { PreparedHold } from './holds.ts';

/**
 * What keeps two buyers off one seat: the lock of the batch, the conditions of its update, the fence at the confirmation, the unique
 * index. Each alone is enough, and without all of them the seat is sold twice, so the test is known to be able to fail.
 */
const database = await aTicketingDatabase();
const deps = { database, random: systemRandom };
/** Batches wait for it after they have read the seats and before they decide. */
const gate = 727_701;
const indexDefinition = await definitionOf(
  `SELECT pg_get_indexdef('ticketing.tickets_one_live_per_seat'::regclass) AS text`,
);

const guards = {
  'the batch lock': {
    remove: () => edit('hold_batch', /ORDER BY seat_no FOR UPDATE(?: SKIP LOCKED)?\)/g, 'ORDER BY seat_no)'),
  },
  'the conditional update': {
    async remove() {
      await edit('write_seats', /AND s\.state = c\.state_before[^;]*/, '');
      await edit('write_seats', /PERFORM ticketing\.insist_unchanged[^;]*;/, '');
    },
  },
  'the fence': {
    async remove() {
      await edit(
        'move_seats',
        /AND s\.reservation_id = own\.reservation_id AND s\.fence = own\.fence AND s\.state = ANY \(from_states\)/,
        '',
      );
      await edit(
        'has_its_seats',
        /AND s\.reservation_id = own\.reservation_id AND s\.fence = own\.fence AND s\.state = in_state/,
        '',
      );
    },
  },
  'the unique index': {
    remove: async () => {
      undo.push(indexDefinition);
      await database.query('DROP INDEX ticketing.tickets_one_live_per_seat');
    },
  },
};
type Guard = keyof typeof guards;
const names = Object.keys(guards) as Guard[];
const undo: string[] = [];

afterEach(async () => {
  await database.query('TRUNCATE ticketing.tickets CASCADE');
  for (const statement of undo.splice(0).reverse()) await database.query(statement);
});

describe('two buyers of one seat, each of whom saw it free', () => {
  for (const kept of names) {
    test(`with ${kept} alone one of them gets a ticket`, async () => {
      await keepOnly([kept]);
      expect(await race()).toMatchObject({ tickets: 1 });
    });
  }

  test('with nothing of it both get one', async () => {
    await keepOnly([]);
    expect(await race()).toEqual({ granted: 2, tickets: 2 });
  });

  test('as it is, one is granted the seat and the other is not', async () => {
    await keepOnly(names);
    expect(await race()).toEqual({ granted: 1, tickets: 1 });
  });
});

async function keepOnly(kept: readonly Guard[]): Promise<void> {
  await edit('hold_batch', /-- 3\. The decision\./, `PERFORM pg_advisory_xact_lock_shared(${gate});`);
  await edit('hold_batch', /SET lock_timeout TO '500ms'/, `SET lock_timeout TO '20s'`);
  for (const name of names) if (!kept.includes(name)) await guards[name].remove();
}

/** Both have read the seat, or wait for the one who has, before either decides; then both confirm what they were granted. */
async function race(): Promise<{ granted: number; tickets: number }> {
  const sale = await aSale(database, { priceKrw: 0 });
  const holds = [aHold(sale), aHold(sale)];
  const closed = await database.session('gate');
  await closed.query('SELECT pg_advisory_lock($1)', [gate]);
  const batches = holds.map((hold) => decideHolds(deps, { eventId: sale.eventId, version: 1, holds: [hold] }));
  await eventually(async () => (await waiting()) === 2, { withinMs: 10_000, what: 'both batches at the gate' });
  await closed.close();
  const answers = (await Promise.all(batches)).flat();
  const granted = answers.filter((each) => 'answer' in each && each.answer.verdict === 'granted').length;
  for (const { reservationId, request } of holds) {
    // The index refuses by failing.
    await database
      .query('SELECT ticketing.confirm_free($1, $2)', [reservationId, request.userId])
      .catch(() => undefined);
  }
  const { rows } = await database.query<{ tickets: number }>(
    `SELECT count(*) AS tickets FROM ticketing.tickets WHERE event_id = $1 AND seat_no = 3 AND state <> 'void'`,
    [sale.eventId],
  );
  return { granted, tickets: rows[0]?.tickets ?? 0 };
}

async function waiting(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%hold_batch%'`,
  );
  return rows[0]?.count ?? 0;
}

function aHold(sale: Sale): PreparedHold {
  const [userId, reservationId] = [randomUUID(), randomUUID()];
  const idempotency = { key: randomUUID(), method: 'POST', route: '/r', fingerprint: 'f' };
  return {
    request: { eventId: sale.eventId, userId, slotId: 'slot', seatNos: [3], items: [], replaces: null, idempotency },
    ...{ reservationId, number: reservationId, opensAtMs: 0 },
    lines: {
      seats: [{ seatNo: 3, seatId: sale.seatId(3), grade: 'R', priceKrw: 0, feeKrw: 0 }],
      ...{ items: [], ticketCount: 1, feeKrw: 0, totalKrw: 0 },
    },
  };
}

/** Changes the text of a function until the test is over. */
async function edit(name: string, pattern: RegExp, replacement: string): Promise<void> {
  const before = await definitionOf(
    `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'ticketing'::regnamespace AND proname = '${name}'`,
  );
  const after = before.replace(pattern, replacement);
  expect(after, `${name} has ${pattern}`).not.toBe(before);
  undo.push(before);
  await database.query(after);
}

async function definitionOf(query: string): Promise<string> {
  const { rows } = await database.query<{ text: string }>(query);
  return rows[0]?.text ?? '';
}
