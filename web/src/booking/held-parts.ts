import { lazy } from 'react';

/** Not needed before something is held, and fetched as soon as there is nothing else to do. */
export const loadHeld = () => import('./held.tsx');

export const Held = lazy(async () => ({ default: (await loadHeld()).Held }));
export const ChangingNotice = lazy(async () => ({ default: (await loadHeld()).ChangingNotice }));
