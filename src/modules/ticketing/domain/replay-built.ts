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
}

interface Build {
  readonly seatCount: number;
  /** By ticket type. */
  readonly capacities: ReadonlyMap<string, number>;
}

export function builtProblem({ builds, seatCount, event, seatRows }: BuiltEvent): string | null {
  if (event === null) return 'the ledger or a buyer names this event, and it does not exist';
  // Not of which offer: one that has other prices only changes no seat, and has no row.
  if ((event.builtOffer !== null) !== builds.length > 0)
    return `its seats are of offer ${event.builtOffer}; by the ledger they were built ${builds.length} times`;
  if (seatRows !== seatCount) return `it has ${seatRows} seats; by the ledger ${seatCount} were built`;
  return null;
}
