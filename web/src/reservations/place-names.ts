import type { EventDetail } from '../events/event-types.ts';
import type { I18n } from '../i18n/i18n.tsx';
import type { Ticket } from './reservation-types.ts';

/** A seat as a booking names it, without the hall's drawing. */
export function seatWords(
  seat: { readonly section: string; readonly row: string; readonly label: string },
  { t }: Pick<I18n, 't'>,
): string {
  return t.seats.seat(t.seats.sectionById(seat.section), seat.row, seat.label);
}

/** The name of a standing area; its id until the event is known. */
export function areaWords(
  item: { readonly ticketTypeId: string; readonly areaId: string },
  event: Pick<EventDetail, 'ticketTypes'> | undefined,
  { t, pick }: Pick<I18n, 't' | 'pick'>,
): string {
  const type = event?.ticketTypes.find(({ id }) => id === item.ticketTypeId);
  return type === undefined ? t.seats.sectionById(item.areaId) : pick(type.name, type.nameEn);
}

/** The place of a ticket: its seat, or its area. */
export function ticketWords({ seat, area }: Pick<Ticket, 'seat' | 'area'>, i18n: Pick<I18n, 't' | 'pick'>): string {
  return seat === null ? i18n.pick(area?.name ?? '', area?.nameEn ?? null) : seatWords(seat, i18n);
}
