import type { PlanRow } from './seat-plan.ts';

export type RovingKey = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';

/** Where an arrow leads among the seats of a section: along the row, or to the seat that is as far along in the next row. */
export function nextSeat(rows: readonly PlanRow[], seatNo: number, key: RovingKey): number {
  const rowIndex = rows.findIndex(({ first, labels }) => seatNo >= first && seatNo < first + labels.length);
  const row = rows[rowIndex];
  if (row === undefined) return seatNo;
  const last = row.first + row.labels.length - 1;
  switch (key) {
    case 'ArrowLeft':
      return Math.max(row.first, seatNo - 1);
    case 'ArrowRight':
      return Math.min(last, seatNo + 1);
    case 'Home':
      return row.first;
    case 'End':
      return last;
    default: {
      const next = rows[rowIndex + (key === 'ArrowUp' ? -1 : 1)];
      if (next === undefined) return seatNo;
      const share = row.labels.length === 1 ? 0 : (seatNo - row.first) / (row.labels.length - 1);
      return next.first + Math.round(share * (next.labels.length - 1));
    }
  }
}

export function isRovingKey(key: string): key is RovingKey {
  return ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key);
}
