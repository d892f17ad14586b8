import { inSlices } from '#platform/concurrency/in-slices.ts';
import { fingerprintOf } from '../domain/offer.ts';
import { planDocumentSteps, planTextSteps } from '../domain/plan-document.ts';
import { createSeatPlan, type SeatPlan } from '../domain/seat-plan.ts';
import type { EventBook, EventBooks, TicketingDeps } from '../ports.ts';
import { type BuildVerdict, blockedSeats, buildSeats } from '../storage/seats.ts';

export type BuildSeats = (eventId: string) => Promise<BuildVerdict>;

/**
 * Makes the seats of one event from its drawing, which catalog has, and the newest facts heard of. Everything is decided again by
 * the database under its locks, so this may run in several processes, twice, or be given up at any point.
 */
export function createBuildSeats({
  database,
  catalog,
  books,
}: Pick<TicketingDeps, 'database' | 'catalog'> & { readonly books: EventBooks }): BuildSeats {
  return async (eventId) => {
    const book = await books.renew(eventId);
    if (book === null || book.isCancelled) return 'stale';
    if (book.isReady) return 'unchanged';
    const plan = await planFor(book);
    const wereBlocked = await blockedSeats(database, eventId);
    const verdict = await buildSeats(database, {
      eventId,
      offer: plan.offer,
      layoutId: plan.layoutId,
      plan: await inSlices(planTextSteps(plan.document)),
      seatCount: plan.seatCount,
      wereBlocked,
      blockAgain: sameSeats({ from: book.plan, to: plan, seatNos: wereBlocked }),
    });
    if (verdict === 'built' || verdict === 'repriced') await books.renew(eventId);
    return verdict;
  };

  async function planFor({ facts }: EventBook): Promise<SeatPlan> {
    const { layout } = await catalog.layoutById({ layoutId: facts.layoutId });
    if (layout === null) throw new Error(`catalog has no layout ${facts.layoutId}`);
    const document = await inSlices(planDocumentSteps(layout, facts));
    return createSeatPlan({ offer: fingerprintOf(facts), layoutId: facts.layoutId, document });
  }
}

/** By their ids, which are what people know them by: a drawing that was changed a little keeps what the seller has blocked. */
function sameSeats({
  from,
  to,
  seatNos,
}: {
  from: SeatPlan | null;
  to: SeatPlan;
  seatNos: readonly number[];
}): number[] {
  return seatNos
    .flatMap((seatNo) => {
      const seatId = from?.seat(seatNo)?.seatId;
      return (seatId === undefined ? undefined : to.seatNoOf(seatId)) ?? [];
    })
    .sort((a, b) => a - b);
}
