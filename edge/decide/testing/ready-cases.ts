import { type EdgeCase, edgeCases, type Shown } from '../cases.ts';
import { mint } from './mint.ts';

/** A case with its tokens made, as headers. */
export interface ReadyCase extends Pick<EdgeCase, 'name' | 'method' | 'target' | 'rooms' | 'expect'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** The files of the build that the cases know. */
export const caseFiles: ReadonlySet<string> = new Set(['/assets/app-4f2a.js', '/icon.svg']);

export function readyCases(): Promise<ReadyCase[]> {
  return Promise.all(
    edgeCases.map(async ({ shows, headers = {}, ...rest }) => {
      const shown = await Promise.all(
        shows.map(async ({ token, ...place }) => ({ ...place, text: await textOf(token) })),
      );
      const cookies = shown.filter(({ as }) => as === 'cookie').map(({ name, text }) => `${name}=${text}`);
      const own = shown.filter(({ as }) => as === 'header').map(({ name, text }) => [name, text] as const);
      const cookie = cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
      return { ...rest, headers: { ...cookie, ...Object.fromEntries(own), ...headers } };
    }),
  );
}

function textOf(token: Shown['token']): Promise<string> {
  return typeof token === 'string' ? Promise.resolve(token) : mint(token);
}
