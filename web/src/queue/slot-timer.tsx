import { useState } from 'react';
import { Icon } from '../design/icon.tsx';
import { timeParts } from '../design/time-parts.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { warnMs } from './place-news.ts';
import { queues } from './queues.ts';
import type { Slot } from './use-slot.ts';

/** Until when one may shop, and a way to end it. One line high on every screen, so that its room can be kept for it. */
export function SlotTimer({ eventId, slot }: { readonly eventId: string; readonly slot: Slot }) {
  const { t, format } = useI18n();
  const [leaving, setLeaving] = useState(false);
  return (
    <section
      aria-label={t.queue.slot}
      className="flex h-14 items-center gap-x-3 rounded-card border border-jade bg-jade-wash px-4 shadow-lift sm:px-5"
    >
      <Icon name="ticket" className="hidden size-6 shrink-0 text-jade sm:block" />
      <p className="hidden font-extrabold md:block">{t.queue.slot}</p>
      <p className="flex min-w-0 flex-col leading-tight sm:flex-row sm:gap-x-3">
        <SlotTime leftMs={slot.leftMs} />
        <span className="whitespace-nowrap text-meta sm:text-[0.9375rem]">
          {t.booking.closesAt(format.time(slot.endsAtMs))}
        </span>
      </p>
      <button
        type="button"
        onClick={() => setLeaving(true)}
        className="ml-auto inline-flex min-h-11 shrink-0 items-center font-bold text-[0.9375rem] underline underline-offset-4"
      >
        {t.queue.leaveSlot}
      </button>
      {leaving && <LeaveDialog what="slot" leave={() => queues.leave(eventId)} close={() => setLeaving(false)} />}
    </section>
  );
}

/** The time that is left, which is not spoken while it runs. */
export function SlotTime({ leftMs }: { readonly leftMs: number }) {
  const { t } = useI18n();
  const { days, hours, minutes, seconds } = timeParts(leftMs);
  return (
    <span role="timer" className={`whitespace-nowrap font-bold tabular-nums ${leftMs <= warnMs ? 'text-seal' : ''}`}>
      {t.queue.slotLeft(t.countdown.short(days, hours, minutes, seconds))}
    </span>
  );
}
