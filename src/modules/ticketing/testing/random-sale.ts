import type { SeededRandom } from '#test/kit/seeded-random.ts';
import { holdTimes } from '../domain/reservation.ts';
import { createSaleBook, type SaleBook } from './sale-book.ts';

/** Ids that count up, so that a run can be played again. */
export function countingIds(): { nextId: () => string; nextNumber: () => number } {
  let ids = 0;
  let numbers = 0;
  return {
    nextId: () => `00000000-0000-4000-8000-${(++ids).toString(16).padStart(12, '0')}`,
    // With gaps, as a sequence has them.
    nextNumber: () => (numbers += 2),
  };
}

/** A sale in which everything happens that may happen, some of it tried in vain. */
export function aRandomSale(
  random: SeededRandom,
  {
    acts,
    ...size
  }: { seatCount: number; capacities: readonly number[]; acts: number } & ReturnType<typeof countingIds>,
): SaleBook {
  const book = createSaleBook(size);
  const users = Array.from({ length: 5 }, () => size.nextId());
  const aReservation = () => random.pick([...book.reservations.values()]);
  const tries: readonly (() => unknown)[] = [
    () => hold(),
    () => hold(),
    () => book.extend(aReservation()),
    () => book.pin(aReservation()),
    () => book.pin(aReservation()),
    () => book.unpin(aReservation()),
    () => book.awaitDeposit(aReservation()),
    () => random.fraction() < 0.3 && book.requestRefund(aReservation()),
    () => book.refund(aReservation()),
    () => book.confirm(aReservation()),
    () => book.confirm(aReservation()),
    () => book.release(aReservation()),
    () => book.expire(aReservation()),
    () => book.cancel(aReservation(), () => random.fraction() < 0.6, random.pick([0, 60_000])),
    () => book.returnSeats(),
    () => book.block(random.between(0, size.seatCount)),
    () => book.unblock(random.between(0, size.seatCount)),
    () => book.tickets.size > 0 && random.fraction() < 0.3 && book.checkIn(random.pick([...book.tickets.values()])),
    () => book.wait(random.pick([1, 30_000, holdTimes.holdMs])),
  ];
  for (let tried = 0; book.reservations.size === 0 && tried < 100; tried++) hold();
  for (let done = 0; done < acts; done++) random.pick(tries)();
  return book;

  function hold(): void {
    const seatNos =
      size.seatCount === 0 ? [] : [random.between(0, size.seatCount - 1), random.between(0, size.seatCount - 1)];
    const quantities = size.capacities.map(() => random.between(0, 2));
    const isStanding = size.seatCount === 0 || (size.capacities.length > 0 && random.fraction() < 0.4);
    book.hold(random.pick(users), isStanding ? [] : [...new Set(seatNos)], isStanding ? quantities : []);
  }
}
