import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export function Card({ children, className }: { readonly children: ReactNode; readonly className?: string }) {
  return <div className={classNames('rounded-card border border-line bg-surface', className)}>{children}</div>;
}
