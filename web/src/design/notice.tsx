import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type Tone = 'plain' | 'problem' | 'good' | 'warning';

/** A sentence in place. Problems interrupt a screen reader; the others wait their turn. */
export function Notice({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <div
      role={tone === 'problem' ? 'alert' : 'status'}
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
