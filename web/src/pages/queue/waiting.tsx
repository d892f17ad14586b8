import { useEffect, useRef, useState } from 'react';
import { serverNow } from '../../app/server-clock.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { classNames } from '../../design/class-names.ts';
import { Icon } from '../../design/icon.tsx';
import { useAnnouncement } from '../../i18n/announcement.ts';
import type { I18n } from '../../i18n/i18n.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { type Told, worthTelling } from '../../queue/announcements.ts';
import { LeaveDialog } from '../../queue/leave-dialog.tsx';
import type { WaitingView } from '../../queue/queue-view.ts';
import type { SoundControl } from '../../queue/use-turn-sound.ts';
import { waitWords } from '../../queue/wait-words.ts';
import { TicketFace } from './face.tsx';
import { ConnectionNotice, OperatorNotices } from './wait-notices.tsx';
import { WhileYouWait } from './while-you-wait.tsx';

export interface WaitingProps {
  readonly view: WaitingView;
  readonly sound: SoundControl;
  readonly leave: () => Promise<void>;
}

/** Where one stands, and how long it will take. */
export function Waiting({ view, sound, leave }: WaitingProps) {
  const i18n = useI18n();
  const { t, format } = i18n;
  const [leaving, setLeaving] = useState(false);
  const { answer, position, startPosition } = view;
  const wait = waitText(view, i18n);
  return (
    <>
      <TabTitle>{t.queue.tabWaiting(format.count(position))}</TabTitle>
      <PositionAnnouncer position={position} text={t.queue.announce(format.count(position), wait)} />
      <OperatorNotices view={view} />
      <TicketFace
        position={<BigPosition text={t.queue.nth(format.count(position))} figure={format.count(position)} />}
        wait={<p className="font-extrabold tabular-nums">{wait}</p>}
        note={noteText(view, i18n)}
        progress={startPosition <= 1 ? 1 : (startPosition - position) / (startPosition - 1)}
        figures={{
          ahead: t.queue.people(format.count(position - 1)),
          behind: people(answer.peopleBehind, i18n),
          queueSize: people(answer.queueSize, i18n),
          shopping: t.queue.ofThreshold(format.count(answer.currentUsers ?? 0), format.count(answer.threshold ?? 0)),
        }}
      />
      <ConnectionNotice view={view} />
      <div className="mt-4 flex flex-wrap justify-between gap-x-4">
        <button type="button" onClick={sound.toggle} aria-pressed={sound.state === 'ready'} className={below}>
          <Icon name="bell" className={classNames('size-5', sound.state === 'ready' && 'text-jade')} />
          {t.queue.sound[sound.state]}
        </button>
        <button type="button" onClick={() => setLeaving(true)} className={`${below} underline underline-offset-4`}>
          {t.queue.leave}
        </button>
      </div>
      <WhileYouWait />
      {leaving && <LeaveDialog what="place" leave={leave} close={() => setLeaving(false)} />}
    </>
  );
}

const below = 'inline-flex min-h-11 items-center gap-2 font-bold text-[0.9375rem] text-ink-soft hover:text-ink';

/** The figure large, the word round it smaller, in whichever order the language has them. */
function BigPosition({ text, figure }: { readonly text: string; readonly figure: string }) {
  const [before = '', after = ''] = text.split(figure);
  return (
    <p className="whitespace-nowrap font-black font-figures tabular-nums leading-none tracking-[-0.04em]">
      <span className="text-[0.45em] tracking-normal">{before}</span>
      {figure}
      <span className="ml-[0.06em] text-[0.45em] tracking-normal">{after}</span>
    </p>
  );
}

function people(count: number | null | undefined, { t, format }: I18n): string {
  return typeof count === 'number' ? t.queue.people(format.count(Math.max(0, count))) : '–';
}

function waitText(view: WaitingView, { t, format }: I18n): string {
  const words = waitWords(view.wait.lowSeconds, view.wait.highSeconds);
  if (words.kind === 'unknown') return t.queue.waitUnknown;
  if (words.kind === 'soon') return t.queue.waitSoon;
  if (words.kind === 'up-to') return t.queue.waitUpTo(format.count(words.high), words.unit);
  return t.queue.waitRange(format.count(words.low), format.count(words.high), words.kind);
}

/** Why the wait has grown, or that one should not go away now. */
function noteText({ wait, answer }: WaitingView, { t }: I18n): string {
  if (wait.because !== null) return t.queue.longer[wait.because];
  const isSoon = waitWords(wait.lowSeconds, wait.highSeconds).kind === 'soon';
  return isSoon && answer.paused !== true ? t.queue.nearly : '';
}

/** Speaks the position politely: at most once a minute, or at a milestone. */
function PositionAnnouncer({ position, text }: { readonly position: number; readonly text: string }) {
  const told = useRef<Told | null>(null);
  const [spoken, say] = useAnnouncement();
  useEffect(() => {
    const now = { position, atMs: serverNow() };
    if (!worthTelling(told.current, now)) return;
    told.current = now;
    say(text);
  }, [position, text, say]);
  return (
    <p aria-live="polite" className="sr-only">
      {spoken}
    </p>
  );
}
