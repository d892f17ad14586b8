import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Reservation } from '#modules/ticketing/schemas.ts';
import type { LayoutShape } from '#test/kit/builders/catalog.ts';
import type { EngineName } from '#test/kit/engines/engine.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { eventually } from '#test/kit/faults.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { type Answer, createTicketCounter, type TicketCounter } from '#test/kit/ticketing/counter.ts';
import { expectCountersToMatch, hasSeats } from '#test/kit/ticketing/counts.ts';
import { aShopper, type Shopper } from '#test/kit/ticketing/entry.ts';
import { aHouseOfTwo, anEmbeddedHouse, rotation, type SaleHouse, withDatabase } from '#test/kit/ticketing/house.ts';
import { insist } from '#test/kit/ticketing/insist.ts';
import { seatIdsOf } from '#test/kit/ticketing/seat-ids.ts';

interface Sale {
  readonly eventId: string;
  /** At whichever process is next. */
  readonly counter: TicketCounter;
  /** At each of them. */
  readonly counters: readonly TicketCounter[];
  /** In layout order. */
  readonly seatIds: readonly string[];
  readonly ticketTypeIds: readonly string[];
  /** Until it is answered; whatever should not have been answered is a complaint. */
  ask(call: () => Promise<Answer<Reservation>>): Promise<Answer<Reservation>>;
  /** What is held when everybody has gone: of every reservation, whose it is, how many seats and how many places. */
  held(): Promise<Held[]>;
  /** Nobody was told anything odd, and the books agree. */
  expectSound(): Promise<void>;
}

interface Held {
  readonly id: string;
  readonly userId: string;
  readonly seatIds: readonly string[];
  readonly places: number;
}

const random = createSeededRandom(testSeed());
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const isGranted = ({ status }: Answer<unknown>) => status === 201;
const seatsOf = ({ body }: Answer<Reservation>) => body.seats.map(({ seatId }) => seatId);

async function aSaleAt(house: SaleHouse, layout: Required<LayoutShape>): Promise<Sale> {
  const pickUrl = rotation(house);
  const prices = ['VIP', 'R'].slice(0, layout.sections).map((grade) => ({ grade, priceKrw: 0 }));
  const standingPrices = layout.standing.map((_, n) => ({ areaId: `Z${n + 1}`, priceKrw: 0 }));
  const eventId = await aShowOnSale(pickUrl(), { prices, standingPrices }, layout);
  const ticketTypeIds = await withDatabase(house, async (database) => {
    await eventually(() => hasSeats(database, eventId), { withinMs: 60_000, what: 'the seats to be built' });
    const types = 'SELECT ticket_type_id AS id FROM ticketing.ticket_types WHERE event_id = $1';
    return (await database.query<{ id: string }>(types, [eventId])).rows.map(({ id }) => id);
  });
  const complaints: string[] = [];
  return {
    eventId,
    counter: createTicketCounter(eventId, pickUrl),
    counters: house.processes.map(({ url }) => createTicketCounter(eventId, () => url)),
    seatIds: seatIdsOf(layout),
    ticketTypeIds,
    ask: (call) =>
      insist(async () => {
        const answer = await call().catch((error: unknown) => {
          complaints.push(String(error));
          throw error;
        });
        // A machine that is too slow for so many at once says so, and when to come again.
        if (answer.status >= 500 && answer.code !== 'HOLDS_BUSY') complaints.push(`${answer.status}: ${answer.text}`);
        return answer;
      }, complaints),
    held: () =>
      withDatabase(house, async (database) => {
        const { rows } = await database.query<Held>(
          `SELECT id, user_id AS "userId",
                  ARRAY(SELECT line ->> 'seatId' FROM jsonb_array_elements(lines -> 'seats') line) AS "seatIds",
                  (SELECT coalesce(sum((item ->> 'quantity')::integer), 0)::integer FROM jsonb_array_elements(lines -> 'items') item) AS places
             FROM ticketing.reservations WHERE event_id = $1 AND status = 'pending'`,
          [eventId],
        );
        return rows;
      }),
    async expectSound() {
      expect(complaints).toEqual([]);
      await withDatabase(house, async (database) => {
        await expectCountersToMatch(database, eventId);
        await checkLedger(database);
      });
    },
  };
}

/** What was told to the buyers is what is there. */
async function expectHeld(sale: Sale, granted: readonly Answer<Reservation>[]): Promise<void> {
  const held = await sale.held();
  expect(new Map(held.map(({ id, seatIds }) => [id, new Set(seatIds)]))).toEqual(
    new Map(granted.map((answer) => [answer.body.id, new Set(seatsOf(answer))])),
  );
}

/** Nothing is decided yet: the same call again. The last two are what a slow machine says. */
const openCodes = ['IDEMPOTENCY_IN_FLIGHT', 'SEATS_BUSY', 'HOLDS_BUSY'];
const takenOf = ({ body }: Answer<unknown>) => (body as { taken?: string[] }).taken ?? [];

function describeRaces(name: string, needed: readonly EngineName[], start: () => Promise<SaleHouse>): void {
  describeWith(needed, name, () => {
    let house: SaleHouse;
    beforeAll(async () => {
      house = await start();
    });
    const aSale = (layout: LayoutShape) =>
      aSaleAt(house, { ...{ sections: 0, rows: 1, seats: 1, standing: [] }, ...layout });

    test('a thousand buyers on one seat: one has it, the others are told who was faster', async () => {
      const sale = await aSale({ sections: 1, seats: 10 });
      const [, wanted = ''] = sale.seatIds;
      const answers = await Promise.all(
        times(1_000, () => sale.ask(() => sale.counter.reserve(aShopper(sale.eventId), [wanted], randomUUID()))),
      );
      expect(answers.filter(isGranted).map(seatsOf)).toEqual([[wanted]]);
      const others = answers.filter((answer) => !isGranted(answer));
      expect(new Set(others.map((answer) => `${answer.status} ${answer.code} ${takenOf(answer)}`))).toEqual(
        new Set([`409 SEAT_TAKEN ${wanted}`]),
      );
      await expectHeld(sale, answers.filter(isGranted));
      await sale.expectSound();
    });

    test('five hundred overlapping requests, their seats in any order: each gets all or nothing', async () => {
      const sale = await aSale({ sections: 2, rows: 4, seats: 10 });
      const wishes = times(500, () => random.shuffle(sale.seatIds).slice(0, random.between(2, 4)));
      const answers = await Promise.all(
        wishes.map((wish) => sale.ask(() => sale.counter.reserve(aShopper(sale.eventId), wish, randomUUID()))),
      );
      const held = new Set(answers.filter(isGranted).flatMap(seatsOf));
      for (const [n, answer] of answers.entries()) {
        const wish = wishes[n] ?? [];
        if (isGranted(answer)) expect(new Set(seatsOf(answer))).toEqual(new Set(wish));
        else {
          expect([answer.status, answer.code]).toEqual([409, 'SEAT_TAKEN']);
          // What stood in the way are seats of the wish, and somebody has them.
          expect(takenOf(answer)).not.toEqual([]);
          expect(takenOf(answer).filter((seatId) => !wish.includes(seatId) || !held.has(seatId))).toEqual([]);
        }
      }
      await expectHeld(sale, answers.filter(isGranted));
      expect(answers.filter(isGranted).flatMap(seatsOf).length).toBe(held.size);
      await sale.expectSound();
    });

    test('the last places of a standing area: exactly as many are sold, to parties of one to four', async () => {
      const places = 100;
      const sale = await aSale({ standing: [places] });
      const [ticketTypeId = ''] = sale.ticketTypeIds;
      /** Asks for as many as are left, when these are fewer. */
      async function buy(who: Shopper, quantity: number): Promise<number> {
        const { status, code, body } = await sale.ask(() =>
          sale.counter.standing(who, [{ ticketTypeId, quantity }], randomUUID()),
        );
        if (status === 201) return quantity;
        expect([status, code]).toEqual([409, 'NOT_ENOUGH_LEFT']);
        const { left = [] } = body as unknown as { left?: { left: number }[] };
        expect(left.length).toBe(1);
        const rest = left[0]?.left ?? 0;
        expect(rest).toBeLessThan(quantity);
        return rest === 0 ? 0 : buy(who, rest);
      }
      const got = await Promise.all(times(10 * places, () => buy(aShopper(sale.eventId), random.between(1, 4))));
      expect(got.reduce((sum, quantity) => sum + quantity, 0)).toBe(places);
      expect((await sale.held()).reduce((sum, each) => sum + each.places, 0)).toBe(places);
      await sale.expectSound();
    });

    test('a stampede for the best seats: nobody is refused before the last seat is gone', async () => {
      const sale = await aSale({ sections: 2, rows: 10, seats: 20 });
      const parties: number[] = [];
      for (let left = sale.seatIds.length; left > 0; left -= parties.at(-1) ?? 0)
        parties.push(random.between(1, Math.min(4, left)));
      const best = (count: number) =>
        sale.ask(() => sale.counter.bestAvailable(aShopper(sale.eventId), { count }, randomUUID()));
      // Exactly as many as there are: anyone who is refused is refused too early.
      const answers = await Promise.all(random.shuffle(parties).map(best));
      expect(answers.filter((answer) => !isGranted(answer)).map(({ text }) => text)).toEqual([]);
      expect(new Set(answers.flatMap(seatsOf))).toEqual(new Set(sale.seatIds));
      await expectHeld(sale, answers);
      const late = await Promise.all(times(50, () => best(1)));
      expect(new Set(late.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['409 NOTHING_FITS']));
      await sale.expectSound();
    });

    test('one key sent to every process at once makes one reservation, and gives it to each who asks', async () => {
      const sale = await aSale({ sections: 2, rows: 6, seats: 10, standing: [100] });
      const [ticketTypeId = ''] = sale.ticketTypeIds;
      const kinds = times(60, (n) => (counter: TicketCounter, who: Shopper, key: string) => {
        // Of the first section; the best are chosen in the second.
        if (n % 3 === 0) return counter.reserve(who, sale.seatIds.slice(n, n + 2), key);
        return n % 3 === 1
          ? counter.bestAvailable(who, { count: 1, section: 'S2' }, key)
          : counter.standing(who, [{ ticketTypeId, quantity: 2 }], key);
      });
      await Promise.all(
        kinds.map(async (send) => {
          const [who, key] = [aShopper(sale.eventId), randomUUID()];
          // A counter again and again, so that both processes are asked twice.
          const answers = await Promise.all(
            [...sale.counters, ...sale.counters, ...sale.counters].map((counter) => send(counter, who, key)),
          );
          for (const { code, retryAfter } of answers.filter((answer) => !isGranted(answer)))
            expect([openCodes.includes(code ?? ''), Number(retryAfter) >= 1]).toEqual([true, true]);
          const ask = () => Promise.all(sale.counters.map((counter) => sale.ask(() => send(counter, who, key))));
          const granted = [...answers.filter(isGranted), ...(await ask())];
          expect(granted.filter(({ isReplay }) => !isReplay).length).toBe(1);
          const again = await ask();
          expect(again.map(({ status, isReplay }) => [status, isReplay])).toEqual(sale.counters.map(() => [201, true]));
          expect(new Set([...granted, ...again].map(({ body }) => body.id)).size).toBe(1);
        }),
      );
      const held = await sale.held();
      expect([held.length, new Set(held.map(({ userId }) => userId)).size]).toEqual([kinds.length, kinds.length]);
      await sale.expectSound();
    });

    test('nobody gets more than the limit, from several tabs, processes and kinds of places', async () => {
      const [limit, people, tabs] = [4, 15, 12];
      const sale = await aSale({ sections: 1, rows: 18, seats: 10, standing: [500] });
      const [ticketTypeId = ''] = sale.ticketTypeIds;
      await Promise.all(
        times(people, async (person) => {
          const who = aShopper(sale.eventId);
          const answers = await Promise.all(
            times(2 * tabs, (tab) =>
              sale.ask(() =>
                tab % 2 === 0
                  ? sale.counter.reserve(who, [sale.seatIds[person * tabs + tab / 2] ?? ''], randomUUID())
                  : sale.counter.standing(who, [{ ticketTypeId, quantity: 1 }], randomUUID()),
              ),
            ),
          );
          const refused = answers.filter((answer) => !isGranted(answer));
          expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(
            new Set(['409 PURCHASE_LIMIT']),
          );
          expect(answers.length - refused.length).toBe(limit);
        }),
      );
      expect((await sale.held()).length).toBe(people * limit);
      await sale.expectSound();
    });
  });
}

describeRaces('races at one embedded process', [], anEmbeddedHouse);
describeRaces('races at two processes on PostgreSQL, Redis and Kafka', ['redis', 'kafka'], aHouseOfTwo);
