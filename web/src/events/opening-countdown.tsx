import { useEffect, useRef } from 'react';
import { useClockState } from '../app/server-clock.ts';
import { useServerNow } from '../app/use-server-now.ts';
import { Countdown } from '../design/countdown.tsx';
import { timeParts } from '../design/time-parts.ts';
import { useAnnouncement } from '../i18n/announcement.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { milestoneBetween } from './milestones.ts';

/** Counts down to the opening of a sale by the server's clock. */
export function OpeningCountdown({ opensAt, size }: { readonly opensAt: number; readonly size?: 'large' | 'small' }) {
  const { t, format } = useI18n();
  const clock = useClockState();
  const now = useServerNow(true);
  return (
    <div>
      <Countdown
        parts={clock.source === 'pending' ? null : timeParts(opensAt - now)}
        labels={t.countdown}
        description={`${t.countdown.opensIn}: ${format.dateTime(opensAt)}`}
        {...(size === undefined ? {} : { size })}
      />
      {clock.source === 'device' && <p className="mt-2 text-amber text-meta">{t.countdown.deviceClock}</p>}
    </div>
  );
}

/** Speaks up politely at a few milestones and at the opening itself, and is silent in between. */
export function OpeningAnnouncer({ opensAt }: { readonly opensAt: number }) {
  const { t } = useI18n();
  const clock = useClockState();
  const remaining = opensAt - useServerNow(true);
  const before = useRef<number | null>(null);
  const [text, say] = useAnnouncement();
  useEffect(() => {
    if (clock.source === 'pending') return;
    const passed = before.current === null ? null : milestoneBetween(before.current, remaining);
    before.current = remaining;
    if (passed === null) return;
    say(
      passed.unit === 'open' ? t.countdown.opened : t.countdown.milestone(t.countdown.span(passed.value, passed.unit)),
    );
  }, [clock.source, remaining, say, t]);
  return (
    <p aria-live="polite" className="sr-only">
      {text}
    </p>
  );
}
