import type { FastifyInstance } from 'fastify';
import { platformErrors } from '../errors.ts';
import { type CollectedBodies, collectBody, releaseWhenAnswered } from './collected-bodies.ts';
import { provesBody, unproven } from './signed-body.ts';

/** In a scope of its own: bodies of these media types are files, and reach the handler as the bytes they are. */
export function takeFileBodies(
  scope: FastifyInstance,
  { mediaTypes, bodies }: { mediaTypes: readonly string[]; bodies: CollectedBodies },
): void {
  scope.removeAllContentTypeParsers();
  // A file is large: without a bound for all of them together a few senders who never end would take the memory of the process.
  scope.addContentTypeParser([...mediaTypes], (request, stream, done) =>
    collectBody(bodies, request, stream, (fault, body) => {
      if (fault !== null || body === null) return done(fault ?? platformErrors.fault('MALFORMED_BODY'));
      if (!provesBody(request.raw, body)) return done(unproven());
      done(null, body);
    }),
  );
  releaseWhenAnswered(scope);
  scope.addHook('onSend', (request, reply, _payload, done) => {
    // The rest of the body may still be on its way, and would be taken for the next request.
    if (!request.raw.complete) reply.header('connection', 'close');
    done();
  });
  scope.addHook('preHandler', (request, _reply, done) => {
    done(Buffer.isBuffer(request.body) ? undefined : platformErrors.fault('MALFORMED_BODY'));
  });
}
