import type { ListMyReservationsResult, ListMyTicketsResult } from '../api/client.generated.ts';

export type Reservation = ListMyReservationsResult['items'][number];
export type Ticket = ListMyTicketsResult['items'][number];
