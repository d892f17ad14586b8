import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { accountWords } from '../i18n/account/words.tsx';
import { purchaseWords } from '../i18n/purchase/words.tsx';
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
  eventRoom: lazyRouteComponent(() => import('../pages/event/room.tsx'), 'EventRoom'),
  event: lazyRouteComponent(() => import('../pages/event/page.tsx'), 'EventPage'),
  seats: lazyRouteComponent(() => import('../pages/seats/page.tsx'), 'SeatsPage'),
  book: lazyRouteComponent(() => import('../pages/book/page.tsx'), 'BookPage'),
  queue: lazyRouteComponent(() => import('../pages/queue/page.tsx'), 'QueuePage'),
  login: lazyRouteComponent(() => import('../pages/login/page.tsx'), 'LoginPage'),
  register: lazyRouteComponent(() => import('../pages/register/page.tsx'), 'RegisterPage'),
  me: lazyRouteComponent(() => accountWords.with(import('../pages/me/page.tsx')), 'MePage'),
  reservations: lazyRouteComponent(
    () => purchaseWords.with(import('../pages/reservations/page.tsx')),
    'ReservationsPage',
  ),
  tickets: lazyRouteComponent(() => purchaseWords.with(import('../pages/tickets/page.tsx')), 'TicketsPage'),
  payment: lazyRouteComponent(() => purchaseWords.with(import('../pages/payment/page.tsx')), 'PaymentPage'),
  paymentSuccess: lazyRouteComponent(
    () => purchaseWords.with(import('../pages/payment/success-page.tsx')),
    'PaymentSuccessPage',
  ),
  paymentFail: lazyRouteComponent(
    () => purchaseWords.with(import('../pages/payment/fail-page.tsx')),
    'PaymentFailPage',
  ),
};

const getParentRoute = () => root;
/**
 * `next`: where to go afterwards. `error`: why a sign-in elsewhere was refused, as a problem code. Both are always said: of
 * what is left out here the router hands the page what the address has, unchecked.
 */
const signInSearch = (search: Record<string, unknown>): { next?: string | undefined; error?: string | undefined } => {
  const next = safePath(search.next);
  return {
    next: next === '/' ? undefined : next,
    error: typeof search.error === 'string' ? search.error : undefined,
  };
};

/** Everything about one event lies under it: it shows the time that is left in a slot. */
const eventRoom = createRoute({ getParentRoute, path: '/events/$eventId', component: pages.eventRoom });
const inEventRoom = () => eventRoom;
const isBooking = { staticData: { isBooking: true } } as const;
const eventRoutes = [
  createRoute({ getParentRoute: inEventRoom, path: '/', component: pages.event }),
  createRoute({ getParentRoute: inEventRoom, path: '/seats', component: pages.seats, ...isBooking }),
  createRoute({ getParentRoute: inEventRoom, path: '/book', component: pages.book, ...isBooking }),
] as const;

const routes = [
  createRoute({ getParentRoute, path: '/', component: pages.home }),
  createRoute({ getParentRoute, path: '/search', component: pages.search, validateSearch: parseSearch }),
  createRoute({ getParentRoute, path: '/artists', component: pages.artists }),
  createRoute({ getParentRoute, path: '/artists/$artistId', component: pages.artist }),
  eventRoom.addChildren(eventRoutes),
  createRoute({ getParentRoute, path: '/queue/$eventId', component: pages.queue, ...isBooking }),
  createRoute({ getParentRoute, path: '/login', component: pages.login, validateSearch: signInSearch }),
  createRoute({ getParentRoute, path: '/register', component: pages.register, validateSearch: signInSearch }),
  createRoute({ getParentRoute, path: '/me', component: pages.me }),
  createRoute({ getParentRoute, path: '/my/reservations', component: pages.reservations }),
  createRoute({ getParentRoute, path: '/my/tickets', component: pages.tickets }),
  createRoute({ getParentRoute, path: '/payment/$orderId', component: pages.payment, ...isBooking }),
  createRoute({ getParentRoute, path: '/payment/$orderId/success', component: pages.paymentSuccess }),
  createRoute({ getParentRoute, path: '/payment/$orderId/fail', component: pages.paymentFail, ...isBooking }),
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
  interface StaticDataRouteOption {
    /** A step of booking: the menu at the bottom makes room for what the page is about. */
    readonly isBooking?: boolean;
  }
}
