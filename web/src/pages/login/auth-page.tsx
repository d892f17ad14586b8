import type { ReactNode } from 'react';
import { TabTitle } from '../../app/tab-title.tsx';
import { Card } from '../../design/card.tsx';
import { Crowd } from '../../design/crowd.tsx';

export interface AuthPageProps {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
  readonly below: ReactNode;
}

/** The frame that signing in and registering share. */
export function AuthPage({ title, lead, children, below }: AuthPageProps) {
  return (
    <div className="mx-auto mt-10 max-w-md sm:mt-16">
      <TabTitle>{title}</TabTitle>
      <Crowd className="mb-6 h-8 w-32 text-seal" />
      <h1 className="font-black text-display">{title}</h1>
      <p className="mt-3 mb-8 text-ink-soft">{lead}</p>
      <Card className="p-5 shadow-lift sm:p-7">{children}</Card>
      <p className="mt-6 text-center">{below}</p>
    </div>
  );
}
