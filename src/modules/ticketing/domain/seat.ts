/**
 * The states of a seat. The fence is raised with each grant; each further step under one fence raises `step`, so (fence, step)
 * orders everything that ever happened to a seat.
 *
 *                      hold (fence + 1)                pin                    confirm
 *  ┌── AVAILABLE ───────────────────────▶ HELD ─────────────────▶ PAYING ─────────────────▶ SOLD
 *  │   ▲  ▲   ▲                            │  ▲                    │  │                       │
 *  │   │  │   └── released, lapsed ────────┘  └───── declined ─────┘  │                       │
 *  │   │  └────── declined and lapsed, rejected ─────────────────────┘                       │
 *  │   └───────── cancelled; first HELD by nobody for a random while where the event wants it ┘
 *  │ block                unblock
 *  └───────────▶ BLOCKED ──────────▶ AVAILABLE
 *
 * A hold whose time is over counts as AVAILABLE everywhere, whether or not anybody has tidied it up.
 */
export const seatState = { available: 0, held: 1, paying: 2, sold: 3, blocked: 4 } as const;
export type SeatState = (typeof seatState)[keyof typeof seatState];

/** What everybody sees of a seat, by the number that the map has for it. */
export const seatLooks = ['available', 'held', 'sold', 'blocked'] as const;
export type SeatLook = (typeof seatLooks)[number];
export type SeatLookNumber = 0 | 1 | 2 | 3;

export function lookOf(seat: { state: SeatState; heldUntilMs: number | null }, nowMs: number): SeatLookNumber {
  switch (seat.state) {
    case seatState.held:
      return seat.heldUntilMs !== null && seat.heldUntilMs <= nowMs ? 0 : 1;
    case seatState.paying:
      return 1;
    case seatState.sold:
      return 2;
    case seatState.blocked:
      return 3;
    default:
      return 0;
  }
}
