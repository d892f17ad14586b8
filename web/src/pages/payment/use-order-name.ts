import { useQuery } from '@tanstack/react-query';
import { oneEvent } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import type { Order } from '../../payment/order-types.ts';
import { ticketCount } from '../../reservations/live-hold.ts';
import { oneReservation } from '../../reservations/reservation-queries.ts';

/** What an order is of, in the buyer's language. The name that the provider was given is Korean, and is shown until then. */
export function useOrderName(order: Order): string {
  const { t, format, pick } = useI18n();
  const eventId = order.reservation?.eventId ?? '';
  const event = useQuery({ ...oneEvent(eventId), enabled: eventId !== '' }).data;
  const lines = useQuery({ ...oneReservation(order.referenceId), enabled: order.paymentType === 'reservation' }).data;
  if (event === undefined || lines === undefined) return order.orderName;
  return `${pick(event.title, event.titleEn)} · ${t.seats.tickets(format.count(ticketCount(lines)))}`;
}
