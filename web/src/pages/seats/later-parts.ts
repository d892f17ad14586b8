import { lazy } from 'react';
import { useSoon } from '../../booking/use-soon.ts';

/*
 * What is not seen before something was pressed. Fetched when the map is there and the line is free, so that the first sight
 * of the seats does not wait for it, and a press does not either.
 */
const loadList = () => import('../../seats/seat-list.tsx');
const loadBest = () => import('./best-available.tsx');

export const SeatList = lazy(async () => ({ default: (await loadList()).SeatList }));
export const BestAvailable = lazy(async () => ({ default: (await loadBest()).BestAvailable }));

export function usePartsSoon(): void {
  useSoon(loadList);
  useSoon(loadBest);
}
