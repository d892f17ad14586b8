import { type ReactNode, useId } from 'react';
import { features } from '../../app/features.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { Perforation } from '../../design/perforation.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { OpeningAnnouncer, OpeningCountdown } from '../../events/opening-countdown.tsx';
import type { SaleState } from '../../events/sale-state.ts';
import { useI18n } from '../../i18n/i18n.tsx';

export interface BookingPanelProps {
  readonly event: EventDetail;
  readonly sale: SaleState;
}

/** The stub of the ticket: where the sale stands and the one thing to do about it. */
export function BookingPanel({ event, sale }: BookingPanelProps) {
  const { t, format } = useI18n();
  const opensAt = Date.parse(event.saleOpensAt);
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

function OpenSale({ event, closesAt }: { readonly event: EventDetail; readonly closesAt: number }) {
  const { t, format } = useI18n();
  const top = (
    <>
      <Headline>{t.status.on_sale}</Headline>
      <p className="mt-1 text-ink-soft">{t.booking.closesAt(format.dateTime(closesAt))}</p>
    </>
  );
  if (!features.booking) return <Stub top={top} note={t.booking.comingHere} />;
  return (
    <Stub
      top={top}
      action={
        <a href={`/queue/${event.id}`} className={buttonClass({ wide: true })}>
          {t.booking.book}
        </a>
      }
    />
  );
}

/** Without an action the button is there but says that it does nothing, and the note beside it says why. */
function Stub({ top, note, action }: { readonly top: ReactNode; readonly note?: string; readonly action?: ReactNode }) {
  const { t } = useI18n();
  const id = useId();
  return (
    <>
      <div className="min-h-28 p-5 sm:px-7 sm:pt-6">{top}</div>
      <Perforation />
      <div className="p-5 sm:px-7 sm:pb-6">
        {action ?? (
          <Button wide aria-disabled={true} aria-describedby={id}>
            {t.booking.book}
          </Button>
        )}
        {note !== undefined && (
          <p id={id} className="mt-3 text-[0.9375rem] text-ink-soft">
            {note}
          </p>
        )}
      </div>
    </>
  );
}

function Headline({ children }: { readonly children: ReactNode }) {
  return <p className="font-extrabold text-headline">{children}</p>;
}
