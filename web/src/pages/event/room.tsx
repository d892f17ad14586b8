import { Link, Outlet, useParams } from '@tanstack/react-router';
import { Icon } from '../../design/icon.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { SlotTimer } from '../../queue/slot-timer.tsx';
import { useSlot } from '../../queue/use-slot.ts';

/**
 * What is round every page of an event: one line with the way back or, in a slot, with the time that is left. The line is
 * always there, so a turn that comes while one reads moves nothing.
 */
export function EventRoom() {
  const { eventId } = useParams({ from: '/events/$eventId' });
  const { t } = useI18n();
  const slot = useSlot(eventId);
  return (
    <>
      {slot === null ? (
        <div className="mt-3 flex h-14 items-center">
          <Link
            to="/"
            className="inline-flex min-h-11 items-center gap-1 font-bold text-[0.9375rem] text-ink-soft hover:text-ink"
          >
            <Icon name="right" className="size-4 rotate-180" />
            {t.common.backHome}
          </Link>
        </div>
      ) : (
        <div className="sticky top-18 z-20 mt-3 h-14">
          <SlotTimer eventId={eventId} slot={slot} />
        </div>
      )}
      <Outlet />
    </>
  );
}
