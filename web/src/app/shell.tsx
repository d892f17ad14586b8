import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Icon } from '../design/icon.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { Header } from './header.tsx';
import { navigation } from './navigation.ts';
import { OfflineBar } from './offline-bar.tsx';

/** What is round every page: skip link, header, the page, footer and, on a phone, the bar at the bottom. */
export function Shell() {
  const { t } = useI18n();
  const main = useFocusOnNavigation();
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-ink px-4 py-3 font-bold text-paper focus:translate-y-0"
      >
        {t.shell.skip}
      </a>
      <Header />
      <OfflineBar />
      <main id="main" ref={main} tabIndex={-1} className="mx-auto w-full max-w-page flex-1 px-4 pb-16 sm:px-6">
        <Outlet />
      </main>
      <footer className="border-line border-t">
        <div className="mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 pt-6 pb-28 text-ink-soft text-meta sm:px-6 md:pb-8">
          <p>{t.shell.footer}</p>
          <a href="/docs" className="inline-flex min-h-8 items-center underline underline-offset-4 hover:text-ink">
            {t.shell.apiDocs}
          </a>
        </div>
      </footer>
      <BottomBar />
    </div>
  );
}

function BottomBar() {
  const { t } = useI18n();
  return (
    <nav
      aria-label={t.shell.nav}
      className="fixed inset-x-0 bottom-0 z-30 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <ul className="mx-auto grid max-w-md grid-cols-4">
        {navigation.map(({ to, icon, label }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="flex min-h-15 flex-col items-center justify-center gap-1 text-ink-soft text-meta leading-none aria-[current=page]:font-bold aria-[current=page]:text-seal"
            >
              <Icon name={icon} className="size-5.5" />
              {t.shell[label]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** After a link was followed the reader starts at the page's content, not where the link was. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (before.current !== undefined && before.current !== path) main.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return main;
}
