import type { SeatRuns } from './seat-runs.ts';

interface Block {
  readonly first: number;
  readonly size: number;
  readonly cost: number;
}

/** Outweighs every distance. */
const aloneCost = 1e9;
/** Decides only between equal distances. */
const offCentreCost = 1e-3;

/**
 * So many seats, not all side by side, that leave as few single ones alone as possible; of those, the nearest to the stage. Null:
 * there are not enough.
 *
 * Of each stretch of free neighbours at most one block is taken, since two blocks never leave fewer alone than one at its end. Of
 * each size only the `count` best blocks can be part of the best choice, because the others of it are in less than `count` other
 * stretches. So there is one look at every seat, and then at most count³ steps.
 */
export function pickFewestAlone(
  runs: SeatRuns,
  free: Uint8Array,
  wanted: { count: number; grades: number; first: number; end: number },
): readonly number[] | null {
  const { count } = wanted;
  const stretches = bestBlocks(runs, free, wanted);
  const costs = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY);
  costs[0] = 0;
  /** For each stretch: the block that is taken of it where so many seats are taken up to it. */
  const taken = stretches.map((blocks) => {
    const choice = new Array<Block | undefined>(count + 1);
    for (let sum = count; sum > 0; sum--) {
      for (const block of blocks) {
        const cost = (costs[sum - block.size] ?? Number.POSITIVE_INFINITY) + block.cost;
        if (cost >= (costs[sum] ?? 0)) continue;
        costs[sum] = cost;
        choice[sum] = block;
      }
    }
    return choice;
  });
  if (costs[count] === Number.POSITIVE_INFINITY) return null;
  const seatNos: number[] = [];
  let missing = count;
  for (const choice of taken.reverse()) {
    const block = choice[missing];
    if (block === undefined) continue;
    for (let seatNo = block.first; seatNo < block.first + block.size; seatNo++) seatNos.push(seatNo);
    missing -= block.size;
  }
  return seatNos.sort((a, b) => a - b);
}

/** The blocks worth looking at, those of one stretch together. */
function bestBlocks(
  runs: SeatRuns,
  free: Uint8Array,
  wanted: { count: number; grades: number; first: number; end: number },
): Block[][] {
  const { count, grades, first, end } = wanted;
  const isUsable = (seatNo: number) => free[seatNo] === 1 && (grades & (1 << (runs.gradeOfSeat[seatNo] ?? 0))) !== 0;
  const bySize = Array.from({ length: count }, () => [] as { block: Block; stretch: number }[]);
  for (let run = first; run < end; run++) {
    const runEnd = runs.starts[run + 1] ?? 0;
    for (let from = runs.starts[run] ?? 0; from < runEnd; from++) {
      if (!isUsable(from)) continue;
      let to = from + 1;
      while (to < runEnd && isUsable(to)) to++;
      for (let size = 1; size <= Math.min(count, to - from); size++) {
        const block = bestIn(runs, free, { run, from, to, size });
        keepBest(bySize[size - 1] ?? [], { block, stretch: from }, count);
      }
      from = to;
    }
  }
  return [...Map.groupBy(bySize.flat(), ({ stretch }) => stretch).values()].map((kept) =>
    kept.map(({ block }) => block),
  );
}

function bestIn(
  runs: SeatRuns,
  free: Uint8Array,
  { run, from, to, size }: { run: number; from: number; to: number; size: number },
): Block {
  const [start, end] = [runs.starts[run] ?? 0, runs.starts[run + 1] ?? 0];
  const isFree = (seatNo: number) => seatNo >= start && seatNo < end && free[seatNo] === 1;
  const costOf = (seatNo: number) => (runs.distances[seatNo] ?? 0) + offCentreCost * (runs.offCentre[seatNo] ?? 0);
  let best = { first: from, size, cost: Number.POSITIVE_INFINITY };
  let sum = 0;
  for (let last = from; last < to; last++) {
    sum += costOf(last);
    const first = last - size + 1;
    if (first < from) continue;
    if (first > from) sum -= costOf(first - 1);
    const isLeftAlone = isFree(first - 1) && !isFree(first - 2);
    const isRightAlone = isFree(last + 1) && !isFree(last + 2);
    const cost = sum + aloneCost * (Number(isLeftAlone) + Number(isRightAlone));
    if (cost < best.cost) best = { first, size, cost };
  }
  return best;
}

/** The list stays sorted, and no longer than `most`. */
function keepBest<Kept extends { readonly block: Block }>(list: Kept[], next: Kept, most: number): void {
  const worst = list[most - 1];
  if (worst !== undefined && worst.block.cost <= next.block.cost) return;
  const at = list.findIndex(({ block }) => block.cost > next.block.cost);
  list.splice(at < 0 ? list.length : at, 0, next);
  if (list.length > most) list.pop();
}
