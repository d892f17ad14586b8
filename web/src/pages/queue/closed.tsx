import { Link } from '@tanstack/react-router';
import { TabTitle } from '../../app/tab-title.tsx';
import { useServerNow } from '../../app/use-server-now.ts';
import { buttonClass } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Perforation } from '../../design/perforation.tsx';
import { OpeningAnnouncer, OpeningCountdown } from '../../events/opening-countdown.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { ticket } from './layout.ts';

export interface ClosedProps {
  readonly opensAtMs: number | null;
  readonly message: string | null;
  readonly eventId: string;
}

/** Too early, or too late. */
export function Closed({ opensAtMs, message, eventId }: ClosedProps) {
  const { t, format } = useI18n();
  const early = useServerNow(opensAtMs !== null) < (opensAtMs ?? 0);
  return (
    <>
      <TabTitle>{early ? t.queue.notOpen : t.queue.closed}</TabTitle>
      {message !== null && (
        <div className="mb-4">
          <Notice>{message}</Notice>
        </div>
      )}
      <section aria-label={t.queue.closed} className={ticket}>
        <div className="p-5 sm:p-8">
          <h2 className="font-extrabold text-title">{early ? t.queue.notOpen : t.queue.closed}</h2>
          <p className="mt-2 text-ink-soft">
            {early && opensAtMs !== null ? t.queue.notOpenText(format.dateTime(opensAtMs)) : t.queue.closedText}
          </p>
          {opensAtMs !== null && (
            <>
              <OpeningAnnouncer opensAt={opensAtMs} />
              <div className="mt-6">
                <OpeningCountdown opensAt={opensAtMs} />
              </div>
            </>
          )}
        </div>
        <Perforation />
        <div className="p-5 sm:px-8">
          <Link to="/events/$eventId" params={{ eventId }} className={buttonClass({ look: 'secondary', wide: true })}>
            {t.queue.toEvent}
          </Link>
        </div>
      </section>
    </>
  );
}
