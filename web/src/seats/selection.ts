/** Seats that somebody has chosen on this page and not held yet, in the order of choosing. */
export type Selection = readonly number[];

export type Toggled =
  | { readonly outcome: 'chosen' | 'dropped'; readonly selection: Selection }
  | { readonly outcome: 'taken' | 'limit'; readonly selection: Selection };

/** One press on a seat. What is refused leaves the others as they are. */
export function toggleSeat(
  selection: Selection,
  seatNo: number,
  rules: { readonly isFree: (seatNo: number) => boolean; readonly max: number },
): Toggled {
  if (selection.includes(seatNo)) {
    return { outcome: 'dropped', selection: selection.filter((chosen) => chosen !== seatNo) };
  }
  if (!rules.isFree(seatNo)) return { outcome: 'taken', selection };
  if (selection.length >= rules.max) return { outcome: 'limit', selection };
  return { outcome: 'chosen', selection: [...selection, seatNo] };
}

/** After the map has changed: what is still there to be had, and what somebody else was faster for. */
export function withoutTaken(
  selection: Selection,
  isFree: (seatNo: number) => boolean,
): { readonly selection: Selection; readonly lost: readonly number[] } {
  const lost = selection.filter((seatNo) => !isFree(seatNo));
  return lost.length === 0 ? { selection, lost } : { selection: selection.filter(isFree), lost };
}
