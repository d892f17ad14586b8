import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { createTextMac } from '../tokens/text-mac.ts';
import { enforceEntry, noEntries } from './entry.ts';
import { type Identity, isRole } from './identity.ts';
import { internalHeaders as headerNames } from './names.ts';

/** Who stands behind a call between processes of this installation. */
export interface InternalCaller {
  readonly user: Identity | null;
  readonly entry: readonly string[];
  /** Of the outside caller, as the gateway judged it; null when no one outside stands behind the call. */
  readonly address: string | null;
}

/**
 * Proves that a call comes from another process that knows URR_INTERNAL_SECRET. Covers method, path with query, time, user,
 * entry events and address. The body is not covered, since the gateway streams it: whoever can change bodies on the internal network
 * must be kept out by TLS or a network policy.
 */
export interface InternalSignature {
  sign(call: InternalCallFacts): Record<string, string>;
  /** Null: no signature, a wrong one, or one made too long ago. */
  verify(call: { method: string; path: string; headers: IncomingHttpHeaders }): InternalCaller | null;
}

export interface InternalCallFacts extends Omit<InternalCaller, 'address'> {
  readonly method: string;
  readonly path: string;
  readonly address?: string | null;
}

const internalHeaders: readonly string[] = Object.values(headerNames);

const skewMaxMs = 60_000;
const entryEventsMax = 16;

/** The first secret signs, all verify. */
export function createInternalSignature(options: { secrets: readonly string[]; clock: Clock }): InternalSignature {
  const { clock } = options;
  const macs = options.secrets.map((secret) => createTextMac({ secret, purpose: 'urr internal call' }));
  const [signing] = macs;
  if (signing === undefined) throw new Error('no internal secret');
  return {
    sign({ method, path, user, entry, address = null }) {
      const headers: Record<string, string> = {};
      if (user !== null) {
        headers[headerNames.userId] = user.userId;
        // Header values are Latin-1; an address may be anything.
        headers[headerNames.email] = encodeURIComponent(user.email);
        headers[headerNames.role] = user.role;
      }
      if (entry.length > 0) headers[headerNames.entry] = entry.slice(0, entryEventsMax).join(',');
      if (address !== null) headers[headerNames.address] = address;
      const time = String(clock.now());
      headers[headerNames.signature] = `${time}.${signing.of(signedText(method, path, time, headers))}`;
      return headers;
    },
    verify({ method, path, headers }) {
      const given = headers[headerNames.signature];
      if (typeof given !== 'string') return null;
      const dot = given.indexOf('.');
      const time = given.slice(0, dot);
      if (!(Math.abs(clock.now() - Number(time)) <= skewMaxMs)) return null;
      const text = signedText(method, path, time, headers);
      const matches = macs.some((mac) => mac.stands(text, given, dot + 1));
      return matches ? readCaller(headers) : null;
    },
  };
}

/** Removes what only the inside may say. Deleting is done only where there is something: it makes the headers a slow object. */
export function stripInternalHeaders(headers: IncomingHttpHeaders): void {
  for (const name of internalHeaders) {
    if (headers[name] !== undefined) delete headers[name];
  }
}

/**
 * For a process without the gateway: believes X-User-* and entry events with a valid signature, and takes anyone else
 * as anonymous. Call it before routes are registered.
 */
export function trustInternalSignature(app: FastifyInstance, { signature }: { signature: InternalSignature }): void {
  enforceEntry(app);
  app.express.guardBy(() => ({
    // Of the user whom the call proves to be of, the signature adds nothing; of another one, the hook below has to look at it.
    mayBe: ({ headers }, userId) => (headers[headerNames.userId] ?? userId) === userId,
    pass: () => noHeaders,
    takeBack: () => undefined,
  }));
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, url = '', headers } = request.raw;
    // Internal calls check their own signature and need the headers for it.
    if (url.startsWith('/internal/')) return done();
    const caller = signature.verify({ method: method ?? '', path: url, headers });
    request.user = caller?.user ?? null;
    if (caller !== null && caller.entry.length > 0) request.entry = caller.entry;
    // Otherwise all callers would share the gateway's address, and one who guesses passwords would lock out everybody.
    if (typeof caller?.address === 'string') Object.defineProperty(request, 'ip', { value: caller.address });
    stripInternalHeaders(headers);
    done();
  });
}

const noHeaders: readonly string[] = [];

/** No part can hold a line feed, so two different calls never make one text. */
function signedText(method: string, path: string, time: string, headers: IncomingHttpHeaders): string {
  const { userId, email, role, entry, address } = headerNames;
  return `${method}\n${path}\n${time}\n${headers[userId] ?? ''}\n${headers[email] ?? ''}\n${headers[role] ?? ''}\n${
    headers[entry] ?? ''
  }\n${headers[address] ?? ''}`;
}

function readCaller(headers: IncomingHttpHeaders): InternalCaller {
  const userId = headers[headerNames.userId];
  const email = headers[headerNames.email];
  const role = headers[headerNames.role];
  const entry = headers[headerNames.entry];
  const address = headers[headerNames.address];
  const user =
    typeof userId === 'string' && typeof email === 'string' && typeof role === 'string' && isRole(role)
      ? { userId, email: decodeURIComponent(email), role }
      : null;
  return {
    user,
    entry: typeof entry === 'string' && entry !== '' ? entry.split(',') : noEntries,
    address: typeof address === 'string' ? address : null,
  };
}
