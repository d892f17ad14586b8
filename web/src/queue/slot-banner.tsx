import { type RefObject, useEffect, useRef, useState } from 'react';
import { isProblem } from '../api/problem.ts';
import { useServerNow } from '../app/use-server-now.ts';
import { Icon } from '../design/icon.tsx';
import { Notice } from '../design/notice.tsx';
import { timeParts } from '../design/time-parts.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { queueClient } from './queue-api.ts';
import { isGuess } from './queue-client.ts';
import { keepSlot, useSlotEnd } from './slot.ts';

const warnMs = 60_000;
const confirmEveryMs = 25_000;

/** Whose turn it is sees until when, on every page of the event. A minute before the end it says so aloud. */
export function SlotBanner({ eventId }: { readonly eventId: string }) {
  const { t } = useI18n();
  const endsAt = useSlotEnd(eventId);
  const now = useServerNow(endsAt !== null);
  const [over, setOver] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const leftMs = endsAt === null ? 0 : endsAt - now;
  const lasts = endsAt !== null && leftMs > 0;
  const running = useRef(false);
  useConfirmedSlot(eventId, lasts, running);

  useEffect(() => {
    if (lasts || !running.current) return;
    running.current = false;
    setOver(true);
    keepSlot(eventId, null);
  }, [eventId, lasts]);

  const leave = async () => {
    await queueClient.leave(eventId);
    running.current = false;
    keepSlot(eventId, null);
  };
  if (!lasts) {
    return over ? (
      <div className="mt-6">
        <Notice tone="warning">{t.queue.slotOver}</Notice>
      </div>
    ) : null;
  }
  return (
    <section
      aria-label={t.queue.slot}
      className="sticky top-18 z-20 mt-6 flex items-center gap-x-4 rounded-card border border-jade bg-jade-wash px-4 py-3 shadow-lift sm:px-5"
    >
      <Icon name="ticket" className="hidden size-6 shrink-0 text-jade sm:block" />
      <SlotTime endsAt={endsAt} leftMs={leftMs} />
      <button
        type="button"
        onClick={() => setLeaving(true)}
        className="ml-auto inline-flex min-h-11 shrink-0 items-center font-bold text-[0.9375rem] underline underline-offset-4"
      >
        {t.queue.leaveSlot}
      </button>
      <p role="alert" className="sr-only">
        {leftMs <= warnMs ? t.queue.slotWarning : ''}
      </p>
      {leaving && <LeaveDialog what="slot" leave={leave} close={() => setLeaving(false)} />}
    </section>
  );
}

/**
 * Asks whether the slot lasts, at once and then so often that it counts as a sign of life: what was kept may be of whoever
 * used this browser before, and an operator may end a slot early. `running` is set once the server has said yes.
 */
function useConfirmedSlot(eventId: string, lasts: boolean, running: RefObject<boolean>): void {
  useEffect(() => {
    if (!lasts) return;
    const page = new AbortController();
    const ask = async () => {
      try {
        const answer = await queueClient.status(eventId, { signal: page.signal });
        if (isGuess(answer)) return;
        const { status, slotEndsAt } = answer;
        running.current ||= status === 'active';
        if (status !== 'active') keepSlot(eventId, null);
        else if (typeof slotEndsAt === 'string') keepSlot(eventId, Date.parse(slotEndsAt));
      } catch (error) {
        // Without an answer the kept time stands; the server decides anyway when it comes to seats.
        if (isProblem(error) && error.status === 401) keepSlot(eventId, null);
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), confirmEveryMs);
    return () => {
      page.abort();
      clearInterval(timer);
    };
  }, [eventId, lasts, running]);
}

function SlotTime({ endsAt, leftMs }: { readonly endsAt: number; readonly leftMs: number }) {
  const { t, format } = useI18n();
  const { days, hours, minutes, seconds } = timeParts(leftMs);
  return (
    <div className="min-w-0">
      <p className="font-extrabold">{t.queue.slot}</p>
      <p className="text-[0.9375rem] tabular-nums">
        {t.booking.closesAt(format.time(endsAt))} ·{' '}
        <span role="timer" className={leftMs <= warnMs ? 'font-bold text-seal' : 'font-bold'}>
          {t.queue.slotLeft(t.countdown.short(days, hours, minutes, seconds))}
        </span>
      </p>
    </div>
  );
}
