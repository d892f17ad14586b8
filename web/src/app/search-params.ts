import type { EventStatus } from '../events/event-types.ts';

/** What the address of the search page says. Whatever does not make sense is left out. */
export interface SearchParams {
  readonly q?: string;
  readonly status?: SearchStatus;
}

export const searchStatuses = ['on_sale', 'announced', 'sold_out', 'ended', 'cancelled'] as const;
export type SearchStatus = (typeof searchStatuses)[number] & EventStatus;

const queryLengthMax = 100;

export function parseSearch(search: Record<string, unknown>): SearchParams {
  const q = typeof search.q === 'string' || typeof search.q === 'number' ? String(search.q).trim() : '';
  const status = searchStatuses.find((known) => known === search.status);
  return {
    ...(q === '' ? {} : { q: q.slice(0, queryLengthMax) }),
    ...(status === undefined ? {} : { status }),
  };
}
