/** The cookies of one visitor of one site, kept as a browser would keep them. */
export interface CookieJar {
  /** The `cookie` header for this path; empty when there is nothing to send. */
  header(path: string): string;
  keep(response: Response): void;
  get(name: string): string | undefined;
  set(name: string, value: string, path?: string): void;
  clear(): void;
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, { value: string; path: string }>();
  return {
    header: (path) =>
      [...cookies]
        .filter(([, cookie]) => covers(cookie.path, path))
        .map(([name, cookie]) => `${name}=${cookie.value}`)
        .join('; '),
    keep(response) {
      for (const line of response.headers.getSetCookie()) {
        const { name, value, path, gone } = parse(line);
        if (gone) cookies.delete(name);
        else cookies.set(name, { value, path });
      }
    },
    get: (name) => cookies.get(name)?.value,
    set: (name, value, path = '/') => void cookies.set(name, { value, path }),
    clear: () => cookies.clear(),
  };
}

function parse(line: string) {
  const [pair = '', ...rest] = line.split(';');
  const attributes = new Map(rest.map((part) => split(part)).map(([key, value]) => [key.toLowerCase(), value]));
  const [name, value] = split(pair);
  const expires = attributes.get('expires');
  const gone = attributes.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
  return { name, value, path: attributes.get('path') ?? '/', gone };
}

function split(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** RFC 6265, 5.1.4: `/api/auth` covers itself and what is under it, and not `/api/authors`. */
function covers(cookiePath: string, path: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}
