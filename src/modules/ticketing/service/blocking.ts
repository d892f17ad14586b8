import type { Database } from '#platform/postgres/database.ts';
import type { EventBook, EventBooks } from '../ports.ts';
import { type BlockingCall, type BlockingOutcome, setBlocked } from '../storage/blocking.ts';

export type BlockingVerdict =
  | { readonly status: 'done'; readonly changed: number }
  | { readonly status: 'not-ready' }
  /** By where they stand in the request. */
  | { readonly status: 'unknown-seats' | 'twice'; readonly at: readonly number[] }
  | { readonly status: 'not-free'; readonly seats: readonly { readonly seatId: string; readonly state: string }[] };

export type BlockingRequest = Pick<BlockingCall, 'eventId' | 'isBlocked' | 'reason' | 'actor'> & {
  readonly seatIds: readonly string[];
};

export interface Blocking {
  change(request: BlockingRequest): Promise<BlockingVerdict>;
}

/** Seats are built anew at most a few times in the life of an event. */
const triesMax = 3;
const stateNames = ['available', 'held', 'paying', 'sold', 'blocked'] as const;

export function createBlocking({ database, books }: { database: Database; books: EventBooks }): Blocking {
  return {
    async change(request) {
      const twice = positions(request.seatIds, (seatId, n) => request.seatIds.indexOf(seatId) < n);
      if (twice.length > 0) return { status: 'twice', at: twice };
      let book = await books.get(request.eventId);
      for (let tried = 0; tried < triesMax; tried++) {
        const verdict = await tryOn(book, request);
        if (verdict !== 'stale') return verdict;
        book = await books.renew(request.eventId);
      }
      return { status: 'not-ready' };
    },
  };

  async function tryOn(book: EventBook | null, request: BlockingRequest): Promise<BlockingVerdict | 'stale'> {
    const plan = book?.plan ?? null;
    if (book === null || plan === null || !book.isReady) return { status: 'not-ready' };
    const { seatIds, ...call } = request;
    const seats = seatIds.flatMap((seatId) => {
      const seatNo = plan.seatNoOf(seatId);
      return seatNo === undefined ? [] : [{ seatNo, seatId }];
    });
    if (seats.length < seatIds.length)
      return { status: 'unknown-seats', at: positions(seatIds, (seatId) => plan.seatNoOf(seatId) === undefined) };
    return verdictOf(await setBlocked(database, { ...call, seats, offer: plan.offer }), seats);
  }
}

function verdictOf(
  outcome: BlockingOutcome,
  seats: readonly { seatNo: number; seatId: string }[],
): BlockingVerdict | 'stale' {
  switch (outcome.status) {
    case 'done':
      return { status: 'done', changed: seats.length };
    case 'not-ready':
      return { status: 'not-ready' };
    case 'stale':
      return 'stale';
    case 'unknown-seat':
      throw new Error('the plan that is built has seats that the table has not');
    case 'not-free': {
      const states = new Map(outcome.seats.map(({ seatNo, state }) => [seatNo, stateNames[state]]));
      const inTheWay = seats.flatMap(({ seatNo, seatId }) => {
        const state = states.get(seatNo);
        return state === undefined ? [] : [{ seatId, state }];
      });
      return { status: 'not-free', seats: inTheWay };
    }
  }
}

function positions(seatIds: readonly string[], isMeant: (seatId: string, n: number) => boolean): number[] {
  return seatIds.flatMap((seatId, n) => (isMeant(seatId, n) ? [n] : []));
}
