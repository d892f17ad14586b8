import type { IncomingHttpHeaders } from 'node:http';

export interface Site {
  /** Origins whose pages may act with the visitor's cookies. */
  readonly origins: ReadonlySet<string>;
  /** No address is configured: the site is whatever host was asked for. */
  readonly anyHost: boolean;
}

/**
 * Whether a browser made this call from a page of this site. Either header is enough: a page cannot forge them.
 * `Sec-Fetch-Site: none` (typed into the address bar) does not count, for nobody types a POST.
 */
export function isSameSite(headers: IncomingHttpHeaders, host: string, site: Site): boolean {
  if (headers['sec-fetch-site'] === 'same-origin') return true;
  const origin = headers.origin;
  if (origin === undefined) return false;
  if (site.origins.has(origin)) return true;
  return site.anyHost && (origin === `https://${host}` || origin === `http://${host}`);
}
