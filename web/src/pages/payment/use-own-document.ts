import { useEffect } from 'react';

/**
 * A provider's script is allowed to the payment page alone, by the policy that comes with the document. Somebody who came here by a link
 * within the site still has the document of another page, and its policy: the page is loaded anew, once.
 */
export function useOwnDocument(isNeeded: boolean): boolean {
  const isOther = isNeeded && !/^\/payment\//.test(loadedPath());
  useEffect(() => {
    if (isOther) location.replace(location.href);
  }, [isOther]);
  return !isOther;
}

function loadedPath(): string {
  const [entry] = performance.getEntriesByType('navigation');
  return entry === undefined ? '' : new URL(entry.name, location.href).pathname;
}
