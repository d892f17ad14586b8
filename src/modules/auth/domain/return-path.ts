const pathLengthMax = 512;
const base = 'http://same-origin.invalid';

/** Where to go after signing in: a path of this site, whatever was asked for. `//evil`, `/\evil` and schemes are not paths. */
export function safeReturnPath(text: string | undefined): string {
  if (text === undefined || text.length > pathLengthMax || !text.startsWith('/')) return '/';
  // Browsers read a backslash as a slash and drop control characters before they parse.
  if (/[\\\p{Cc}]/u.test(text) || !text.isWellFormed() || !URL.canParse(text, base)) return '/';
  const url = new URL(text, base);
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Resolving `/..//evil` leaves a path that begins with two slashes, which is another host to a browser. Encoding made
  // other letters up to nine times as long, and browsers drop a cookie of more than 4 kB without a word.
  const usable = url.origin === base && !path.startsWith('//') && path.length <= pathLengthMax;
  return usable ? path : '/';
}
