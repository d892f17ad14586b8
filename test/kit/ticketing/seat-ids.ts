import type { LayoutShape } from '../builders/catalog.ts';

/** The seats of `aLayout`, in its order. */
export function seatIdsOf({ sections, rows, seats }: Required<Pick<LayoutShape, 'sections' | 'rows' | 'seats'>>) {
  const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
  return count(sections).flatMap((section) =>
    count(rows).flatMap((row) => count(seats).map((seat) => `S${section}-${row}-${seat}`)),
  );
}
