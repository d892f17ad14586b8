import { useEffect } from 'react';

/** By then what the page needs first has been fetched. */
const soonMs = 1_500;

/** Fetches something ahead when there is nothing else to do. What cannot be had now is asked for when it is needed. */
export function useSoon(load: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), soonMs);
    return () => clearTimeout(timer);
  }, [load]);
}
