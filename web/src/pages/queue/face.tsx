import type { ReactNode } from 'react';
import { Perforation } from '../../design/perforation.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { ticket } from './layout.ts';
import { LineProgress } from './line-progress.tsx';

export interface TicketFaceProps {
  readonly position: ReactNode;
  readonly wait: ReactNode;
  /** One line below the wait, whose room is kept for it. */
  readonly note?: string;
  /** From 0, where one began, to 1, the door. */
  readonly progress: number;
  readonly figures: Readonly<Record<'ahead' | 'behind' | 'queueSize' | 'shopping', string>>;
  readonly busy?: boolean;
}

const figureNames = ['ahead', 'behind', 'queueSize', 'shopping'] as const;

/** The ticket of a place in line. The same room is taken while it is being written. */
export function TicketFace({ position, wait, note = '', progress, figures, busy = false }: TicketFaceProps) {
  const { t } = useI18n();
  return (
    <section aria-label={t.queue.position} aria-busy={busy || undefined} className={ticket}>
      <div className="p-5 pb-3 text-center sm:p-8 sm:pb-3">
        <p className="font-bold text-ink-soft">{t.queue.position}</p>
        <div className="mt-1 flex h-[1em] items-center justify-center text-[clamp(3.25rem,2rem+9vw,6.5rem)]">
          {position}
        </div>
        <div className="mt-5 sm:mt-6">
          <LineProgress share={progress} label={t.queue.progress} />
        </div>
        <p className="mt-5 text-ink-soft sm:mt-6">{t.queue.expected}</p>
        <div className="mt-0.5 min-h-[1.22em] text-headline">{wait}</div>
        <p className="mx-auto mt-1 min-h-[1.5em] max-w-sm text-ink-soft text-meta">{note}</p>
      </div>
      <Perforation />
      <dl className="grid grid-cols-2 gap-x-4 gap-y-5 px-5 pt-4 pb-5 sm:grid-cols-4 sm:px-8 sm:pb-6">
        {figureNames.map((name) => (
          <div key={name}>
            <dt className="text-ink-soft text-meta">{t.queue[name]}</dt>
            <dd className="mt-0.5 font-bold text-lead tabular-nums">{figures[name]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
