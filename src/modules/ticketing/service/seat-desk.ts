import type { Clock } from '#platform/clock.ts';
import { createSeatPicker, type SeatPicker, type SeatWish } from '../domain/best-available.ts';
import { createDueQueue } from '../domain/due-queue.ts';
import type { SeatBoard } from '../domain/seat-board.ts';
import type { LiveMap } from './live-map.ts';

/**
 * Where best seats are given out: the map of an event, less what this process is asking for right now and what the database has
 * said since the map was read.
 */
export interface SeatDesk {
  /** The numbers of its seats are those of this plan. */
  readonly offer: string;
  /** The best that fit; nobody else is given them until `putBack`. */
  take(wish: SeatWish): readonly number[] | null;
  putBack(seatNos: readonly number[]): void;
  /** While `look` runs, these count as free unless they are asked for: the caller holds them, and would give them back. */
  withOwn<Result>(own: readonly number[], look: () => Result): Result;
  /** The database has said so. Counts until the map shows it, is read anew, or some time has passed. */
  believeTaken(seatNos: readonly number[]): void;
  /** Somebody is at these, and nobody knows yet what will become of them. */
  believeBusy(seatNos: readonly number[]): void;
  readonly isAnyBusy: boolean;
  /** The map has been read after this moment of the monotonic clock: what it shows counts. */
  mapReadAfter(atMs: number): void;
  readonly freeCount: number;
  fits(wish: SeatWish): boolean;
  countFree: SeatPicker['countFree'];
}

/** What the database has said counts for as long, should the map not show it before. */
const takenMs = 3_000;
export const busyMs = 250;

interface Belief {
  readonly isBusy: boolean;
  readonly saidAtMs: number;
  readonly untilMs: number;
}

/** One desk for each map, made when somebody first asks for it. */
export function createSeatDesks(clock: Pick<Clock, 'monotonicMs'>): (map: LiveMap) => SeatDesk {
  const desks = new WeakMap<SeatBoard, SeatDesk>();
  return (map) => {
    const { board } = map;
    const known = desks.get(board);
    if (known !== undefined) return known;
    const desk = createSeatDesk(map, clock);
    desks.set(board, desk);
    return desk;
  };
}

function createSeatDesk(map: LiveMap, clock: Pick<Clock, 'monotonicMs'>): SeatDesk {
  const { board, plan } = map;
  const picker = createSeatPicker(plan);
  const asked = new Set<number>();
  const believed = new Map<number, Belief>();
  const ends = createDueQueue<number>();

  const update = (seatNo: number) =>
    picker.setFree(seatNo, board.looks[seatNo] === 0 && !asked.has(seatNo) && !believed.has(seatNo));

  for (let seatNo = 0; seatNo < board.looks.length; seatNo++) update(seatNo);
  board.onFree((seatNo, isFree) => {
    if (!isFree) believed.delete(seatNo);
    update(seatNo);
  });

  function forget(seatNo: number): void {
    believed.delete(seatNo);
    update(seatNo);
  }

  function believe(seatNos: readonly number[], { isBusy, forMs }: { isBusy: boolean; forMs: number }): void {
    const saidAtMs = clock.monotonicMs();
    const untilMs = saidAtMs + forMs;
    for (const seatNo of seatNos) {
      if (board.looks[seatNo] !== 0) continue;
      believed.set(seatNo, { isBusy, saidAtMs, untilMs });
      ends.add(seatNo, untilMs);
      update(seatNo);
    }
  }

  /** Lapsed holds are free, and beliefs end. */
  function settle(): void {
    map.looks();
    const nowMs = clock.monotonicMs();
    for (let seatNo = ends.takeDue(nowMs); seatNo !== undefined; seatNo = ends.takeDue(nowMs))
      if ((believed.get(seatNo)?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs) forget(seatNo);
  }

  return {
    offer: plan.offer,
    take(wish) {
      settle();
      const seatNos = picker.pick(wish);
      for (const seatNo of seatNos ?? []) {
        asked.add(seatNo);
        update(seatNo);
      }
      return seatNos;
    },
    putBack(seatNos) {
      for (const seatNo of seatNos) {
        asked.delete(seatNo);
        update(seatNo);
      }
    },
    withOwn(own, look) {
      settle();
      for (const seatNo of own) if (!asked.has(seatNo)) picker.setFree(seatNo, true);
      try {
        return look();
      } finally {
        for (const seatNo of own) update(seatNo);
      }
    },
    believeTaken: (seatNos) => believe(seatNos, { isBusy: false, forMs: takenMs }),
    believeBusy: (seatNos) => believe(seatNos, { isBusy: true, forMs: busyMs }),
    get isAnyBusy() {
      return [...believed.values()].some(({ isBusy }) => isBusy);
    },
    mapReadAfter(atMs) {
      for (const [seatNo, { isBusy, saidAtMs }] of believed) if (!isBusy && saidAtMs <= atMs) forget(seatNo);
    },
    get freeCount() {
      return picker.freeCount;
    },
    fits: (wish) => picker.pick(wish) !== null,
    countFree: picker.countFree,
  };
}
