import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { TabTitle } from '../../app/tab-title.tsx';
import { Button } from '../../design/button.tsx';
import { Crowd } from '../../design/crowd.tsx';
import { Perforation } from '../../design/perforation.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { LeaveDialog } from '../../queue/leave-dialog.tsx';
import type { TurnView } from '../../queue/queue-view.ts';
import { slotPath } from '../../queue/slot-path.ts';
import { SlotTime } from '../../queue/slot-timer.tsx';
import { useSlot } from '../../queue/use-slot.ts';
import { ticket } from './layout.ts';

export interface TurnProps {
  readonly view: TurnView;
  readonly eventId: string;
  readonly detail: EventDetail | null;
  readonly leave: () => Promise<void>;
}

/** Long enough to hear what has happened before the page changes. */
const continueAfterSeconds = 5;

/** The turn has come: the tab's title, a sound and an alert say so. In the tab one looks at, it goes on by itself. */
export function Turn({ view, eventId, detail, leave }: TurnProps) {
  const { t, format } = useI18n();
  const navigate = useNavigate();
  const [leaving, setLeaving] = useState(false);
  const slot = useSlot(eventId);
  const section = useRef<HTMLElement>(null);
  // Replaced, so that the way back does not lead into the queue again, which would lead on at once.
  const go = useCallback(() => {
    void navigate({ href: slotPath(eventId, detail), replace: true });
  }, [eventId, detail, navigate]);
  const secondsLeft = useVisibleCountdown(continueAfterSeconds, leaving, go);

  useEffect(() => {
    // What had the focus on the waiting page is gone. Anyone who uses the keyboard goes on from here.
    if (document.activeElement === document.body) section.current?.querySelector('button')?.focus();
  }, []);

  return (
    <>
      <TabTitle saysTurn>{t.queue.tabTurn}</TabTitle>
      <section ref={section} aria-label={t.queue.turn} className={ticket}>
        <div className="bg-jade-wash p-5 pt-7 text-center sm:p-8">
          <Crowd className="mx-auto h-8 w-32 text-jade" />
          <div role="alert">
            <p className="mt-4 font-black text-display">{t.queue.turn}</p>
          </div>
          {slot !== null && (
            <p className="mt-2 text-lead">
              <SlotTime leftMs={slot.leftMs} />
            </p>
          )}
          {view.slotEndsAtMs !== null && (
            <p className="mt-1 text-lead">{t.queue.turnUntil(format.time(view.slotEndsAtMs))}</p>
          )}
        </div>
        <Perforation />
        <div className="p-5 text-center sm:px-8 sm:pb-7">
          <Button wide onClick={go}>
            {t.queue.continueNow}
          </Button>
          <p className="mt-3 text-[0.9375rem] text-ink-soft tabular-nums">{t.queue.continueIn(secondsLeft)}</p>
          <button
            type="button"
            onClick={() => setLeaving(true)}
            className="mt-2 inline-flex min-h-11 items-center font-bold text-[0.9375rem] text-ink-soft underline underline-offset-4 hover:text-ink"
          >
            {t.queue.leaveSlot}
          </button>
        </div>
      </section>
      {leaving && <LeaveDialog what="slot" leave={leave} close={() => setLeaving(false)} />}
    </>
  );
}

/** Counts only while the tab is looked at: a hidden one keeps its title, so that it can be found. */
function useVisibleCountdown(seconds: number, held: boolean, done: () => void): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (held) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setLeft((before) => before - 1);
    }, 1_000);
    return () => clearInterval(timer);
  }, [held]);
  useEffect(() => {
    if (left <= 0 && !held) done();
  }, [left, held, done]);
  return Math.max(0, left);
}
