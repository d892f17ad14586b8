/** Keeps this page's own files, so that it opens at a door without a network. What is on it is kept elsewhere. */
export async function keepPage(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await navigator.serviceWorker.register('/my/tickets-offline.js', { scope: '/my/' });
  const { active } = await navigator.serviceWorker.ready;
  const files = performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name).pathname)
    .filter((path) => path.startsWith('/assets/') || path === '/first-paint.js');
  active?.postMessage({ keep: [...new Set(files)] });
}
