import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { CrashPage } from '../pages/crash/page.tsx';
import { NotFoundPage } from '../pages/not-found/page.tsx';
import { safePath } from './safe-path.ts';
import { parseSearch } from './search-params.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <NotFoundPage />,
  errorComponent: CrashPage,
});

/** Every page is a file of its own, fetched when it is needed. */
const pages = {
  home: lazyRouteComponent(() => import('../pages/home/page.tsx'), 'HomePage'),
  search: lazyRouteComponent(() => import('../pages/search/page.tsx'), 'SearchPage'),
  artists: lazyRouteComponent(() => import('../pages/artists/page.tsx'), 'ArtistsPage'),
  artist: lazyRouteComponent(() => import('../pages/artist/page.tsx'), 'ArtistPage'),
  event: lazyRouteComponent(() => import('../pages/event/page.tsx'), 'EventPage'),
  queue: lazyRouteComponent(() => import('../pages/queue/page.tsx'), 'QueuePage'),
  login: lazyRouteComponent(() => import('../pages/login/page.tsx'), 'LoginPage'),
  register: lazyRouteComponent(() => import('../pages/register/page.tsx'), 'RegisterPage'),
  me: lazyRouteComponent(() => import('../pages/me/page.tsx'), 'MePage'),
};

const getParentRoute = () => root;
/** `next`: where to go afterwards. `error`: why a sign-in elsewhere was refused, as a problem code. */
const signInSearch = (search: Record<string, unknown>): { next?: string; error?: string } => {
  const next = safePath(search.next);
  return {
    ...(next === '/' ? {} : { next }),
    ...(typeof search.error === 'string' ? { error: search.error } : {}),
  };
};

const routes = [
  createRoute({ getParentRoute, path: '/', component: pages.home }),
  createRoute({ getParentRoute, path: '/search', component: pages.search, validateSearch: parseSearch }),
  createRoute({ getParentRoute, path: '/artists', component: pages.artists }),
  createRoute({ getParentRoute, path: '/artists/$artistId', component: pages.artist }),
  createRoute({ getParentRoute, path: '/events/$eventId', component: pages.event }),
  createRoute({ getParentRoute, path: '/queue/$eventId', component: pages.queue }),
  createRoute({ getParentRoute, path: '/login', component: pages.login, validateSearch: signInSearch }),
  createRoute({ getParentRoute, path: '/register', component: pages.register, validateSearch: signInSearch }),
  createRoute({ getParentRoute, path: '/me', component: pages.me }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

/** Fetches the other pages while nothing else happens, so that a link works at once, and without a network too. */
export function preloadPages(): void {
  for (const page of Object.values(pages)) void page.preload?.();
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
