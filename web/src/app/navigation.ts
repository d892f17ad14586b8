import type { IconName } from '../design/icon.tsx';

/** The main places, in the header on a wide screen and at the bottom on a phone. */
export const navigation = [
  { to: '/', icon: 'ticket', label: 'home' },
  { to: '/search', icon: 'search', label: 'search' },
  { to: '/artists', icon: 'artist', label: 'artists' },
  { to: '/my/reservations', icon: 'stub', label: 'bookings' },
  { to: '/me', icon: 'person', label: 'account' },
] as const satisfies readonly { to: string; icon: IconName; label: string }[];
