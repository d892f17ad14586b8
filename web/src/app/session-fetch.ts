import type { Fetch } from '../api/runtime.ts';

export interface SessionFetchOptions {
  readonly fetch: Fetch;
  /** Asks the server whether the cookies hold. `false` also when the answer did not get through: `refresh` will tell. */
  isFresh(): Promise<boolean>;
  /** Gets new cookies. `false`: the session is over. A failure on the way is thrown, and the session stays. */
  refresh(): Promise<boolean>;
  /** Runs alone among all tabs of this browser. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /** When any tab last got new cookies; shared between tabs, though what one writes may reach the others late. */
  readonly lastRefresh: { read(): number; write(ms: number): void };
  now(): number;
  onSessionOver(): void;
}

/**
 * A fetch that renews an access token that has run out and repeats the call, so that nobody notices. The refresh token
 * changes with each use, and using an old one ends the session: hence one renewal at a time, in this tab (`renewing`) and
 * among tabs (`exclusively`), and none at all when another tab renewed after our call had gone out.
 *
 * `lastRefresh` tells the latter without a call. It may tell it late: Chromium hands the lock on faster than it carries
 * localStorage from process to process. Cookies are the same for all tabs at once, so the server is asked before it is
 * asked to renew.
 */
export function createSessionFetch(options: SessionFetchOptions): Fetch {
  let renewing: Promise<boolean> | null = null;

  return async (url, init) => {
    const sentAt = options.now();
    const response = await options.fetch(url, init);
    if (response.status !== 401 || isAboutCredentials(url)) return response;
    renewing ??= renew(options, sentAt).finally(() => {
      renewing = null;
    });
    return (await renewing) ? options.fetch(url, init) : response;
  };
}

function renew(options: SessionFetchOptions, sentAt: number): Promise<boolean> {
  return options.exclusively(async () => {
    if (options.lastRefresh.read() >= sentAt || (await options.isFresh())) return true;
    if (await options.refresh()) {
      options.lastRefresh.write(options.now());
      return true;
    }
    options.onSessionOver();
    return false;
  });
}

/** These answer 401 to say that what was typed in, or the refresh token itself, is wrong. */
function isAboutCredentials(url: string): boolean {
  return /\/api\/(v1\/)?auth\/(login|register|refresh|logout)$/.test(url);
}
