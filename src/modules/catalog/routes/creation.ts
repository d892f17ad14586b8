import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { platformErrors } from '#platform/errors.ts';
import type { RouteContract } from '#platform/http/contract.ts';
import type { Identity } from '#platform/http/identity.ts';
import { answerHeaders, callerHeaders } from '#platform/http/names.ts';
import { idempotencyKeyPattern, runIdempotent } from '#platform/idempotency.ts';
import type { Database, Transaction } from '#platform/postgres/database.ts';

interface CreationRequest {
  readonly user: Identity;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

const keyForm = new RegExp(idempotencyKeyPattern);

/** Runs the work once per Idempotency-Key, or simply once when there is none. */
export async function createOnce<Body>(
  {
    database,
    contract,
    request,
    reply,
  }: {
    database: Database;
    contract: RouteContract;
    request: CreationRequest;
    reply: FastifyReply;
  },
  work: (tx: Transaction) => Promise<Body>,
): Promise<Body> {
  const key = request.headers[callerHeaders.idempotencyKey];
  if (key === undefined) return database.transaction(work);
  if (typeof key !== 'string' || !keyForm.test(key)) {
    const field = `headers.${callerHeaders.idempotencyKey}`;
    const message = 'must be 1 to 200 visible ASCII characters';
    throw platformErrors.fault('VALIDATION_FAILED', {
      detail: `${field} ${message}`,
      extensions: { errors: [{ field, message }] },
    });
  }
  const { method, path: route } = contract;
  const scope = { userId: request.user.userId, method, route, key, body: request.body };
  const answer = await runIdempotent(database, scope, async (tx) => ({ status: 201, body: await work(tx) }));
  if (answer.replayed) reply.header(answerHeaders.idempotentReplayed, 'true');
  return answer.body;
}
