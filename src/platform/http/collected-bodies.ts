import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Fault, platformErrors } from '../errors.ts';

/** Collects bodies that are forwarded or are files, however slowly they come, within a bound for all of them together. */
export interface CollectedBodies {
  collect(call: IncomingBody): void;
  /** Of all bodies that are arriving, or there and not yet answered. */
  readonly heldBytes: number;
}

export interface IncomingBody {
  readonly stream: Readable;
  readonly limitBytes: number;
  /** By Content-Length; undefined: in chunks. */
  readonly declaredBytes: number | undefined;
  /** Called once. */
  done(fault: Fault | null, body: Buffer | null): void;
  /** Calls back when the body is no longer needed. */
  onOver(release: () => void): void;
}

type GiveUp = (fault: Fault) => void;

/** Of one door (the gateway's forwarded calls, or the files that a role takes): eight halls of the largest size, two files of layouts, or a thousand slow senders of ordinary calls. */
const heldBytesMaxDefault = 64 * 1024 * 1024;
const firstBytes = 4 * 1024;

/**
 * When there is no room for more, bodies that have been arriving for longer than this one are given up: an honest caller's
 * is there within moments, and nobody can keep others out by beginning many bodies and ending none. How long one may take
 * at all is for the server's request timeout to say.
 */
export function createCollectedBodies({ heldBytesMax = heldBytesMaxDefault } = {}): CollectedBodies {
  let heldBytes = 0;
  /** In the order in which they began. */
  const arriving = new Set<GiveUp>();

  /** Grows by doubling, so that a byte at a time costs no more than all at once, and a length alone takes no room. */
  function makeRoom(buffer: Buffer, bytes: number, limitBytes: number, self: GiveUp): Buffer | null {
    if (bytes <= buffer.length) return buffer;
    const grown = Math.min(limitBytes, Math.max(bytes, 2 * buffer.length, firstBytes));
    const moreBytes = grown - buffer.length;
    for (const giveUp of arriving) {
      if (giveUp === self || heldBytes + moreBytes <= heldBytesMax) break;
      giveUp(platformErrors.fault('REQUEST_TIMEOUT'));
    }
    if (heldBytes + moreBytes > heldBytesMax) return null;
    heldBytes += moreBytes;
    const larger = Buffer.allocUnsafe(grown);
    buffer.copy(larger);
    return larger;
  }

  return {
    get heldBytes() {
      return heldBytes;
    },
    collect({ stream, limitBytes, declaredBytes, done, onOver }) {
      let buffer: Buffer = nothing;
      let bytes = 0;
      const release = () => {
        heldBytes -= buffer.length;
        buffer = nothing;
      };
      const settle = (fault: Fault | null) => {
        if (!arriving.delete(giveUp)) return;
        stream.off('data', add).off('end', end).off('error', broken).off('close', broken);
        // What still comes is read and dropped, or the refusal could not be read either.
        stream.on('error', () => undefined).resume();
        if (fault === null) return done(null, buffer.subarray(0, bytes));
        release();
        done(fault, null);
      };
      const giveUp: GiveUp = (fault) => settle(fault);
      const add = (chunk: Buffer) => {
        if (bytes + chunk.length > limitBytes) return settle(platformErrors.fault('PAYLOAD_TOO_LARGE'));
        const room = makeRoom(buffer, bytes + chunk.length, limitBytes, giveUp);
        if (room === null) return settle(platformErrors.fault('ROLE_UNAVAILABLE', { detail: 'Too many bodies wait.' }));
        buffer = room;
        bytes += chunk.copy(buffer, bytes);
      };
      const end = () => {
        const whole = declaredBytes === undefined || declaredBytes === bytes;
        settle(whole ? null : platformErrors.fault('MALFORMED_BODY'));
      };
      const broken = () => settle(platformErrors.fault('MALFORMED_BODY'));
      arriving.add(giveUp);
      onOver(release);
      if (declaredBytes !== undefined && declaredBytes > limitBytes)
        return settle(platformErrors.fault('PAYLOAD_TOO_LARGE'));
      stream.on('data', add).on('end', end).on('error', broken).on('close', broken);
    },
  };
}

const nothing: Buffer = Buffer.alloc(0);

const releases = new WeakMap<FastifyRequest, () => void>();

/**
 * Behind the content type parser that hands the stream on, and before anything that measures how long the answer takes. The body is
 * needed until the answer begins, whatever it is. The answer's end is too late: it may be queued behind a stream that has none.
 */
export function collectBodies(app: FastifyInstance, bodies: CollectedBodies): void {
  app.addHook('preValidation', (request, reply, done) => {
    const stream = request.body as Readable | null | undefined;
    if (stream === null || stream === undefined) return done();
    collectBody(bodies, request, stream, (fault, body) => {
      // The rest of the body may still be on its way, and would be taken for the next request.
      if (fault !== null) reply.header('connection', 'close');
      request.body = body;
      done(fault ?? undefined);
    });
  });
  releaseWhenAnswered(app);
}

/** One whose body is over with its answer: see `releaseWhenAnswered`. */
export function collectBody(
  bodies: CollectedBodies,
  request: FastifyRequest,
  stream: Readable,
  done: IncomingBody['done'],
): void {
  const length = request.raw.headers['content-length'];
  bodies.collect({
    stream,
    limitBytes: request.routeOptions.bodyLimit,
    declaredBytes: length === undefined ? undefined : Number(length),
    done,
    onOver: (release) => releases.set(request, release),
  });
}

export function releaseWhenAnswered(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, _payload, done) => {
    releaseBody(request);
    done();
  });
}

/** Also for those who get no answer any more. */
export function releaseBody(request: FastifyRequest): void {
  const release = releases.get(request);
  if (release === undefined) return;
  releases.delete(request);
  request.body = null;
  release();
}
