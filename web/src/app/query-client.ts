import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from '../api/problem.ts';
import { whenSignedInElsewhere } from './session-hint.ts';

const retriesMax = 2;
const delayMaxMs = 10_000;

export function createQueryClient(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: { queries: { staleTime: 15_000, retry: worthRetrying, retryDelay } },
  });
  // What was read as somebody else, or refused to nobody, is not what this user is shown: a kept 401 would send them to sign in for ever.
  whenSignedInElsewhere(() =>
    queries.removeQueries({ type: 'inactive', predicate: ({ queryKey: [of] }) => of !== 'me' }),
  );
  return queries;
}

/** What failed on the way, or because somebody was busy. An answer that is simply no stays no. */
function worthRetrying(failures: number, error: Error): boolean {
  if (failures >= retriesMax || !(error instanceof ApiProblem)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500;
}

/** As long as the server asks; spread out, so that a crowd that failed together does not return together. */
function retryDelay(failures: number, error: Error): number {
  const asked = error instanceof ApiProblem ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.min(delayMaxMs, Math.max(asked, 400 * 2 ** failures) * (1 + Math.random() / 2));
}
