/** Where to go after signing in: a path of this site and nothing else, whatever a link made by somebody else says. */
export function safePath(wanted: unknown): string {
  if (typeof wanted !== 'string' || !wanted.startsWith('/')) return '/';
  // Browsers read a backslash as a slash, skip tabs and line ends, and resolve `/..//other` to another host.
  const path = wanted.split(/[?#]/)[0] ?? '';
  return /[\\\p{Cc}]/u.test(wanted) || path.includes('//') || path.includes('/..') ? '/' : wanted;
}

/** Of this site, and no page of this application. */
export function isOtherDocument(path: string): boolean {
  return path.startsWith('/vwr/');
}
