import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../app/session.ts';
import { buttonClass } from '../../design/button.tsx';
import { classNames } from '../../design/class-names.ts';
import { Icon } from '../../design/icon.tsx';
import { Perforation } from '../../design/perforation.tsx';
import { clockText } from '../../design/time-parts.ts';
import type { EventDetail } from '../../events/event-types.ts';
import { OpeningAnnouncer, OpeningCountdown } from '../../events/opening-countdown.tsx';
import type { SaleState } from '../../events/sale-state.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { placeWords } from '../../queue/place-words.ts';
import { slotPath } from '../../queue/slot-path.ts';
import { useQueueView } from '../../queue/use-queue.ts';
import { useSlot } from '../../queue/use-slot.ts';

export interface BookingPanelProps {
  readonly event: EventDetail;
  readonly sale: SaleState;
}

/** The stub of the ticket: where the sale stands and the one thing to do about it. */
export function BookingPanel({ event, sale }: BookingPanelProps) {
  const { t, format } = useI18n();
  const opensAt = Date.parse(event.saleOpensAt);
  const isSignedIn = useSession().state !== 'anonymous';
  return (
    <section
      aria-label={t.booking.book}
      className="relative mt-8 overflow-hidden rounded-card border border-line bg-surface shadow-lift"
    >
      {/* Stays when the sale opens, so that the opening itself is announced. */}
      <OpeningAnnouncer opensAt={opensAt} />
      {sale.kind === 'opens' && (
        <Stub
          top={
            <>
              <p className="mb-3 font-bold">{t.countdown.opensIn}</p>
              <OpeningCountdown opensAt={sale.opensAt} />
            </>
          }
          action={<WayOn to={`/queue/${event.id}`}>{isSignedIn ? t.booking.wait : t.booking.signInAndWait}</WayOn>}
          note={t.booking.opensAt(format.dateTime(sale.opensAt))}
        />
      )}
      {sale.kind === 'open' && <OpenSale event={event} closesAt={sale.closesAt} />}
      {sale.kind === 'sold_out' && <Stub top={<Headline>{t.booking.soldOut}</Headline>} note={t.booking.soldOutText} />}
      {sale.kind === 'ended' && <Stub top={<Headline>{t.booking.ended}</Headline>} note={t.booking.endedText} />}
      {sale.kind === 'cancelled' && (
        <Stub top={<Headline>{t.booking.cancelled}</Headline>} note={event.cancelReason ?? t.booking.cancelledText} />
      )}
    </section>
  );
}

/** The button follows the visitor: to the line, back to the place one has, or on to the seats with the time that is left. */
function OpenSale({ event, closesAt }: { readonly event: EventDetail; readonly closesAt: number }) {
  const i18n = useI18n();
  const { t, format } = i18n;
  const view = useQueueView(event.id);
  const slot = useSlot(event.id);
  const isInLine = view?.kind === 'waiting' || view?.kind === 'entering';
  const top = (
    <>
      <Headline>{t.status.on_sale}</Headline>
      <p className="mt-1 text-ink-soft">{t.booking.closesAt(format.dateTime(closesAt))}</p>
    </>
  );
  if (slot !== null) {
    const words = event.seatCount > 0 ? t.booking.seats : t.booking.standing;
    return (
      <Stub
        top={top}
        action={<WayOn to={slotPath(event.id, event)}>{words(clockText(slot.leftMs))}</WayOn>}
        note={t.booking.slotNote}
      />
    );
  }
  return (
    <Stub
      top={top}
      action={<WayOn to={`/queue/${event.id}`}>{isInLine ? placeWords(view, 0, i18n) : t.booking.book}</WayOn>}
      note={isInLine ? t.booking.inLineNote : t.booking.queueNote}
    />
  );
}

function WayOn({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <Link to={to} className={classNames(buttonClass({ wide: true }), 'tabular-nums')}>
      {children}
      <Icon name="right" />
    </Link>
  );
}

interface StubProps {
  readonly top: ReactNode;
  /** The thing to do, if there is one: on a phone it is always in sight, above the menu. */
  readonly action?: ReactNode;
  readonly note: string;
}

function Stub({ top, action, note }: StubProps) {
  return (
    <>
      <div className="min-h-28 p-5 sm:px-7 sm:pt-6">{top}</div>
      <Perforation />
      <div className="p-5 sm:px-7 sm:pb-6">
        {action !== undefined && (
          <div
            data-page-action
            className="max-md:fixed max-md:inset-x-0 max-md:bottom-[calc(3.75rem+env(safe-area-inset-bottom))] max-md:z-20 max-md:border-line max-md:border-t max-md:bg-surface max-md:px-4 max-md:py-3 print:hidden"
          >
            {action}
          </div>
        )}
        <p className="text-[0.9375rem] text-ink-soft md:not-first:mt-3">{note}</p>
      </div>
    </>
  );
}

function Headline({ children }: { readonly children: ReactNode }) {
  return <p className="font-extrabold text-headline">{children}</p>;
}
