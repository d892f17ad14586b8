import type { ReactNode } from 'react';
import { Crowd } from './crowd.tsx';

export interface EmptyStateProps {
  readonly title: string;
  readonly text: string;
  /** The way on. */
  readonly action?: ReactNode;
  /** Set on a page of its own, where this is the only heading. */
  readonly level?: 1 | 2;
}

export function EmptyState({ title, text, action, level = 2 }: EmptyStateProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <div className="flex flex-col items-center px-4 py-14 text-center">
      <Crowd className="mb-6 h-10 w-40 text-line-strong" />
      <Heading className="font-bold text-title">{title}</Heading>
      <p className="mt-2 max-w-md text-ink-soft">{text}</p>
      {action !== undefined && <div className="mt-6 flex flex-wrap justify-center gap-3">{action}</div>}
    </div>
  );
}
