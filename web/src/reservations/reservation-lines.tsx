import type { EventDetail } from '../events/event-types.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { areaWords, seatWords } from './place-names.ts';
import type { Reservation } from './reservation-types.ts';

export interface ReservationLinesProps {
  readonly reservation: Reservation;
  readonly event: EventDetail | undefined;
  /** What became of some of it, by the id of the seat or of the kind of ticket. */
  readonly marks?: ReadonlyMap<string, string>;
}

/** What a booking is of, line by line, with fee and total. */
export function ReservationLines({ reservation, event, marks }: ReservationLinesProps) {
  const i18n = useI18n();
  const { t, format } = i18n;
  const money = (amount: number) => (amount === 0 ? t.common.free : format.krw(amount));
  return (
    <>
      <ul className="divide-y divide-line">
        {reservation.seats.map((seat) => (
          <li key={seat.seatId} className={line}>
            <span className="min-w-0">
              <span className="block font-bold">{seatWords(seat, i18n)}</span>
              <span className="text-ink-soft text-meta">{t.seats.grade(seat.grade)}</span>
              <Mark text={marks?.get(seat.seatId)} />
            </span>
            <span className={amount}>{money(seat.priceKrw)}</span>
          </li>
        ))}
        {reservation.items.map((item) => (
          <li key={item.ticketTypeId} className={line}>
            <span className="min-w-0">
              <span className="block font-bold">{areaWords(item, event, i18n)}</span>
              <span className="text-ink-soft text-meta">{t.seats.tickets(format.count(item.quantity))}</span>
              <Mark text={marks?.get(item.ticketTypeId)} />
            </span>
            <span className={amount}>{money(item.priceKrw * item.quantity)}</span>
          </li>
        ))}
      </ul>
      <dl className="border-line border-t pt-3">
        {reservation.feeKrw > 0 && (
          <div className="flex items-baseline justify-between gap-4 py-1 text-[0.9375rem]">
            <dt className="text-ink-soft">{t.seats.fee}</dt>
            <dd className="tabular-nums">{format.krw(reservation.feeKrw)}</dd>
          </div>
        )}
        <div className="flex items-baseline justify-between gap-4 py-1">
          <dt className="font-bold">{t.seats.total}</dt>
          <dd className="font-extrabold text-title tabular-nums">{money(reservation.totalKrw)}</dd>
        </div>
      </dl>
    </>
  );
}

function Mark({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <span className="ml-2 font-bold text-meta text-seal">{text}</span>;
}

const line = 'flex items-baseline justify-between gap-4 py-3';
const amount = 'whitespace-nowrap tabular-nums';
