import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useSession } from '../../app/session.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { Card } from '../../design/card.tsx';
import { Crowd } from '../../design/crowd.tsx';

export interface AuthPageProps {
  /** Where to go afterwards. */
  readonly next: string | undefined;
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
  readonly below: ReactNode;
}

/** The frame that signing in and registering share. Somebody who is signed in already has no use for either. */
export function AuthPage({ next, title, lead, children, below }: AuthPageProps) {
  const { state } = useSession();
  // A form that was sent knows by itself where to go: the first page, as a rule, and not the account.
  const [hasForm, setHasForm] = useState(false);
  if (state === 'anonymous' && !hasForm) setHasForm(true);
  if (state === 'signedIn' && !hasForm) return <LeadOn href={next ?? '/me'} />;
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

function LeadOn({ href }: { readonly href: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ href, replace: true });
  }, [navigate, href]);
  return null;
}
