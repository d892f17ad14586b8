/** Places of one ticket type that one transaction took (negative) or gave back. */
export interface PlacesStep {
  /** The last of the transaction's rows. */
  readonly id: number;
  readonly ticketTypeId: string;
  readonly change: number;
}

/** A ticket type as its rows stand. */
export interface PlacesRow {
  readonly ticketTypeId: string;
  readonly capacity: number;
  readonly left: number;
  /** In reservations that are not paid for yet. */
  readonly held: number;
  /** Live tickets. */
  readonly sold: number;
}

export interface PlacesReplay {
  add(step: PlacesStep): string | null;
  /** A ticket type of which something is still taken. */
  taken(): string | null;
  /** The rows as they stand, after all steps. */
  compare(rows: readonly PlacesRow[]): string | null;
}

/**
 * Standing places: sold + held ≤ capacity after every transaction, in the order of each one's last ledger row. A row that takes
 * places is written while their shard is locked, so it comes after all that it relied on. One that gives places back may stand
 * earlier than it took effect: that can hide a step, and never accuses anybody.
 */
export function createPlacesReplay(capacities: ReadonlyMap<string, number>): PlacesReplay {
  const left = new Map(capacities);
  return {
    add({ id, ticketTypeId, change }) {
      const before = left.get(ticketTypeId);
      const capacity = capacities.get(ticketTypeId);
      if (before === undefined || capacity === undefined)
        return `ledger row ${id} changes ticket type ${ticketTypeId}, which was never built`;
      const after = before + change;
      left.set(ticketTypeId, after);
      if (after < 0)
        return `after ledger row ${id} ticket type ${ticketTypeId} has ${-after} more sold and held than its ${capacity} places`;
      if (after > capacity)
        return `after ledger row ${id} ticket type ${ticketTypeId} has ${after} places left of ${capacity}`;
      return null;
    },
    taken() {
      const one = [...left].find(([id, places]) => places !== capacities.get(id));
      return one === undefined ? null : `some of ticket type ${one[0]} were held or sold`;
    },
    compare(rows) {
      const missing = [...capacities.keys()].find((id) => !rows.some(({ ticketTypeId }) => ticketTypeId === id));
      if (missing !== undefined) return `ticket type ${missing} was built and does not exist`;
      for (const row of rows) {
        const problem = differenceOf(row, capacities.get(row.ticketTypeId), left.get(row.ticketTypeId));
        if (problem !== null) return `ticket type ${row.ticketTypeId} ${problem}`;
      }
      return null;
    },
  };
}

function differenceOf(row: PlacesRow, capacity: number | undefined, left: number | undefined): string | null {
  if (capacity === undefined) return 'exists and was never built';
  if (row.capacity !== capacity) return `has a capacity of ${row.capacity}; it was built with ${capacity}`;
  if (row.left !== left) return `has ${row.left} places left; by the ledger it has ${left}`;
  if (row.left + row.held + row.sold !== row.capacity)
    return `has ${row.left} places left, ${row.held} held and ${row.sold} sold, which is not its capacity of ${row.capacity}`;
  return null;
}
