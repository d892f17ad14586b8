import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'seal' | 'jade' | 'indigo' | 'amber' | 'plain';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 font-bold text-meta max-w-full shrink-0',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

const tones: Readonly<Record<Tone, string>> = {
  seal: 'bg-seal-wash text-seal',
  jade: 'bg-jade-wash text-jade',
  indigo: 'bg-indigo-wash text-indigo',
  amber: 'bg-amber-wash text-amber',
  plain: 'bg-sunk text-ink-soft',
};
