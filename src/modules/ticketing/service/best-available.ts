import type { Clock } from '#platform/clock.ts';
import type { SeatWish } from '../domain/best-available.ts';
import type { SeatPlan } from '../domain/seat-plan.ts';
import { type WouldFit, wouldFit } from '../domain/would-fit.ts';
import type { HoldRequest, Holds, HoldVerdict } from '../ports.ts';
import type { LiveMap } from './live-map.ts';
import { busyMs, createSeatDesks, type SeatDesk } from './seat-desk.ts';

export interface BestRequest extends Omit<HoldRequest, 'offer' | 'seatNos' | 'items'> {
  readonly wish: SeatWish;
}

/** `unknown-wish`: the event has no such grade or section. */
export type BestVerdict =
  | HoldVerdict
  | { readonly status: 'unknown-wish'; readonly field: 'grade' | 'section' }
  | { readonly status: 'nothing-fits'; readonly wouldFit: readonly WouldFit[] };

/** Chooses the best seats and holds them. Refuses only when the database itself has nothing that fits. */
export interface BestAvailable {
  reserve(request: BestRequest): Promise<BestVerdict>;
}

/** Somebody was faster so often, or others were at the last seats for so long: the caller is asked to try again. */
const choicesMax = 100;
const choosingMaxMs = 5_000;
/** After so many the others are given time: what the map shows and what is said of it differ. */
const choicesAtOnce = 10;
const pauseMs = 50;
/** The map is behind the database by one plan; more than one in a moment is not waited for. */
const otherOffersMax = 3;

/** Seats that nobody else of this process is given until they are put back at the desk that they are from. */
interface Choice {
  readonly desk: SeatDesk;
  readonly seatNos: readonly number[];
}

export function createBestAvailable(deps: {
  mapOf: (eventId: string) => Promise<LiveMap>;
  holds: Holds;
  clock: Pick<Clock, 'monotonicMs'>;
}): BestAvailable {
  const { mapOf, holds, clock } = deps;
  const deskOf = createSeatDesks(clock);
  /** Holds of this process that have no answer yet, by event. */
  const underWay = new Map<string, Set<Promise<unknown>>>();

  /** Null: these were gone, choose again. */
  async function hold({ desk, seatNos }: Choice, request: BestRequest): Promise<HoldVerdict | null> {
    const { wish: _, ...rest } = request;
    const asking = holds.hold({ ...rest, offer: desk.offer, seatNos, items: [] });
    const others = underWay.get(request.eventId) ?? new Set();
    underWay.set(request.eventId, others.add(asking));
    try {
      const verdict = await asking;
      // Before they are put back, or the next one in line would be given them.
      if (verdict.status === 'granted' || verdict.status === 'same') desk.believeTaken(seatNos);
      if (verdict.status === 'taken') desk.believeTaken(verdict.seatNos);
      if (verdict.status === 'busy') desk.believeBusy(seatNos);
      return verdict.status === 'taken' || verdict.status === 'busy' ? null : verdict;
    } finally {
      desk.putBack(seatNos);
      others.delete(asking);
      if (others.size === 0) underWay.delete(request.eventId);
    }
  }

  function choose(map: LiveMap, request: BestRequest): Choice | null {
    const desk = deskOf(map);
    const seatNos = desk.withOwn(ownSeats(map, request) ?? [], () => desk.take(request.wish));
    return seatNos === null ? null : { desk, seatNos };
  }

  /** The map may be behind the database; what it shows after this is not. */
  async function readAnew(map: LiveMap): Promise<void> {
    const askedAtMs = clock.monotonicMs();
    await map.refresh();
    deskOf(map).mapReadAfter(askedAtMs);
  }

  /** Holds that are under way may fail, and leave their seats. False: there are none, here or, as far as is known, elsewhere. */
  async function othersSettle(map: LiveMap): Promise<boolean> {
    const others = underWay.get(map.eventId);
    if (others !== undefined) await Promise.race([...others].map((asking) => asking.catch(() => undefined)));
    else if (deskOf(map).isAnyBusy) await pause(busyMs);
    else return false;
    return true;
  }

  async function refuse(map: LiveMap, request: BestRequest): Promise<BestVerdict> {
    // The key may have been granted seats before: then these are the answer, and not that nothing is left now.
    const before = await holds.replay(request);
    if (before !== null) return before;
    const desk = deskOf(map);
    const { grades } = map.plan.document;
    return desk.withOwn(ownSeats(map, request) ?? [], () => ({
      status: 'nothing-fits',
      wouldFit: wouldFit(request.wish, { ...desk, grades, freeCount: desk.freeCount }),
    }));
  }

  return {
    async reserve(request) {
      const { eventId, wish } = request;
      const beganAtMs = clock.monotonicMs();
      let otherOffers = 0;
      let isMapTrusted = true;
      for (let choices = 0; choices < choicesMax; choices++) {
        const map = await mapOf(eventId);
        const field = unknownField(map.plan, wish);
        if (field !== null) return { status: 'unknown-wish', field };
        // A reservation that is to be given back may be newer than the map.
        let choice = isMapTrusted && ownSeats(map, request) !== null ? choose(map, request) : null;
        if (choice === null) {
          await readAnew(map);
          choice = choose(map, request);
        }
        if (choice !== null) {
          const verdict = await hold(choice, request);
          // By the plan that is sold now the same numbers may be other seats: choose anew, by that plan.
          if (verdict?.status === 'other-offer' && otherOffers++ < otherOffersMax) await readAnew(map);
          else if (verdict !== null) return verdict;
          // The desk believes nothing of seats that the map shows as held, so only the map can tell that own ones are gone.
          isMapTrusted = request.replaces === null;
        } else if (!(await othersSettle(map))) {
          return refuse(map, request);
        }
        if (clock.monotonicMs() - beganAtMs > choosingMaxMs) break;
        if (choices >= choicesAtOnce) await pause(pauseMs);
      }
      return { status: 'busy' };
    },
  };
}

/** Seats of the pending reservation that would be given back, as far as they are still its own. Null: the map knows no such one. */
function ownSeats(map: LiveMap, { userId, replaces }: BestRequest): readonly number[] | null {
  if (replaces === null) return [];
  const held = map.heldBy(userId).find(({ id, isPending }) => id === replaces && isPending);
  if (held === undefined) return null;
  const { seats } = held.lines();
  return seats.filter(({ seatNo, fence }) => map.board.fenceOf(seatNo) === fence).map(({ seatNo }) => seatNo);
}

/** Refused before anything is looked for: to say what would fit instead is the dearest answer there is. */
function unknownField({ document, section }: SeatPlan, wish: SeatWish): 'grade' | 'section' | null {
  if (wish.grade !== undefined && !document.grades.some(({ grade }) => grade === wish.grade)) return 'grade';
  return wish.section !== undefined && section(wish.section) === undefined ? 'section' : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
