/** Where to go after signing in: a path of this site and nothing else, whatever a link made by somebody else says. */
export function safePath(wanted: unknown): string {
  // Browsers read a backslash as a slash and skip tabs and line ends, so neither may stand anywhere in it.
  return typeof wanted === 'string' && /^\/(?!\/)[^\\\p{Cc}]*$/u.test(wanted) ? wanted : '/';
}
