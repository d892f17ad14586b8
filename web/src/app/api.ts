import { createClient } from '../api/client.generated.ts';
import { isProblem } from '../api/problem.ts';
import { createSessionFetch } from './session-fetch.ts';
import { keepSessionHint, lastRefresh } from './session-hint.ts';

const plain = createClient();

/** Cookies carry the session; an access token that has run out is renewed on the way. */
const sessionFetch = createSessionFetch({
  fetch: (url, init) => fetch(url, init),
  isFresh,
  refresh,
  exclusively,
  lastRefresh,
  now: () => Date.now(),
  onSessionOver: () => keepSessionHint(null),
});

/** All calls of the pages. */
export const api = createClient({ fetch: sessionFetch });

function isFresh(): Promise<boolean> {
  return plain.getMe().then(
    () => true,
    () => false,
  );
}

async function refresh(): Promise<boolean> {
  try {
    await plain.refreshSession();
    return true;
  } catch (error) {
    // Another tab was quicker: its cookies are the newer ones, and they are ours too.
    if (isProblem(error, 'REFRESH_SUPERSEDED')) return true;
    if (isProblem(error) && error.status === 401) return false;
    throw error;
  }
}

/** Without locks (old browsers, plain http) tabs may renew at once, which the server forgives within seconds. */
function exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? navigator.locks.request('urr-session-refresh', work) : work();
}
