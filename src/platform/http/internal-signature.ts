import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { createTextMac } from '../tokens/text-mac.ts';
import { enforceEntry, holdSlots } from './entry.ts';
import { type EntrySlot, type Identity, isRole } from './identity.ts';
import { internalHeaders as headerNames } from './names.ts';
import { createReplayGuard } from './replay-guard.ts';
import { bodyDigest, expectBody, missesBody, unproven } from './signed-body.ts';

/** Who stands behind a call between processes of this installation. */
export interface InternalCaller {
  readonly user: Identity | null;
  /** That the user holds, as the gateway verified. */
  readonly slots: readonly EntrySlot[];
  /** Of the outside caller, as the gateway judged it; null when no one outside stands behind the call. */
  readonly address: string | null;
}

/**
 * Proves that a call comes from another process that knows URR_INTERNAL_SECRET, and makes it good for one use. Covers method,
 * path with query, the role that is called, time, body, user, slots and address. Each process remembers the calls that it has taken;
 * another process of the same role has not seen them, so within `validMs` a call that was overheard can be played once to
 * each of those. Other headers (cookies, content type) are not covered: they say nothing that this process would have to believe.
 */
export interface InternalSignature {
  sign(call: InternalCallFacts): Record<string, string>;
  /**
   * Null: no signature, a wrong one, one for another role, one made too long ago, or one that was used before. The body of
   * a call that stands is held to the signature when it is there (`signed-body.ts`).
   */
  verify(request: SignedRequest): InternalCaller | null;
}

/** The incoming message itself, which its body is later compared for. */
export type SignedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

export interface InternalCallFacts extends Omit<InternalCaller, 'address'> {
  /** The module that is called. */
  readonly role: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | Uint8Array | null;
  readonly address?: string | null;
}

const internalHeaders: readonly string[] = Object.values(headerNames);

/** Before and after this clock: for clocks that differ, and for a process that is too busy to look at once. */
const validMs = 15_000;
/** Of calls that are remembered, twice. At 5,000 calls a second a generation is full after twenty seconds. */
const generationMax = 100_000;
const slotsMax = 16;

/** The first secret signs, all verify. `roles`: the modules of this process, which take the calls that are for them. */
export function createInternalSignature(options: {
  secrets: readonly string[];
  clock: Clock;
  roles: readonly string[];
}): InternalSignature {
  const { clock } = options;
  const roles = new Set(options.roles);
  const macs = options.secrets.map((secret) => createTextMac({ secret, purpose: 'urr internal call' }));
  const [signing] = macs;
  if (signing === undefined) throw new Error('no internal secret');
  const replays = createReplayGuard({ clock, validMs, generationMax });
  const nextNonce = createNonces();
  return {
    sign({ role, method, path, body, user, slots, address = null }) {
      const headers: Record<string, string> = {};
      if (user !== null) {
        headers[headerNames.userId] = user.userId;
        // Header values are Latin-1; an address may be anything.
        headers[headerNames.email] = encodeURIComponent(user.email);
        headers[headerNames.role] = user.role;
      }
      if (slots.length > 0) headers[headerNames.slots] = slots.slice(0, slotsMax).map(writeSlot).join(',');
      if (address !== null) headers[headerNames.address] = address;
      const call = `${clock.now()}.${nextNonce()}.${role}.${bodyDigest(body)}`;
      headers[headerNames.signature] = `${call}.${signing.of(signedText(method, path, call, headers))}`;
      return headers;
    },
    verify(request) {
      const { method = '', url = '', headers } = request;
      const given = headers[headerNames.signature];
      if (typeof given !== 'string') return null;
      // By position, for each call pays for it: time, nonce, role, digest of the body, MAC.
      const timeEnd = given.indexOf('.');
      const nonceEnd = given.indexOf('.', timeEnd + 1);
      const roleEnd = given.indexOf('.', nonceEnd + 1);
      const callEnd = given.lastIndexOf('.');
      if (roleEnd <= nonceEnd || callEnd <= roleEnd || !roles.has(given.slice(nonceEnd + 1, roleEnd))) return null;
      const signedAtMs = Number(given.slice(0, timeEnd));
      if (!(Math.abs(clock.now() - signedAtMs) <= validMs)) return null;
      const text = signedText(method, url, given.slice(0, callEnd), headers);
      if (!macs.some((mac) => mac.stands(text, given, callEnd + 1))) return null;
      if (!replays.firstUse(given.slice(timeEnd + 1, nonceEnd), signedAtMs)) return null;
      // A read has no body (`request-framing.ts`), and most calls are reads.
      if (method !== 'GET') expectBody(request, given.slice(roleEnd + 1, callEnd));
      return readCaller(headers);
    },
  };
}

/**
 * Unique without drawing randomness for each: 48 bits for this process, and a count. Nobody needs to be kept from guessing
 * it. Short, because it is what the receiver remembers.
 */
function createNonces(): () => string {
  const process = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${process}${(count++).toString(36)}`;
}

/** Removes what only the inside may say. Deleting is done only where there is something: it makes the headers a slow object. */
export function stripInternalHeaders(headers: IncomingHttpHeaders): void {
  for (const name of internalHeaders) {
    if (headers[name] !== undefined) delete headers[name];
  }
}

/**
 * For a process without the gateway: believes X-User-* and slots with a valid signature, and takes anyone else
 * as anonymous. Call it before routes are registered.
 */
export function trustInternalSignature(app: FastifyInstance, { signature }: { signature: InternalSignature }): void {
  enforceEntry(app);
  app.express.guardBy(() => ({
    // Of the user whom the call proves to be of, the signature adds nothing; of another one, the hook below has to look at it.
    mayBe: ({ headers }, userId) => (headers[headerNames.userId] ?? userId) === userId,
    // Nothing is counted here. Whose call it is can only be said of one that names nobody.
    countedOf: ({ headers }) => (headers[headerNames.userId] === undefined ? nobody : null),
    pass: () => true,
    takeBack: () => undefined,
  }));
  app.addHook('onRequest', (request, _reply, done) => {
    const { url = '', headers } = request.raw;
    // Internal calls check their own signature and need the headers for it.
    if (url.startsWith('/internal/')) return done();
    const caller = signature.verify(request.raw);
    request.user = caller?.user ?? null;
    if (caller !== null && caller.slots.length > 0) holdSlots(request, caller.slots);
    // Otherwise all callers would share the gateway's address, and one who guesses passwords would lock out everybody.
    if (typeof caller?.address === 'string') Object.defineProperty(request, 'ip', { value: caller.address });
    stripInternalHeaders(headers);
    done();
  });
  // A body in another form than JSON, or none at all, has not been compared with what was signed.
  app.addHook('preValidation', (request, _reply, done) => done(missesBody(request.raw) ? unproven() : undefined));
}

const nobody = { userId: undefined, countedAs: '' } as const;

/** No part can hold a line feed, so two different calls never make one text. */
function signedText(method: string, path: string, call: string, headers: IncomingHttpHeaders): string {
  const { userId, email, role, slots, address } = headerNames;
  return `${method}\n${path}\n${call}\n${headers[userId] ?? ''}\n${headers[email] ?? ''}\n${headers[role] ?? ''}\n${
    headers[slots] ?? ''
  }\n${headers[address] ?? ''}`;
}

function readCaller(headers: IncomingHttpHeaders): InternalCaller {
  const userId = headers[headerNames.userId];
  const email = headers[headerNames.email];
  const role = headers[headerNames.role];
  const slots = headers[headerNames.slots];
  const address = headers[headerNames.address];
  const user =
    typeof userId === 'string' && typeof email === 'string' && typeof role === 'string' && isRole(role)
      ? { userId, email: decodeURIComponent(email), role }
      : null;
  return {
    user,
    slots: typeof slots === 'string' && slots !== '' ? slots.split(',').map(readSlot) : [],
    address: typeof address === 'string' ? address : null,
  };
}

/** Encoded, so that whatever stands in a token cannot be read as two of them. */
function writeSlot({ eventId, slotId }: EntrySlot): string {
  return `${encodeURIComponent(eventId)}=${encodeURIComponent(slotId)}`;
}

function readSlot(text: string): EntrySlot {
  const equals = text.indexOf('=');
  return { eventId: decodeURIComponent(text.slice(0, equals)), slotId: decodeURIComponent(text.slice(equals + 1)) };
}
