/*
 * Opens the pages under /my/ without a network: their files as they were when the tickets were last looked at. It keeps
 * nothing that is anybody's own, and changes nothing while there is a network: pages are always asked for first.
 */
const cacheName = 'urr-my-pages';
const page = '/my/tickets';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  if (Array.isArray(event.data?.keep)) event.waitUntil(keep(event.data.keep));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(pageFirst(request));
  else if (pathname.startsWith('/assets/') || pathname === '/first-paint.js') event.respondWith(keptFirst(request));
});

async function pageFirst(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(page);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** Their names change with their content. */
async function keptFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/**
 * All of a release or nothing, and nothing of an older one. The page comes last: as long as one is kept, its files are,
 * even if the network goes in the middle. A page of a newer release than the files is left for the next visit.
 */
async function keep(paths) {
  const cache = await caches.open(cacheName);
  const answer = await fetch(page, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const named = (await answer.clone().text()).match(/\/assets\/[\w./-]+/g) ?? [];
  if (named.some((path) => !paths.includes(path))) return;
  await cache.addAll(paths);
  await cache.put(page, answer);
  const wanted = new Set([page, ...paths]);
  for (const { url } of await cache.keys()) {
    if (!wanted.has(new URL(url).pathname)) await cache.delete(url);
  }
}
