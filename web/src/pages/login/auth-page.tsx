import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { isOtherDocument } from '../../app/safe-path.ts';
import { useSession } from '../../app/session.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { Card } from '../../design/card.tsx';
import { Crowd } from '../../design/crowd.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { type I18n, useI18n } from '../../i18n/i18n.tsx';

export interface AuthPageProps {
  /** Where to go afterwards. */
  readonly next: string | undefined;
  readonly title: string;
  /** Where nothing has asked for it. */
  readonly lead: string;
  readonly children: ReactNode;
  readonly below: ReactNode;
}

/**
 * The frame that signing in and registering share. Somebody who is signed in is led on, be it by this form or in another tab. The
 * form is replaced in the history, so that the way back leads to where it was asked for.
 */
export function AuthPage({ next, title, lead, children, below }: AuthPageProps) {
  const { t } = useI18n();
  const session = useSession();
  const [hadForm, setHadForm] = useState(false);
  if (session.state === 'anonymous' && !hadForm) setHadForm(true);
  if (session.state === 'signedIn') return <LeadOn href={next ?? (hadForm ? '/' : '/me')} />;
  const isChecking = session.state === 'checking' && !session.hasFailed;
  return (
    <div className="mx-auto mt-10 max-w-md sm:mt-16">
      <TabTitle>{title}</TabTitle>
      <Crowd className="mb-6 h-8 w-32 text-seal" />
      <h1 className="font-black text-display">{title}</h1>
      <p className="mt-3 mb-8 text-ink-soft">{reasonOf(next, t) ?? lead}</p>
      <Card className="p-5 shadow-lift sm:p-7">{isChecking ? <Skeleton className="h-56 w-full" /> : children}</Card>
      <p className="mt-6 text-center">{below}</p>
    </div>
  );
}

function LeadOn({ href }: { readonly href: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    if (isOtherDocument(href)) location.replace(href);
    else void navigate({ href, replace: true });
  }, [navigate, href]);
  return null;
}

/** Why one is here, by the page that asked for it. */
function reasonOf(next: string | undefined, { auth: { because } }: I18n['t']): string | null {
  const [, place = ''] = next?.split(/[/?#]/) ?? [];
  if (place === 'queue' || place === 'vwr' || place === 'events') return because.line;
  if (place === 'payment') return because.payment;
  return place === 'my' || place === 'me' ? because.own : null;
}
