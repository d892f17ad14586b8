import { useEffect, useMemo, useRef, useState } from 'react';
import type { SeatPlan } from '../seats/seat-plan.ts';
import { canChoose, type SeatsSeen } from '../seats/seat-state-name.ts';
import { type Selection, toggleSeat, withoutTaken } from '../seats/selection.ts';
import { keptSelection } from './kept-selection.ts';

export interface SelectionOptions {
  readonly eventId: string;
  readonly plan: SeatPlan;
  readonly states: Uint8Array;
  /** Ids of the seats that this visitor holds: they can be chosen again when the hold is changed. */
  readonly mineIds: readonly string[];
  readonly max: number;
  onLost(seatNos: readonly number[]): void;
  onRefused(why: 'taken' | 'limit'): void;
}

export interface SeatSelection {
  readonly selection: Selection;
  readonly seen: SeatsSeen;
  toggle(seatNo: number): void;
}

/** The seats that are being chosen. Somebody else may be faster: that seat goes, the others stay. */
export function useSelection(options: SelectionOptions): SeatSelection {
  const { eventId, plan, states, mineIds, max } = options;
  const kept = useMemo(() => keptSelection(eventId), [eventId]);
  const mine = useMemo(() => numbersOf(plan, mineIds), [plan, mineIds]);
  const [selection, setSelection] = useState<Selection>(() =>
    [...(mine.size > 0 ? mine : numbersOf(plan, kept.read()))].slice(0, max),
  );
  const [lost, setLost] = useState<ReadonlySet<number>>(new Set());
  const told = useRef(options);
  told.current = options;

  const isFree = (seatNo: number) => canChoose(seatNo, { states, mine });
  const still = withoutTaken(selection, isFree);
  const lostNow = still.lost.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the numbers in `lostNow` are what has changed
  useEffect(() => {
    if (still.lost.length === 0) return;
    setSelection(still.selection);
    setLost((before) => new Set([...before, ...still.lost]));
    told.current.onLost(still.lost);
  }, [lostNow]);
  useEffect(() => {
    kept.write(still.selection.flatMap((seatNo) => plan.seat(seatNo)?.seatId ?? []));
  }, [kept, plan, still.selection]);

  const chosen = useMemo(() => new Set(still.selection), [still.selection]);
  const seen = useMemo(() => ({ states, chosen, mine, lost }), [states, chosen, mine, lost]);
  return {
    selection: still.selection,
    seen,
    toggle(seatNo) {
      const toggled = toggleSeat(selection, seatNo, { isFree, max });
      if (toggled.outcome === 'taken' || toggled.outcome === 'limit') told.current.onRefused(toggled.outcome);
      setSelection(toggled.selection);
    },
  };
}

function numbersOf(plan: SeatPlan, seatIds: readonly string[]): ReadonlySet<number> {
  return new Set(seatIds.flatMap((seatId) => plan.seatNoOf(seatId) ?? []));
}
