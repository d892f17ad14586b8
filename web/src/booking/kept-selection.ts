import { tabStorage } from './kept-in-tab.ts';

/** What was chosen and not held yet, over a reload of the tab. By id: numbers are only good for one layout. */
export function keptSelection(eventId: string) {
  const name = `urr.chosen.${eventId}`;
  return {
    read(): readonly string[] {
      try {
        const value = JSON.parse(tabStorage.get(name) ?? '[]') as unknown;
        return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];
      } catch {
        return [];
      }
    },
    write: (seatIds: readonly string[]) => tabStorage.set(name, seatIds.length === 0 ? null : JSON.stringify(seatIds)),
  };
}
