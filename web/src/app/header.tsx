import { Link } from '@tanstack/react-router';
import { Crowd } from '../design/crowd.tsx';
import { Icon } from '../design/icon.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { navigation } from './navigation.ts';
import { useSession } from './session.ts';
import { themes, useTheme } from './theme.ts';

export function Header() {
  const { t } = useI18n();
  return (
    <header className="sticky top-0 z-30 border-line border-b bg-paper print:hidden">
      {/* Sizes in pixels, and words that give way: with letters twice as large everything still fits on a phone. */}
      <div className="mx-auto flex min-h-16 max-w-page items-center gap-1 px-[16px] sm:px-[24px]">
        <Link to="/" className="mr-auto flex min-h-11 shrink-0 items-center gap-2.5 md:mr-8">
          <Crowd className="h-5 w-20 text-seal max-[22.5rem]:hidden" />
          <span className="whitespace-nowrap font-black text-[min(1.375rem,7vw)] tracking-[-0.05em]">{t.brand}</span>
        </Link>
        <nav aria-label={t.shell.nav} className="mr-auto hidden md:block">
          <ul className="flex gap-1">
            {navigation.slice(0, -1).map(({ to, label }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  className="inline-flex min-h-11 items-center rounded-control px-3.5 font-bold text-ink-soft hover:text-ink aria-[current=page]:text-ink aria-[current=page]:underline aria-[current=page]:decoration-3 aria-[current=page]:decoration-seal aria-[current=page]:underline-offset-8"
                >
                  {t.shell[label]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <LanguageSwitch />
        <ThemeSwitch />
        <Account />
      </div>
    </header>
  );
}

const round = 'inline-flex size-[44px] shrink-0 items-center justify-center rounded-full hover:bg-sunk';

function LanguageSwitch() {
  const { language, setLanguage, t } = useI18n();
  const other = language === 'ko' ? 'en' : 'ko';
  return (
    <button type="button" className={`${round} font-bold text-meta`} lang={other} onClick={() => setLanguage(other)}>
      <span aria-hidden="true">{other === 'en' ? 'EN' : '한'}</span>
      <span className="sr-only">{t.shell.switchLanguage}</span>
    </button>
  );
}

/** One button that goes through the three themes: a phone has no room for three. */
function ThemeSwitch() {
  const { t } = useI18n();
  const [theme, setTheme] = useTheme();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button type="button" className={round} title={t.shell.theme[theme]} onClick={() => setTheme(next)}>
      <Icon name={theme === 'light' ? 'sun' : theme === 'dark' ? 'moon' : 'device'} />
      <span className="sr-only">{t.shell.theme[theme]}</span>
    </button>
  );
}

function Account() {
  const { t } = useI18n();
  const session = useSession();
  const look =
    'ml-1 inline-flex min-h-11 min-w-0 max-w-36 items-center gap-2 rounded-full border border-line-strong px-[16px] font-bold text-[0.9375rem] hover:bg-sunk';
  if (session.state === 'anonymous') {
    return (
      <Link to="/login" className={look}>
        <span className="truncate">{t.shell.signIn}</span>
      </Link>
    );
  }
  return (
    <Link to="/me" className={look}>
      {session.name !== '' && <span className="sr-only">{t.shell.account}: </span>}
      <span className="truncate">{session.name === '' ? t.shell.account : session.name}</span>
    </Link>
  );
}
