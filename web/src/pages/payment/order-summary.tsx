import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { classNames } from '../../design/class-names.ts';
import { Icon } from '../../design/icon.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { oneEvent } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';
import type { Order } from '../../payment/order-types.ts';
import { ReservationLines } from '../../reservations/reservation-lines.tsx';
import { oneReservation } from '../../reservations/reservation-queries.ts';

/** What is paid for. On a phone it is folded away: the amount is on the button. */
export function OrderSummary({ order }: { readonly order: Order }) {
  const { format, pick } = useI18n();
  const w = usePurchaseWords();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const eventId = order.reservation?.eventId ?? '';
  const event = useQuery({ ...oneEvent(eventId), enabled: eventId !== '' }).data;
  const reservation = useQuery({ ...oneReservation(order.referenceId), enabled: order.paymentType === 'reservation' });
  return (
    <section aria-labelledby={`${id}-title`} className="rounded-card border border-line bg-surface">
      <h2 id={`${id}-title`} className="hidden px-6 pt-5 font-bold text-lead lg:block">
        {w.pay.order}
      </h2>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-14 w-full items-center gap-2 px-4 text-left -outline-offset-3 sm:px-5 lg:hidden"
      >
        <Icon name="right" className={classNames('size-4 shrink-0', isOpen ? '-rotate-90' : 'rotate-90')} />
        <span className="min-w-0 flex-1 truncate font-bold">{w.pay.order}</span>
        <span className="font-extrabold tabular-nums">{format.krw(order.amountKrw)}</span>
      </button>
      <div id={id} className={classNames('px-4 pb-5 sm:px-5 lg:block lg:px-6', !isOpen && 'hidden')}>
        <p className="mt-1 min-h-[1.5em] font-bold">
          {event === undefined ? order.orderName : pick(event.title, event.titleEn)}
        </p>
        <p className="min-h-[1.5em] text-ink-soft text-meta">
          {event !== undefined && (
            <>
              <SeoulTime at={event.startsAt} /> · {pick(event.venue.name, event.venue.nameEn)}
            </>
          )}
        </p>
        <div className="min-h-44">
          {reservation.data === undefined ? (
            <Skeleton className="mt-3 h-40 w-full" />
          ) : (
            <ReservationLines reservation={reservation.data} event={event} />
          )}
        </div>
      </div>
    </section>
  );
}
