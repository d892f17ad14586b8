import { edgeHeaders } from '../names.ts';
import type { ActiveRooms } from '../rooms.ts';
import { type Decision, decideSteps } from './decide.ts';
import type { PassMemo } from './passes.ts';
import { type MacCheck, runLater } from './steps.ts';

export interface FetchSite {
  readonly rooms: ActiveRooms;
  readonly stands: (check: MacCheck) => Promise<boolean>;
  readonly nowMs: number;
  readonly files?: ReadonlySet<string>;
  readonly memo?: PassMemo;
}

/** For runtimes that know `Request`: workers, middlewares, functions at an edge. Its URL has resolved dots and backslashes already. */
export function decideRequest(request: Request, { stands, ...site }: FetchSite): Promise<Decision> {
  const { url, method } = request;
  const from = url.indexOf('/', url.indexOf('://') + '://'.length);
  const target = url.slice(from).split('#', 1)[0] ?? '/';
  const queryAt = target.indexOf('?');
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  const query = queryAt === -1 ? '' : target.slice(queryAt);
  return runLater(decideSteps({ ...site, method, path, query, headers: headersOf(request) }), stands);
}

function headersOf({ headers }: Request): Record<string, string> {
  const found: Record<string, string> = {};
  headers.forEach((value, name) => {
    found[name] = value;
  });
  return found;
}

/** The answer instead of the origin's; null: ask the origin, and let nobody keep what it says where the decision is guarded. */
export function answerOf(decision: Decision, { method }: { method: string }): Response | null {
  if (decision.status === 'pass') return null;
  if (decision.status !== 'malformed' && !decision.isApi) {
    return new Response(null, { status: 302, headers: { location: decision.location, 'cache-control': 'no-store' } });
  }
  const problem = problemOf(decision);
  return new Response(method === 'HEAD' ? null : JSON.stringify(problem), {
    status: problem.status,
    headers: { [edgeHeaders.contentType]: 'application/problem+json', 'cache-control': 'no-store' },
  });
}

function problemOf(decision: Exclude<Decision, { status: 'pass' }>) {
  switch (decision.status) {
    case 'malformed':
      return { code: 'MALFORMED_PATH', status: 400, title: 'The path is not valid' };
    case 'wait':
      return {
        code: 'WAITING_ROOM_REQUIRED',
        status: 403,
        title: 'The waiting room is open for this event',
        redirectTo: decision.location,
      };
    case 'enter':
      return {
        code: 'ENTRY_TOKEN_REQUIRED',
        status: 403,
        title: 'Your turn has not come yet',
        redirectTo: decision.location,
      };
  }
}
