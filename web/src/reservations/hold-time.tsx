import { useEffect, useRef, useState } from 'react';
import { Icon } from '../design/icon.tsx';
import { clockText } from '../design/time-parts.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { type HoldWarning, holdWarning } from './live-hold.ts';

const urgentMs = 60_000;

/** The time that is left of a hold, which is not spoken while it runs. */
export function HoldTime({ leftMs }: { readonly leftMs: number }) {
  const { t } = useI18n();
  return (
    <span
      role="timer"
      className={`inline-flex items-center gap-1.5 whitespace-nowrap font-bold tabular-nums ${leftMs <= urgentMs ? 'text-seal' : ''}`}
    >
      <Icon name="clock" className="size-4.5" />
      {t.held.left(clockText(leftMs))}
    </span>
  );
}

/** Warns a minute and twenty seconds before a hold ends. */
export function HoldAnnouncer({ leftMs }: { readonly leftMs: number }) {
  return <TimeAnnouncer leftMs={leftMs} words={useI18n().t.held} />;
}

export interface TimeAnnouncerProps {
  readonly leftMs: number;
  readonly words: Readonly<Record<HoldWarning, string>>;
}

export function TimeAnnouncer({ leftMs, words }: TimeAnnouncerProps) {
  const before = useRef<number | null>(null);
  const [text, setText] = useState('');
  useEffect(() => {
    const warning = before.current === null ? null : holdWarning(before.current, leftMs);
    before.current = leftMs;
    if (warning !== null) setText(words[warning]);
  }, [leftMs, words]);
  return (
    <p role="alert" className="sr-only">
      {text}
    </p>
  );
}
