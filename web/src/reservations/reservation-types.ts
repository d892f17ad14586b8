import type { ListMyReservationsResult, ListMyTicketsResult } from '../api/client.generated.ts';

type OwnReservation = ListMyReservationsResult['items'][number];
type Refunds = 'refundedKrw' | 'refundPendingKrw';

/** A hold that was granted a moment ago says nothing of refunds yet. */
export type Reservation = Omit<OwnReservation, Refunds> & Partial<Pick<OwnReservation, Refunds>>;
export type Ticket = ListMyTicketsResult['items'][number];
