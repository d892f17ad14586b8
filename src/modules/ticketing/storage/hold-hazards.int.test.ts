import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { systemRandom } from '#platform/random.ts';
import { checkLedger } from '../service/check-ledger.ts';
import { aPreparedHold as aHold, bystanders, rivals } from '../testing/a-prepared-hold.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { createSabotage, gateStatement } from '../testing/sabotage.ts';
import { cancelEventBite, databaseNow, endEventCancellation, eventsBeingCancelled } from './cancelled-events.ts';
import { decideHolds } from './hold-batch-failures.ts';
import type { PreparedHold } from './holds.ts';

/**
 * What keeps a sale right when two things happen at once, guard by guard. Each guard alone is enough, each may be missing as long as
 * the others are there, and without all of them the race shows and `check-ledger` finds it, so the tests are known to be able to fail.
 * Nothing is left to chance: both sides have read what they rely on, or wait for the one who has, before either writes.
 */
interface Guard {
  remove(): Promise<unknown>;
  /** It works before anything is granted twice. The others let the hold pass and refuse the ticket, and then the ledger shows the hold. */
  readonly keepsLedger: boolean;
}

interface Hazard {
  /** The function that decides. A request for seats that is alone has one of its own, and so have those of which none is in another's way. */
  readonly decidedBy: 'hold_batch' | 'hold_batch_of_plain' | 'hold_batch_of_one';
  readonly guards: Readonly<Record<string, Guard>>;
  /** Where it waits for the other side: it has read what the guards are about. */
  readonly gateBefore: RegExp;
  race(): Promise<{ readonly eventId: string; readonly tickets: number }>;
  /** How many tickets there may be, and what the checker says of one more. */
  readonly safe: number;
  readonly contradiction: RegExp;
}

const database = await aTicketingDatabase();
const sabotage = createSabotage(database);
const { edit } = sabotage;
const decision = /-- 3\. The decision\./;
/** How long passes go on after the mark of a cancelled event. A removed guard changes it. */
let settleMs = 10_000;

/** What stands behind the guards of a hold: a seat that was granted twice is not sold twice. */
const laterSeatGuards: Readonly<Record<string, Guard>> = {
  'the fence at the confirmation': {
    keepsLedger: false,
    async remove() {
      const own = 'AND s\\.reservation_id = own\\.reservation_id AND s\\.fence = own\\.fence AND s\\.state = ';
      await edit('move_seats', new RegExp(`${own}ANY \\(from_states\\)`), '');
      await edit('has_its_seats', new RegExp(`${own}in_state`), '');
    },
  },
  'the unique index of live tickets': {
    keepsLedger: false,
    remove: () => sabotage.dropIndex('tickets_one_live_per_seat'),
  },
};
const seatTwice = /has fence 1 step 0 where fence 2 step 0 was due \(seat 3|seat 3 has 2 live tickets/;

/** What stands behind the sale's state at a hold: an event that is cancelled keeps no ticket. */
const laterCancelGuards: Readonly<Record<string, Guard>> = {
  'passes that go on until every hold has seen the mark': {
    keepsLedger: true,
    remove: async () => {
      settleMs = 0;
    },
  },
  'the mark at the confirmation': {
    keepsLedger: false,
    remove: () => edit('confirm_free', /e\.cancelled_at IS NOT NULL/, 'false'),
  },
};
const ticketOfCancelled =
  /it is cancelled and all of its reservations were dealt with, but reservation .* is (confirmed|pending)/;

const limitTwice = /buyer .* counts 1; reservations and tickets come to 2/;

const hazards: Readonly<Record<string, Hazard>> = {
  'two buyers of one seat, each of whom saw it free': {
    decidedBy: 'hold_batch',
    guards: {
      'the lock of the seats in the batch': {
        keepsLedger: true,
        remove: () => edit('hold_batch', /ORDER BY seat_no FOR UPDATE(?: SKIP LOCKED)?\)/g, 'ORDER BY seat_no)'),
      },
      'the conditions of the update': {
        keepsLedger: true,
        remove: () => edit('write_seats', /AND s\.state = c\.state_before[^;]*/, ''),
      },
      ...laterSeatGuards,
    },
    gateBefore: decision,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0 });
      return bothBuy(sale, [aHold(sale, { seatNos: [3] }), aHold(sale, { seatNos: [3] })], rivals(sale));
    },
    safe: 1,
    contradiction: seatTwice,
  },

  'two buyers of one seat, in two batches that have no rivals among themselves': {
    decidedBy: 'hold_batch_of_plain',
    guards: {
      'the conditions of the update': {
        keepsLedger: true,
        remove: () => edit('hold_batch_of_plain', /AND s\.state = 0 AND s\.fence = fences_before[^;]*/, ''),
      },
      ...laterSeatGuards,
    },
    gateBefore: /-- 3\. The locks,/,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0 });
      return bothBuy(sale, [aHold(sale, { seatNos: [3] }), aHold(sale, { seatNos: [3] })], bystanders(sale));
    },
    safe: 1,
    contradiction: seatTwice,
  },

  'two buyers of one seat, each alone': {
    decidedBy: 'hold_batch_of_one',
    guards: {
      'the lock of the seats': {
        keepsLedger: true,
        remove: () => edit('hold_batch_of_one', /ORDER BY seat_no FOR UPDATE\)/, 'ORDER BY seat_no)'),
      },
      'the conditions of the update': {
        keepsLedger: true,
        remove: () => edit('hold_batch_of_one', /AND s\.state = 0 AND s\.fence \+ 1 = [^;]*/, ''),
      },
      ...laterSeatGuards,
    },
    gateBefore: decision,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0 });
      return bothBuy(sale, [aHold(sale, { seatNos: [3] }), aHold(sale, { seatNos: [3] })]);
    },
    safe: 1,
    contradiction: seatTwice,
  },

  'one buyer in two batches, each of which saw room in the purchase limit': {
    decidedBy: 'hold_batch',
    guards: {
      'the lock of the buyer': {
        keepsLedger: true,
        remove: () =>
          edit('hold_batch', /ORDER BY buyer\.user_id FOR UPDATE(?: SKIP LOCKED)?\)/g, 'ORDER BY buyer.user_id)'),
      },
      'the condition of the update': {
        keepsLedger: true,
        remove: () => edit('write_buyers', /AND b\.live = lives_before\[width_bucket\(b\.user_id, buyers\)\]/, ''),
      },
    },
    gateBefore: decision,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0, purchaseLimit: 1 });
      const userId = randomUUID();
      // A buyer's first batch also waits for the other one's insert; this one is known.
      await database.query('INSERT INTO ticketing.buyers (event_id, user_id) VALUES ($1, $2)', [sale.eventId, userId]);
      return bothBuy(sale, twoOf(sale, userId), rivals(sale));
    },
    safe: 1,
    contradiction: limitTwice,
  },

  'one buyer in two batches without rivals, each of which saw room in the purchase limit': {
    decidedBy: 'hold_batch_of_plain',
    guards: {
      'the count that is raised by the statement that locks it': {
        keepsLedger: true,
        remove: () =>
          edit(
            'hold_batch_of_plain',
            /DO UPDATE SET live = b\.live \+ excluded\.live/,
            'DO UPDATE SET live = excluded.live',
          ),
      },
    },
    gateBefore: /-- 3\. The locks,/,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0, purchaseLimit: 1 });
      const userId = randomUUID();
      return bothBuy(sale, twoOf(sale, userId), bystanders(sale));
    },
    safe: 1,
    contradiction: limitTwice,
  },

  'one buyer with two requests, each alone, each of which saw room in the purchase limit': {
    decidedBy: 'hold_batch_of_one',
    guards: {
      'the count that is raised by the statement that locks it': {
        keepsLedger: true,
        remove: () =>
          edit(
            'hold_batch_of_one',
            /DO UPDATE SET live = b\.live \+ tickets RETURNING b\.live INTO live_now;/,
            'DO NOTHING; SELECT live + tickets INTO live_now FROM ticketing.buyers WHERE event_id = of_event AND user_id = of_user;',
          ).then(() =>
            edit(
              'hold_batch_of_one',
              /-- 4\. The writes\./,
              'UPDATE ticketing.buyers AS b SET live = live_now WHERE b.event_id = of_event AND b.user_id = of_user;',
            ),
          ),
      },
    },
    gateBefore: decision,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0, purchaseLimit: 1 });
      const userId = randomUUID();
      await database.query('INSERT INTO ticketing.buyers (event_id, user_id) VALUES ($1, $2)', [sale.eventId, userId]);
      return bothBuy(sale, twoOf(sale, userId));
    },
    safe: 1,
    contradiction: limitTwice,
  },

  // That no shard goes below zero (a CHECK) is no guard here: a batch writes what is left, not what it takes.
  'two buyers of the last standing place': {
    decidedBy: 'hold_batch',
    guards: {
      'the lock of the shards': {
        keepsLedger: true,
        remove: () => edit('lock_shards', /FOR UPDATE(?: SKIP LOCKED)?/g, ''),
      },
      'the condition of the update': {
        keepsLedger: true,
        remove: () => edit('write_places', /AND s\.places_left = c\.before/, ''),
      },
    },
    gateBefore: decision,
    race: async () => {
      const sale = await aSale(database, { seats: 0, ticketTypes: [{ capacity: 1, priceKrw: 0 }] });
      return bothBuy(sale, [aHold(sale, { places: 1 }), aHold(sale, { places: 1 })]);
    },
    safe: 1,
    contradiction: /has 1 more sold and held than its 1 places/,
  },

  'a batch that saw the sale open, and the cancellation of the event': {
    decidedBy: 'hold_batch',
    guards: {
      'the sale as it is after the locks': {
        keepsLedger: true,
        remove: () => edit('hold_batch', /IF sale\.sale IS DISTINCT FROM 'open' THEN/, 'IF false THEN'),
      },
      ...laterCancelGuards,
    },
    gateBefore: /now := date_trunc\('milliseconds', urr\.now\(\)\);\s+decided_at := now;\s+SELECT \* INTO sale/,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0 });
      return buyWhileCancelled(sale, aHold(sale, { seatNos: [3] }), rivals(sale));
    },
    safe: 0,
    contradiction: ticketOfCancelled,
  },

  'a batch without rivals that saw the sale open, and the cancellation of the event': {
    decidedBy: 'hold_batch_of_plain',
    guards: {
      'the sale as it is after the reads': {
        keepsLedger: true,
        remove: () => edit('hold_batch_of_plain', /is_plain AND sale\.sale = 'open'/, 'is_plain'),
      },
      ...laterCancelGuards,
    },
    gateBefore: /now := date_trunc\('milliseconds', urr\.now\(\)\);\s+SELECT \* INTO sale/,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0 });
      return buyWhileCancelled(sale, aHold(sale, { seatNos: [3] }), bystanders(sale));
    },
    safe: 0,
    contradiction: ticketOfCancelled,
  },

  'a lone buyer who saw the sale open, and the cancellation of the event': {
    decidedBy: 'hold_batch_of_one',
    guards: {
      'the sale as it is after the locks': {
        keepsLedger: true,
        remove: () => edit('hold_batch_of_one', /seats\.are_free AND sale\.sale = 'open'/, 'seats.are_free'),
      },
      ...laterCancelGuards,
    },
    gateBefore: /now := date_trunc\('milliseconds', urr\.now\(\)\);\s+SELECT \* INTO sale/,
    race: async () => {
      const sale = await aSale(database, { priceKrw: 0 });
      return buyWhileCancelled(sale, aHold(sale, { seatNos: [3] }));
    },
    safe: 0,
    contradiction: ticketOfCancelled,
  },
};

afterEach(async () => {
  await database.query('TRUNCATE ticketing.tickets CASCADE');
  await sabotage.restore();
  settleMs = 10_000;
});

for (const [name, hazard] of Object.entries(hazards)) {
  const guards = Object.keys(hazard.guards);
  describe(name, () => {
    // One that stands alone has nothing behind it.
    for (const guard of guards.length > 1 ? guards : []) {
      test(`with ${guard} alone no ticket is too many`, () => expectSafety(hazard, [guard]));
      test(`without ${guard} no ticket is too many`, () =>
        expectSafety(
          hazard,
          guards.filter((other) => other !== guard),
        ));
    }

    test('as it is, no ticket is too many', () => expectSafety(hazard, guards));

    test('without all of it there is a ticket too many, and the checker finds it', async () => {
      expect(await outcome(hazard, [])).toEqual({
        tickets: hazard.safe + 1,
        contradiction: expect.stringMatching(hazard.contradiction),
      });
    });
  });
}

async function expectSafety(hazard: Hazard, kept: readonly string[]): Promise<void> {
  const keepsLedger = kept.some((guard) => hazard.guards[guard]?.keepsLedger);
  expect(await outcome(hazard, kept)).toEqual({
    tickets: hazard.safe,
    contradiction: keepsLedger ? null : expect.any(String),
  });
}

async function outcome(hazard: Hazard, kept: readonly string[]) {
  await edit(hazard.decidedBy, hazard.gateBefore, `${gateStatement} $&`);
  for (const name of ['hold_batch', 'hold_batch_of_plain', 'hold_batch_of_one'])
    await edit(name, /SET lock_timeout TO '500ms'/, `SET lock_timeout TO '20s'`);
  await edit('hold_batch_of_plain', /interval '100 milliseconds'/, `interval '1 hour'`); // Who waits at the gate is late.
  for (const [guard, { remove }] of Object.entries(hazard.guards)) if (!kept.includes(guard)) await remove();
  const { eventId, tickets } = await hazard.race();
  const verdict = await checkLedger(database, { eventId });
  return { tickets, contradiction: verdict.status === 'checked' ? verdict.report.contradiction : verdict.status };
}

/** Both have read, or wait for the one who has, before either decides; then both confirm what they were granted. */
async function bothBuy(sale: Sale, holds: readonly PreparedHold[], others: readonly (readonly PreparedHold[])[] = []) {
  const gate = await sabotage.closeGate();
  const batches = holds.map((hold, n) => decide(sale, [hold, ...(others[n] ?? [])]));
  await gate.waitFor(2);
  await gate.open();
  await Promise.all(batches);
  for (const hold of holds) await confirm(hold);
  return ticketsOf(sale);
}

/** The event is marked, and a pass over its reservations finds nothing, while a batch is on its way that had seen the sale open. */
async function buyWhileCancelled(
  sale: Sale,
  hold: PreparedHold,
  [others = []]: readonly (readonly PreparedHold[])[] = [],
) {
  const { eventId } = sale;
  const gate = await sabotage.closeGate();
  const batch = decide(sale, [hold, ...others]);
  await gate.waitFor(1);
  await database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [eventId]);
  await eventsBeingCancelled(database, 100);
  let isDone = await pass(0);
  await gate.open();
  await batch;
  // As the job does: on and on, until a pass counts that finds nothing.
  for (let passes = 0; !isDone && passes < 2; passes++) isDone = await pass(settleMs);
  expect(isDone).toBe(true);
  await confirm(hold);
  return ticketsOf(sale);

  async function pass(laterMs: number): Promise<boolean> {
    // A millisecond more, since the mark is kept more exactly.
    const passBegan = new Date((await databaseNow(database)).getTime() + laterMs + 1);
    const { found } = await cancelEventBite(database, { eventId, afterId: null, rowsMax: 10 });
    return found === 0 && endEventCancellation(database, { eventId, passBegan, settleMs });
  }
}

const twoOf = (sale: Sale, userId: string) => [3, 4].map((seatNo) => aHold(sale, { userId, seatNos: [seatNo] }));

const decide = ({ eventId }: Sale, holds: readonly PreparedHold[]) =>
  decideHolds({ database, random: systemRandom }, { eventId, version: 1, holds });

/** The index refuses by failing. */
const confirm = ({ reservationId, request }: PreparedHold) =>
  database.query('SELECT ticketing.confirm_free($1, $2)', [reservationId, request.userId]).catch(() => undefined);

async function ticketsOf({ eventId }: Sale) {
  const { rows } = await database.query<{ tickets: number }>(
    `SELECT count(*) AS tickets FROM ticketing.tickets WHERE event_id = $1 AND state <> 'void'`,
    [eventId],
  );
  return { eventId, tickets: rows[0]?.tickets ?? 0 };
}
