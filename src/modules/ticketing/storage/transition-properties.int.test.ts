import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { testSeed } from '#test/kit/seed.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { type Held, tryHold } from '../testing/a-hold.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPayment, type Payment } from '../testing/payments.ts';
import { reservationRow, ticketsOf, told } from '../testing/seen.ts';
import { type ModelAttempt, type ModelReservation, TransitionModel } from '../testing/transition-model.ts';
import { cancelEventBite } from './cancelled-events.ts';
import { applyPayments, cancel, pin, prepare, sweepLapsed, unpin } from './transitions.ts';

const database = await aTicketingDatabase();
afterAll(() => checkLedger(database));

const runs = 30;
const seats = 6;
const places = 5;
const steps = [
  ...[
    'hold',
    'hold',
    'hold',
    'prepare',
    'pin',
    'pin',
    'repin',
    'unpin',
    'cancel',
    'cancelPart',
    'sweep',
    'wait',
    'wait',
  ],
  ...['confirmed', 'confirmed', 'failed', 'waiting', 'refunded', 'reversed', 'cancelEvent'],
] as const;
/** What to do, and three numbers that choose whose and how much. */
const aStep = fc.tuple(fc.constantFrom(...steps), fc.nat(99), fc.nat(99), fc.nat(99));
type Step = readonly [(typeof steps)[number], number, number, number];

let nowMs = Date.now();

interface Attempt {
  readonly model: ModelAttempt;
  readonly payment: Payment;
}

/** One sale and its model side by side. */
class Run {
  readonly held: Held[] = [];
  readonly attempts: Attempt[] = [];
  readonly model = new TransitionModel({ nowMs, places });
  readonly users = Array.from({ length: 3 }, () => randomUUID());
  private readonly sale: Sale;

  constructor(sale: Sale) {
    this.sale = sale;
  }

  private at(n: number): { held: Held; model: ModelReservation } | null {
    const index = n % Math.max(1, this.held.length);
    const [held, model] = [this.held[index], this.model.reservations[index]];
    return held === undefined || model === undefined ? null : { held, model };
  }

  async step([what, a, b, c]: Step): Promise<void> {
    const chosen = this.at(a);
    const attempt = this.attempts[a % Math.max(1, this.attempts.length)];
    switch (what) {
      case 'hold': {
        if (this.model.isCancelled) return;
        const seatNos = b % 4 === 3 ? [] : [...new Set([a % seats, b % seats])];
        const count = seatNos.length === 0 ? 1 + (c % 3) : c % 2;
        const userId = this.users[c % this.users.length] ?? '';
        const granted = this.model.hold(seatNos, count);
        const held = await tryHold(database, this.sale, { userId, seatNos, places: [count] });
        expect(held !== null).toBe(granted !== null);
        if (held !== null) this.held.push(held);
        return;
      }
      case 'prepare':
      case 'pin':
      case 'cancel':
      case 'cancelPart':
        if (chosen !== null) await this.act(what, chosen);
        return;
      case 'repin':
        if (attempt !== undefined) expect(await this.pinned(attempt)).toBe(this.model.pin(attempt.model));
        return;
      case 'unpin':
        if (attempt !== undefined)
          expect((await unpin(database, attempt.payment.attemptId)).wasPinned).toBe(this.model.unpin(attempt.model));
        return;
      case 'sweep':
        this.model.sweep();
        await sweepLapsed(database, 1_000);
        return;
      case 'wait':
        nowMs += 1 + (a * b + c) * 70;
        this.model.nowMs = nowMs;
        await setDatabaseClock(database, new Date(nowMs));
        return;
      case 'cancelEvent':
        if (a > 20) return;
        this.model.cancelEvent();
        await database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [
          this.sale.eventId,
        ]);
        await cancelEventBite(database, { eventId: this.sale.eventId, afterId: null, rowsMax: 100 });
        return;
      default:
        if (attempt !== undefined) await this.outcome(what, attempt, 1 + (b % 3));
    }
  }

  private async act(
    what: 'prepare' | 'pin' | 'cancel' | 'cancelPart',
    { held, model }: { held: Held; model: ModelReservation },
  ) {
    const whose = { reservationId: held.id, userId: held.userId };
    if (what === 'prepare') {
      expect((await prepare(database, whose)).verdict).toBe(this.model.prepare(model));
    } else if (what === 'pin') {
      const attempt = { payment: aPayment(held), model: { of: model, state: 'new' as const, hasEnded: false } };
      this.attempts.push(attempt);
      expect(await this.pinned(attempt)).toBe(this.model.pin(attempt.model));
    } else {
      const live = (await ticketsOf(database, held.id)).filter(({ state }) => state === 'issued');
      const part = what === 'cancelPart' && live.length > 0;
      const ticketIds = part ? live.slice(0, 1).map(({ id }) => id) : null;
      const { verdict } = await cancel(database, {
        ...{ ...whose, ticketIds, cancellationId: randomUUID(), reason: 'buyer', seed: 1 },
      });
      expect(verdict).toBe(this.model.cancel(model, part));
    }
  }

  private pinned({ payment, model }: Attempt) {
    const held = this.held[this.model.reservations.indexOf(model.of)];
    if (held === undefined) throw new Error('an attempt is of a reservation');
    const { id: reservationId, userId, totalKrw: amountKrw } = held;
    return pin(database, { reservationId, userId, amountKrw, attemptId: payment.attemptId });
  }

  /** Delivered as often as told, one by one or together: it has its effect once. */
  private async outcome(
    what: 'confirmed' | 'failed' | 'waiting' | 'refunded' | 'reversed',
    { payment, model }: Attempt,
    times: number,
  ) {
    this.model.apply(model, what);
    const held = this.held[this.model.reservations.indexOf(model.of)];
    const message =
      what === 'waiting'
        ? payment.waiting(new Date(nowMs + 30 * 60_000))
        : what === 'refunded'
          ? payment.refunded(held?.totalKrw ?? 0)
          : payment[what]();
    await applyPayments(database, [message], 1);
    if (times > 1) await applyPayments(database, Array(times).fill(message), 1);
  }

  async compare(): Promise<void> {
    for (const [n, model] of this.model.reservations.entries()) {
      const id = this.held[n]?.id ?? '';
      const row = await reservationRow(database, id);
      const tickets = (await ticketsOf(database, id)).filter(({ state }) => state !== 'void');
      expect({
        ...{ n, status: row.status, expiresMs: row.expires_at.getTime(), refundRequested: row.refund_requested },
        seatTickets: tickets.flatMap(({ seat_no }) => (seat_no === null ? [] : [seat_no])),
        placeTickets: tickets.filter(({ seat_no }) => seat_no === null).length,
      }).toEqual({
        ...{ n, status: model.status, expiresMs: model.expiresMs, refundRequested: model.refundRequested },
        seatTickets: [...model.seatTickets].sort(),
        placeTickets: model.placeTickets,
      });
      await told(database, id);
    }
    const { rows: owned } = await database.query<{ seat_no: number; reservation_id: string }>(
      'SELECT seat_no, reservation_id FROM ticketing.seats WHERE event_id = $1 AND reservation_id IS NOT NULL ORDER BY seat_no',
      [this.sale.eventId],
    );
    const owners = [...this.model.owners].sort(([left], [right]) => left - right);
    expect(owned.map(({ seat_no, reservation_id }) => [seat_no, reservation_id])).toEqual(
      owners.map(([seatNo, r]) => [seatNo, this.held[this.model.reservations.indexOf(r)]?.id]),
    );
    const { rows: left } = await database.query<{ left: number }>(
      'SELECT sum(places_left) AS left FROM ticketing.shards WHERE ticket_type_id = $1',
      [this.sale.ticketTypes[0]?.ticketTypeId],
    );
    expect(left[0]?.left).toBe(this.model.placesLeft);
    await this.compareBuyers();
  }

  /** The purchase limit's counter is the sum of what is held and of tickets that are not void. */
  private async compareBuyers(): Promise<void> {
    const { rows } = await database.query<{ user_id: string; live: number }>(
      'SELECT user_id, live FROM ticketing.buyers WHERE event_id = $1',
      [this.sale.eventId],
    );
    for (const { user_id, live } of rows) {
      const own = this.model.reservations.filter((_, n) => this.held[n]?.userId === user_id);
      const counts = own.map((r) =>
        ['pending', 'paying', 'waiting_for_deposit'].includes(r.status)
          ? r.seatNos.length + r.places
          : r.seatTickets.length + r.placeTickets,
      );
      expect(live).toBe(counts.reduce((sum, count) => sum + count, 0));
    }
  }
}

test('any sequence of transitions, with a clock that moves, does what the plain model does', async () => {
  await setDatabaseClock(database, new Date(nowMs));
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 10, maxLength: 50, size: 'max' }), async (sequence) => {
      const run = new Run(await aSale(database, { seats, ticketTypes: [{ capacity: places }], nowMs }));
      for (const step of sequence) await run.step(step);
      await run.compare();
    }),
    { numRuns: runs, seed: testSeed() },
  );
});
