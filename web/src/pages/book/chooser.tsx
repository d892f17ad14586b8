import { Suspense, useState } from 'react';
import { api } from '../../app/api.ts';
import { ActionBar } from '../../booking/action-bar.tsx';
import { ChooserHeading } from '../../booking/chooser-heading.tsx';
import { ChangingNotice } from '../../booking/held-parts.ts';
import { HoldProblem } from '../../booking/hold-problem.tsx';
import type { Booking } from '../../booking/use-booking.ts';
import { useHold } from '../../booking/use-hold.ts';
import { EmptyState } from '../../design/empty-state.tsx';
import { Notice } from '../../design/notice.tsx';
import { Stepper } from '../../design/stepper.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import type { LiveMap } from '../../seats/live-map.ts';
import { columns } from './layout.ts';
import { offersOf, placeOrder, type Quantities } from './place-order.ts';

export interface StandingChooserProps {
  readonly event: EventDetail;
  readonly map: LiveMap;
  readonly isLost: boolean;
  readonly booking: Booking;
}

/** Standing and general admission: how many of each. */
export function StandingChooser({ event, map, isLost, booking }: StandingChooserProps) {
  const { t, format, pick } = useI18n();
  const hold = useHold(event.id, booking.tell);
  const held = booking.holdState === 'held' ? booking.hold : null;
  const [wanted, setWanted] = useState<Quantities>(() =>
    Object.fromEntries(held?.items.map(({ ticketTypeId, quantity }) => [ticketTypeId, quantity]) ?? []),
  );
  const offers = offersOf(event.ticketTypes, map.areas, held?.items ?? []);
  const order = placeOrder(offers, wanted);
  const replaces = held === null ? {} : { replaces: held.id };
  const money = (amount: number) => (amount === 0 ? t.common.free : format.krw(amount));
  // Nothing chosen is not free of charge.
  const sum = order.count === 0 ? format.krw(0) : money(order.totalKrw);
  const ask = () =>
    void hold.ask({ eventId: event.id, items: order.items, ...replaces }, (body, options) =>
      api.reserveStanding({ body }, options),
    );
  if (offers.length === 0) return <EmptyState level={1} title={t.seats.empty} text={t.seats.emptyText} />;
  return (
    <div className={columns}>
      <div className="min-w-0">
        <ChooserHeading event={event} page="standing" />
        {held !== null && (
          <Suspense>
            <ChangingNotice booking={booking} hold={held} />
          </Suspense>
        )}
        <ul className="grid gap-3">
          {offers.map((offer) => (
            <li
              key={offer.id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-5 py-4"
            >
              <div className="min-w-0">
                <h2 className="font-bold text-lead">{pick(offer.name, offer.nameEn)}</h2>
                <p className="tabular-nums">
                  <span className="font-bold">{money(offer.priceKrw)}</span>{' '}
                  <span className="text-ink-soft text-meta">
                    {offer.left === 0 ? t.seats.noneLeft : t.seats.placesLeft(format.count(offer.left))}
                  </span>
                </p>
              </div>
              <Stepper
                label={pick(offer.name, offer.nameEn)}
                hideLabel
                value={order.quantityOf(offer.id)}
                min={0}
                max={Math.min(offer.left, event.purchaseLimit - order.count + order.quantityOf(offer.id))}
                onChange={(quantity) => setWanted({ ...wanted, [offer.id]: quantity })}
                fewer={t.best.fewer}
                more={t.best.more}
              />
            </li>
          ))}
        </ul>
        <div role="status" className="not-empty:mt-4">
          {isLost && (
            <Notice tone="warning" within="live-region">
              {t.seats.lost}
            </Notice>
          )}
        </div>
      </div>
      <div className="lg:sticky lg:top-36">
        <ActionBar
          title={t.seats.chosenPlaces}
          summary={t.seats.sum(t.seats.tickets(format.count(order.count)), sum)}
          action={held === null ? t.seats.hold : t.seats.swapPlaces}
          canAct={order.count > 0}
          busy={hold.busy}
          onAct={ask}
          notice={<HoldProblem problem={hold.problem} />}
        >
          <dl>
            {order.lines.map((line) => (
              <div key={line.id} className="flex items-baseline justify-between gap-4 py-1.5 text-[0.9375rem]">
                <dt>
                  {pick(line.name, line.nameEn)} × {line.quantity}
                </dt>
                <dd className="tabular-nums">{money(line.priceKrw * line.quantity)}</dd>
              </div>
            ))}
            <div className="mt-1 flex items-baseline justify-between gap-4 border-line border-t pt-3">
              <dt className="font-bold">{t.seats.price}</dt>
              <dd className="font-extrabold text-title tabular-nums">{sum}</dd>
            </div>
          </dl>
          {order.totalKrw > 0 && <p className="mt-1 text-ink-soft text-meta">{t.seats.feeLater}</p>}
        </ActionBar>
      </div>
    </div>
  );
}
