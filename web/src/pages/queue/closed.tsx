import { Link } from '@tanstack/react-router';
import { TabTitle } from '../../app/tab-title.tsx';
import { buttonClass } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Perforation } from '../../design/perforation.tsx';
import { OpeningCountdown } from '../../events/opening-countdown.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { ticket } from './layout.ts';

export interface ClosedProps {
  readonly opensAtMs: number | null;
  readonly message: string | null;
  readonly eventId: string;
}

/** Too early, or too late. What to do meanwhile is said below the time that is left. */
export function Closed({ opensAtMs, message, eventId }: ClosedProps) {
  const { t, format } = useI18n();
  const early = opensAtMs !== null;
  return (
    <>
      <TabTitle>{early ? t.queue.notOpen : t.queue.closed}</TabTitle>
      {message !== null && (
        <div className="mb-4">
          <Notice>{message}</Notice>
        </div>
      )}
      <section aria-label={early ? t.queue.notOpen : t.queue.closed} className={ticket}>
        <div className="p-5 sm:p-8">
          <h2 className="font-extrabold text-title">{early ? t.queue.notOpen : t.queue.closed}</h2>
          {early && (
            <div className="mt-5">
              <OpeningCountdown opensAt={opensAtMs} />
            </div>
          )}
          <p className="mt-4 text-ink-soft">
            {early ? t.queue.notOpenText(format.dateTime(opensAtMs)) : t.queue.closedText}
          </p>
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
