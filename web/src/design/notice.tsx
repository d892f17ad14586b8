import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type Tone = 'plain' | 'problem' | 'good' | 'warning';

export interface NoticeProps {
  readonly tone?: Tone;
  /** Whatever is around it is announced as it changes, so this must not be announced once more. */
  readonly within?: 'live-region';
  readonly children: ReactNode;
}

/** A sentence in place. Problems interrupt a screen reader; the others wait their turn. */
export function Notice({ tone = 'plain', within, children }: NoticeProps) {
  const role = tone === 'problem' ? 'alert' : 'status';
  return (
    <div
      role={within === undefined ? role : undefined}
      className={classNames('rounded-control border-l-4 px-4 py-3 text-[0.9375rem] leading-relaxed', tones[tone])}
    >
      {children}
    </div>
  );
}

const tones: Readonly<Record<Tone, string>> = {
  plain: 'border-line-strong bg-sunk text-ink',
  problem: 'border-seal bg-seal-wash text-ink',
  good: 'border-jade bg-jade-wash text-ink',
  warning: 'border-amber bg-amber-wash text-ink',
};
