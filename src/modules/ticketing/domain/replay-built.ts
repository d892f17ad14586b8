/** What was built for an event, by the ledger and as it stands. */
export interface BuiltEvent {
  readonly builds: readonly Build[];
  /** Of the last build. */
  readonly seatCount: number;
  /** Null: there is no such event. */
  readonly event: { readonly builtOffer: string | null } | null;
  readonly seatRows: number;
  readonly ledgerRows: number;
  /** When the snapshot was taken. */
  readonly now: number;
  /** A reservation that still stands although the event is cancelled and its cancellation is done. */
  readonly leftOver: { readonly id: string; readonly status: string } | null;
}

interface Build {
  readonly seatCount: number;
  /** By ticket type. */
  readonly capacities: ReadonlyMap<string, number>;
}

export function builtProblem({ builds, seatCount, event, seatRows, leftOver }: BuiltEvent): string | null {
  if (event === null) return 'the ledger or a buyer names this event, and it does not exist';
  // Not of which offer: one that has other prices only changes no seat, and has no row.
  if ((event.builtOffer !== null) !== builds.length > 0)
    return `its seats are of offer ${event.builtOffer}; by the ledger they were built ${builds.length} times`;
  if (seatRows !== seatCount) return `it has ${seatRows} seats; by the ledger ${seatCount} were built`;
  if (leftOver !== null)
    return `it is cancelled and all of its reservations were dealt with, but reservation ${leftOver.id} is ${leftOver.status}`;
  return null;
}
