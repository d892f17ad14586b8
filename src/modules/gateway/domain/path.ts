/**
 * What does not begin with a slash, and what holds `#`, which no client sends and where a router ends the path. Empty, `.` and `..` segments, backslashes, and the encoded forms of these, of the slash and of NUL. Proxies and routers
 * disagree on what such a path means, and what one lets through the other serves; so nobody gets to guess.
 */
const suspicious = /^[^/]|\/\/|\\|%(?:2f|5c|00)|\/(?:\.|%2e){1,2}(?:\/|$)/i;

export function isMalformedPath(url: string): boolean {
  const query = url.indexOf('?');
  return suspicious.test(query === -1 ? url : url.slice(0, query)) || url.includes('#');
}

const versionPrefix = '/api/v1/';
const roomPrefix = '/vwr-api/';

/**
 * `/api/v1/events` is `/api/events`: the prefix is for clients that want to name a version. `/vwr-api` is for sites that give the
 * waiting room one prefix. Each counts once, as for the edge decision.
 */
export function withoutPrefix(url: string): string {
  const inner = url.startsWith(roomPrefix) ? url.slice(roomPrefix.length - 1) : url;
  return inner.startsWith(versionPrefix) ? `/api/${inner.slice(versionPrefix.length)}` : inner;
}
