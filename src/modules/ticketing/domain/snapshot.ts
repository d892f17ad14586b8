/** Which transactions a reading of the database has seen: what `pg_current_snapshot()` says. */
export interface Snapshot {
  /** Every transaction below it was over. */
  readonly xmin: number;
  /** None had begun from here on. */
  readonly xmax: number;
  /** What it wrote, if it committed, was there to be read. */
  includes(xid: number): boolean;
}

/** From PostgreSQL's text: `xmin:xmax:those,under,way`. */
export function createSnapshot(text: string): Snapshot {
  const [xmin, xmax, list = ''] = text.split(':');
  const bounds = { xmin: Number(xmin), xmax: Number(xmax) };
  const underWay = new Set(list === '' ? [] : list.split(',').map(Number));
  return { ...bounds, includes: (xid) => xid < bounds.xmax && !underWay.has(xid) };
}
