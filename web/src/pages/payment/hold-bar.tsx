import { useQuery } from '@tanstack/react-query';
import { oneEvent } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import type { Order } from '../../payment/order-types.ts';
import { HoldAnnouncer, HoldTime } from '../../reservations/hold-time.tsx';

/** For how long the places are kept, always in sight. */
export function HoldBar({ order, nowMs }: { readonly order: Order; readonly nowMs: number }) {
  const { pick } = useI18n();
  const eventId = order.reservation?.eventId ?? '';
  const event = useQuery({ ...oneEvent(eventId), enabled: eventId !== '' }).data;
  const leftMs = Date.parse(order.expiresAt) - nowMs;
  return (
    <div className="sticky top-18 z-20 mt-3 flex h-14 items-center justify-between gap-4 rounded-card border border-jade bg-jade-wash px-4 shadow-lift sm:px-5">
      <HoldAnnouncer leftMs={leftMs} />
      <p className="min-w-0 truncate font-bold text-[0.9375rem]">
        {event === undefined ? order.orderName : pick(event.title, event.titleEn)}
      </p>
      <HoldTime leftMs={leftMs} />
    </div>
  );
}
