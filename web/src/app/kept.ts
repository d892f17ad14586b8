/** Tickets for the door, for when there is no network. They end with the session. */
export const keptTicketsKey = 'urr.tickets';

/** Storage may be forbidden (private windows, embedded pages). A preference that cannot be kept is no reason to fail. */
export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Nothing to do: see above.
  }
}

/** The keys that begin so. */
export function keptKeys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
