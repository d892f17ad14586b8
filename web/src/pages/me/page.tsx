import { Link, Navigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../../app/problem-text.ts';
import { type User, useSession, useSessionActions } from '../../app/session.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { themes, useTheme } from '../../app/theme.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { Icon } from '../../design/icon.tsx';
import { Notice } from '../../design/notice.tsx';
import { Section } from '../../design/section.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { AccountWordsProvider, useAccountWords } from '../../i18n/account/words.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { languages } from '../../i18n/language.ts';
import { OwnData } from './own-data.tsx';

export function MePage() {
  return (
    <AccountWordsProvider>
      <Me />
    </AccountWordsProvider>
  );
}

function Me() {
  const { t } = useI18n();
  const w = useAccountWords();
  const session = useSession();
  if (session.state === 'anonymous') return <Navigate to="/login" search={{ next: '/me' }} replace />;
  return (
    <div className="mx-auto max-w-2xl">
      <TabTitle>{w.title}</TabTitle>
      <h1 className="mt-8 font-black text-display">{session.name === '' ? w.title : w.greeting(session.name)}</h1>
      <ul className="mt-8 grid grid-cols-2 gap-3">
        {shortcuts.map(({ to, icon, label }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex min-h-16 items-center gap-3 rounded-card border border-line bg-surface px-4 font-bold hover:border-line-strong sm:px-5"
            >
              <Icon name={icon} className="size-6 shrink-0 text-seal" />
              {t.bookings[label]}
            </Link>
          </li>
        ))}
      </ul>
      <Section title={w.account}>
        <Card className="p-5 sm:p-7">
          {session.state === 'signedIn' ? <Account user={session.user} /> : <Skeleton className="h-32 w-full" />}
        </Card>
      </Section>
      <Section title={w.data}>
        <Card className="flex flex-col gap-7 p-5 sm:p-7">
          <OwnData />
        </Card>
      </Section>
      <Section title={w.settings}>
        <Card className="flex flex-col gap-6 p-5 sm:p-7">
          <Settings />
        </Card>
      </Section>
    </div>
  );
}

const shortcuts = [
  { to: '/my/reservations', icon: 'stub', label: 'title' },
  { to: '/my/tickets', icon: 'ticket', label: 'ticketsTitle' },
] as const;

function Account({ user }: { readonly user: User }) {
  const { t } = useI18n();
  const w = useAccountWords();
  const { signOut } = useSessionActions();
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const leave = async () => {
    setBusy(true);
    try {
      await signOut();
      router.history.push('/');
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <>
      <dl className="grid gap-4 sm:grid-cols-2">
        <div>
          <dt className="text-ink-soft text-meta">{t.auth.email}</dt>
          <dd className="mt-1 font-bold">{user.email}</dd>
        </div>
        <div>
          <dt className="text-ink-soft text-meta">{w.role}</dt>
          <dd className="mt-1 font-bold">{w.roles[user.role]}</dd>
        </div>
      </dl>
      {failure !== null && (
        <div className="mt-5">
          <Notice tone="problem">{problemText(failure, t).text}</Notice>
        </div>
      )}
      <Button look="secondary" className="mt-6" busy={busy} onClick={() => void leave()}>
        {t.auth.signOut}
      </Button>
    </>
  );
}

function Settings() {
  const { language, setLanguage } = useI18n();
  const w = useAccountWords();
  const [theme, setTheme] = useTheme();
  const names = { ko: '한국어', en: 'English' };
  return (
    <>
      <Choice
        legend={w.language}
        options={languages.map((value) => ({ value, label: names[value] }))}
        value={language}
        onChange={setLanguage}
      />
      <Choice
        legend={w.theme}
        options={themes.map((value) => ({ value, label: w.themes[value] }))}
        value={theme}
        onChange={setTheme}
      />
    </>
  );
}
