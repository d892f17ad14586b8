/** Old browsers and plain http have none. */
export const hasTabLocks = 'locks' in navigator;

/** One lock among all tabs of this browser, or null when another tab has it or the browser knows no locks. Ends with the tab. */
export async function tryLock(name: string): Promise<(() => void) | null> {
  if (!hasTabLocks) return null;
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock !== null) return new Promise<void>(resolve);
      resolve(null);
      return undefined;
    });
    held.catch(reject);
  });
}
