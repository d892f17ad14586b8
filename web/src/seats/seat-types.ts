import type {
  GetLayoutResult,
  GetSeatMapResult,
  ReserveSeatsResult,
  StreamSeatsResult,
} from '../api/client.generated.ts';

export type Layout = GetLayoutResult;
export type SeatMapAnswer = GetSeatMapResult;
export type SeatChanges = StreamSeatsResult;
export type GradeLeft = SeatMapAnswer['grades'][number];
export type AreaLeft = SeatMapAnswer['areas'][number];
export type Reservation = ReserveSeatsResult;

/** What everybody sees of a seat, by the number that the map has for it. */
export const seatLook = { free: 0, held: 1, sold: 2, blocked: 3 } as const;
