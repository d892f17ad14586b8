import { assertNever } from '#platform/assert.ts';
import { type BatchLimits, createBatcher } from '#platform/concurrency/batcher.ts';
import { lockNameOf } from '#platform/idempotency.ts';
import type { BuyerTier } from '../domain/fees.ts';
import { holdLinesOf } from '../domain/hold-lines.ts';
import { newReservationNumber } from '../domain/reservation-number.ts';
import { opensForMs } from '../domain/tier-opening.ts';
import { ticketingErrors } from '../errors.ts';
import type { EventBook, EventBooks, HoldRequest, Holds, HoldVerdict, ShieldedSeat, TicketingDeps } from '../ports.ts';
import type { Reservation } from '../schemas.ts';
import { type Decided, decideHolds } from '../storage/hold-batch-failures.ts';
import {
  expireLapsedPlaces,
  type PreparedHold,
  reservationsById,
  storedAnswers,
  type TakenSeat,
} from '../storage/holds.ts';
import { grantedReservation } from './granted-reservation.ts';
import { refuseInDemand } from './seats-in-demand.ts';

type Deps = Pick<TicketingDeps, 'database' | 'bus' | 'clock' | 'ids' | 'random' | 'metrics' | 'tiers' | 'shield'> & {
  readonly books: EventBooks;
};

const holdLimits: BatchLimits = { batchMax: 64, batchesMax: 2, callsMax: 20_000, waitMaxMs: 3_000 };
/** How often a request is decided anew because the facts of its event have changed meanwhile. */
const staleMax = 3;
/** A ticket type of which no hold has lapsed is not looked through again for so long. */
const noneLapsedMs = 500;
/** Lapsed holds that are ended in one transaction, and how often one request has that done: others may take what comes back. */
const lapsedMax = 500;
const lapsedRoundsMax = 50;

/** How long an event counts as contested after somebody was refused a seat that somebody else has. */
const contestedMs = 1_000;

/** Before it has an id and a number. */
type Wish = Omit<PreparedHold, 'reservationId' | 'number'>;

interface Call {
  readonly request: HoldRequest;
  readonly tier: BuyerTier;
}

/** Grants holds: requests of one event that arrive together are decided together. */
export function createHolds(deps: Deps): Holds & { stop(): Promise<void> } {
  const { books, clock, shield } = deps;
  const inFlight = new Set<string>();
  /** By ticket type: looks for lapsed holds that are under way, and until when the last one holds that found none. */
  const endingLapsed = new Map<string, Promise<boolean>>();
  const noneLapsedUntil = new Map<string, number>();
  /** By event: until when the shield is asked. */
  const contestedUntil = new Map<string, number>();
  const verdicts = deps.metrics.counter(
    'urr_ticketing_holds_total',
    'Requests for seats and places, by what became of them.',
    ['verdict'],
  );
  const batcher = createBatcher<Call, HoldVerdict>({
    limits: holdLimits,
    run,
    overloaded: () => ticketingErrors.fault('HOLDS_BUSY'),
  });

  async function run(eventId: string, calls: readonly Call[]): Promise<(HoldVerdict | Error)[]> {
    const results: (HoldVerdict | Error | undefined)[] = await refusedByShield(eventId, calls);
    for (let round = 0; round <= staleMax; round++) {
      const waiting = [...calls.keys()].filter((n) => results[n] === undefined);
      if (waiting.length === 0) break;
      const book = await (round === 0 ? books.get(eventId) : books.renew(eventId));
      const wishes: { n: number; hold: Wish }[] = [];
      const refused: { n: number; request: HoldRequest; verdict: HoldVerdict }[] = [];
      for (const n of waiting) {
        const call = calls[n] as Call; // One of those above.
        const hold = book === null ? ({ status: 'unknown-event' } as const) : toWish(book, call);
        if ('status' in hold) refused.push({ n, request: call.request, verdict: hold });
        else wishes.push({ n, hold });
      }
      // A key that was granted something before the sale ended here still gets that.
      const replayed = await replays(refused.map(({ request }) => request));
      refused.forEach(({ n, verdict }, at) => {
        results[n] = replayed[at] ?? verdict;
      });
      if (book === null || wishes.length === 0) break;
      const { version } = book;
      const inDemand = await refuseInDemand(deps.database, {
        eventId,
        version,
        wishes: wishes.map(({ hold }) => hold),
      });
      if (inDemand.seats.length > 0) tellShield(eventId, inDemand.seats);
      const prepared: { n: number; hold: PreparedHold }[] = [];
      for (const [at, { n, hold }] of wishes.entries()) {
        const taken = inDemand.taken[at] ?? [];
        if (taken.length === 0) prepared.push({ n, hold: prepare(hold) });
        else results[n] = { status: 'taken', seatNos: taken.map(({ seatNo }) => seatNo) };
      }
      if (prepared.length === 0) continue;
      // What ended with the batch is dropped before what was granted is noted: a seat may be both. Holds alone do not wake the relay: nobody
      // waits for RESERVATIONS_CREATED, its next poll finds it, and a turn of its own for each batch would cost as much as the batch.
      const onFreed = (seats: readonly { seatNo: number; fence: number }[]) => {
        shield?.drop(eventId, seats);
        deps.bus.wakeRelays();
      };
      const decided = await decideHolds(
        { ...deps, onFreed },
        {
          eventId,
          version,
          holds: prepared.map(({ hold }) => hold),
        },
      );
      const told = await toVerdicts(book, decided);
      prepared.forEach(({ n }, at) => {
        results[n] = told[at];
      });
    }
    return calls.map((_, n) => results[n] ?? ticketingErrors.fault('HOLDS_BUSY'));
  }

  /**
   * What is surely taken costs no query. A repeat of a key whose reservation is over and whose seat is somebody else's by now may be told
   * so, too, instead of what became of the reservation: the seat is gone in either case.
   */
  async function refusedByShield(eventId: string, calls: readonly Call[]): Promise<(HoldVerdict | undefined)[]> {
    // A lone request has the database to itself, which answers as quickly as the shield would; and where nobody was refused lately, the shield
    // would have nothing to say.
    const isContested = (contestedUntil.get(eventId) ?? 0) > clock.monotonicMs();
    if (shield === null || calls.length === 1 || !isContested) return calls.map(() => undefined);
    const taken = await shield.taken(
      eventId,
      calls.map(({ request: { userId, seatNos } }) => ({ userId, seatNos })),
    );
    if (taken.some((seatNos) => seatNos.length > 0)) rememberContested(eventId);
    return calls.map((_, n) => {
      const seatNos = taken[n] ?? [];
      return seatNos.length === 0 ? undefined : { status: 'taken', seatNos };
    });
  }

  /** What keys were granted before: the reservation as it is now. Null: nothing. */
  async function replays(
    requests: readonly Pick<HoldRequest, 'userId' | 'idempotency'>[],
  ): Promise<(HoldVerdict | null)[]> {
    if (requests.length === 0) return [];
    const stored = await storedAnswers(deps.database, requests);
    const repeated = stored.flatMap((each) => (each?.isRepeat ? [each.reservationId] : []));
    const found =
      repeated.length === 0 ? new Map<string, Reservation>() : await reservationsById(deps.database, repeated);
    return stored.map((each) => {
      if (each === null) return null;
      if (!each.isRepeat) return { status: 'mismatch' };
      const reservation = found.get(each.reservationId);
      return reservation === undefined ? null : { status: 'replayed', reservation };
    });
  }

  function toWish(book: EventBook, { request, tier }: Call): Wish | HoldVerdict {
    if (book.isCancelled) return { status: 'over' };
    if (!book.isReady || book.plan === null) return { status: 'not-ready' };
    if (book.plan.offer !== request.offer) return { status: 'other-offer' };
    const lines = holdLinesOf(book.plan, request, tier);
    if (lines === null) return { status: request.items.length > 0 ? 'unknown-type' : 'unknown-seat' };
    return { request, lines, opensAtMs: opensForMs(book.facts, tier) };
  }

  const prepare = (wish: Wish): PreparedHold => ({
    ...wish,
    reservationId: deps.ids.next(),
    number: newReservationNumber(deps.random),
  });

  /** Undefined: stale, to be decided anew. */
  async function toVerdicts(
    book: EventBook,
    decided: readonly (Decided | Error)[],
  ): Promise<(HoldVerdict | Error | undefined)[]> {
    const known = decided.flatMap((each) =>
      'answer' in each && 'reservationId' in each.answer ? [each.answer.reservationId] : [],
    );
    const found = known.length === 0 ? new Map<string, Reservation>() : await reservationsById(deps.database, known);
    noteForShield(book.eventId, decided);
    return decided.map((each) => (each instanceof Error ? each : toVerdict({ book, found, ...each })));
  }

  /** What somebody has, without what is blocked or on its way back. */
  function tellShield(eventId: string, taken: Iterable<TakenSeat>, granted: readonly ShieldedSeat[] = []): void {
    if (shield === null) return;
    const seats: ShieldedSeat[] = [];
    for (const { seatNo, userId, fence, heldForMs } of taken)
      if (userId !== null) seats.push({ seatNo, userId, fence, heldForMs });
    if (seats.length > 0) rememberContested(eventId);
    seats.push(...granted);
    if (seats.length > 0) shield.note(eventId, seats);
  }

  function noteForShield(eventId: string, decided: readonly (Decided | Error)[]): void {
    if (shield === null) return;
    // Many may have been refused for one seat.
    const taken = new Map<number, TakenSeat>();
    for (const each of decided) {
      if (each instanceof Error || each.answer.verdict !== 'taken') continue;
      for (const seat of each.answer.seats) taken.set(seat.seatNo, seat);
    }
    const granted: ShieldedSeat[] = [];
    for (const each of decided) {
      if (each instanceof Error || each.answer.verdict !== 'granted') continue;
      const { request, lines } = each.hold;
      const { fences, createdAtMs, expiresAtMs } = each.answer;
      for (const [at, { seatNo }] of lines.seats.entries())
        granted.push({
          seatNo,
          userId: request.userId,
          fence: fences[at] ?? 0,
          heldForMs: expiresAtMs - createdAtMs,
        });
    }
    tellShield(eventId, taken.values(), granted);
  }

  /** True: holds of this ticket type had lapsed, and their places are back. Requests that need it together share one look. */
  async function endLapsed(ticketTypeId: string): Promise<boolean> {
    if ((noneLapsedUntil.get(ticketTypeId) ?? 0) > clock.monotonicMs()) return false;
    const looking = endingLapsed.get(ticketTypeId) ?? lookForLapsed(ticketTypeId);
    endingLapsed.set(ticketTypeId, looking);
    return looking;
  }

  async function lookForLapsed(ticketTypeId: string): Promise<boolean> {
    try {
      // Where this fails, the sweeper does it within a second or two.
      const ended = await expireLapsedPlaces(deps.database, ticketTypeId, lapsedMax).catch(() => 0);
      if (ended > 0) deps.bus.wakeRelays();
      else rememberNoneLapsed(ticketTypeId);
      return ended > 0;
    } finally {
      endingLapsed.delete(ticketTypeId);
    }
  }

  const rememberNoneLapsed = (ticketTypeId: string) => rememberFor(noneLapsedUntil, ticketTypeId, noneLapsedMs);
  const rememberContested = (eventId: string) => rememberFor(contestedUntil, eventId, contestedMs);

  /** Forgets what is over, so that the map stays small. */
  function rememberFor(untilOf: Map<string, number>, id: string, ms: number): void {
    const now = clock.monotonicMs();
    for (const [known, until] of untilOf) if (until <= now) untilOf.delete(known);
    untilOf.set(id, now + ms);
  }

  /** Piece by piece, until there are enough places or one of the ticket types has no lapsed hold left. */
  async function holdWithLapsed(eventId: string, call: Call): Promise<HoldVerdict> {
    for (let round = 1; ; round++) {
      const verdict = await batcher.call(eventId, call);
      if (verdict.status !== 'short' || round > lapsedRoundsMax) return verdict;
      const short = call.request.items.filter(({ quantity }, at) => (verdict.left[at]?.left ?? 0) < quantity);
      const areBack = await Promise.all(short.map(({ ticketTypeId }) => endLapsed(ticketTypeId)));
      if (areBack.length === 0 || areBack.includes(false)) return verdict;
    }
  }

  async function decide(request: HoldRequest): Promise<HoldVerdict> {
    const { eventId, userId } = request;
    const known = await books.get(eventId);
    const book = known === null || (known.isReady && known.plan !== null) ? known : await books.renew(eventId);
    if (book === null) return { status: 'unknown-event' };
    const tier = await deps.tiers.tierOf({ userId, artistId: book.facts.artist.id });
    return holdWithLapsed(eventId, { request, tier });
  }

  return {
    async hold(request) {
      const name = lockNameOf({ userId: request.userId, ...request.idempotency });
      if (inFlight.has(name)) return { status: 'in-flight' };
      inFlight.add(name);
      try {
        const verdict = await decide(request);
        verdicts.inc({ verdict: verdict.status });
        return verdict;
      } finally {
        inFlight.delete(name);
      }
    },
    replay: async (request) => (await replays([request]))[0] ?? null,
    stop: () => batcher.stop(),
  };
}

function toVerdict({
  book,
  found,
  hold,
  answer,
}: Decided & { book: EventBook; found: ReadonlyMap<string, Reservation> }): HoldVerdict | Error | undefined {
  switch (answer.verdict) {
    case 'granted':
      return { status: 'granted', reservation: grantedReservation(hold, answer) };
    case 'same':
    case 'replayed': {
      const reservation = found.get(answer.reservationId);
      return reservation
        ? { status: answer.verdict, reservation }
        : new Error(`there is no reservation ${answer.reservationId}`);
    }
    case 'taken':
      return { status: 'taken', seatNos: answer.seats.map(({ seatNo }) => seatNo) };
    case 'short':
      return { status: 'short', left: answer.left };
    case 'limit':
      return { status: 'limit', limit: answer.limit, have: answer.have };
    case 'not-open':
      return { status: 'not-open', opensAtMs: book.opensAtMs };
    case 'tier-not-open':
      return { status: 'tier-not-open', opensAtMs: hold.opensAtMs };
    case 'stale':
      return undefined;
    case 'mismatch':
    case 'in-flight':
    case 'unknown-event':
    case 'unknown-seat':
    case 'unknown-type':
    case 'unknown-replaced':
    case 'over':
    case 'not-ready':
    case 'busy':
      return { status: answer.verdict };
    default:
      return assertNever(answer);
  }
}
