import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { classNames } from '../design/class-names.ts';
import { Icon } from '../design/icon.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { Header } from './header.tsx';
import { navigation } from './navigation.ts';
import { OfflineBar } from './offline-bar.tsx';
import { Places } from './places.tsx';

/** What is round every page: skip link, header, the page, footer, one's places in line and, on a phone, the menu at the bottom. */
export function Shell() {
  const { t } = useI18n();
  const main = useFocusOnNavigation();
  const isBooking = useRouterState({ select: ({ matches }) => matches.some((match) => match.staticData.isBooking) });
  return (
    <div className="group/shell flex min-h-dvh flex-col">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-ink px-4 py-3 font-bold text-paper focus:translate-y-0"
      >
        {t.shell.skip}
      </a>
      <Header />
      <OfflineBar />
      <Places aboveMenu={!isBooking} />
      <main id="main" ref={main} tabIndex={-1} className="mx-auto w-full max-w-page flex-1 px-4 pb-16 sm:px-6">
        <Outlet />
      </main>
      <footer className="border-line border-t print:hidden">
        <div
          className={classNames(
            'mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 pt-6 text-ink-soft text-meta sm:px-6',
            // The page ends above what lies over its end.
            isBooking ? 'pb-8' : 'pb-28 md:pb-8',
            'group-has-[[data-place-bar]]/shell:pb-52 md:group-has-[[data-place-bar]]/shell:pb-36',
            'max-md:group-has-[[data-page-action]]/shell:pb-48 max-md:group-has-[[data-page-action]]/shell:group-has-[[data-place-bar]]/shell:pb-72',
            'group-has-[[data-action-bar]]/shell:pb-32 lg:group-has-[[data-action-bar]]/shell:pb-8',
          )}
        >
          <p>{t.shell.footer}</p>
          <a href="/docs" className="inline-flex min-h-8 items-center underline underline-offset-4 hover:text-ink">
            {t.shell.apiDocs}
          </a>
        </div>
      </footer>
      {!isBooking && <BottomBar />}
    </div>
  );
}

function BottomBar() {
  const { t } = useI18n();
  return (
    <nav
      aria-label={t.shell.nav}
      className="fixed inset-x-0 bottom-0 z-30 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      <ul className="mx-auto grid max-w-md grid-cols-5">
        {navigation.map(({ to, icon, label }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="flex min-h-15 flex-col items-center justify-center gap-1 text-ink-soft text-[min(0.8125rem,3.4vw)] leading-none aria-[current=page]:font-bold aria-[current=page]:text-seal"
            >
              <Icon name={icon} className="size-[22px]" />
              {t.shell[label]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** After a link was followed the reader starts at the page's content, not where the link was. A page may have chosen its title for that. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    const hasChosen = document.activeElement?.matches('main h1');
    if (before.current !== undefined && before.current !== path && !hasChosen)
      main.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return main;
}
