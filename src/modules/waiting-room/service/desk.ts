import type { Clock } from '#platform/clock.ts';
import { isoTime } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';
import type { WaitingRoomDeps } from '../deps.ts';
import { type Branding, plainBranding } from '../domain/branding.ts';
import { lineOf, numberAt } from '../domain/lines.ts';
import { nextPollSeconds } from '../domain/next-poll.ts';
import { phaseOf, rateOf, requestEndsAtMs } from '../domain/room.ts';
import type { Counters } from '../ports.ts';
import type { Epochs } from './epochs.ts';
import type { Numbers } from './numbers.ts';
import type { Challenge, Proofs } from './proofs.ts';
import type { RequestId, RequestIds } from './request-ids.ts';
import type { KnownRoom, Rooms } from './rooms.ts';

/** What visitors see: take a number, look how far the line is, get the token when it is served. */
export interface Desk {
  assign(call: AssignCall): Promise<Place | 'off' | 'proof-required' | 'proof-refused'>;
  /** A challenge for a proof of work; null: none is asked for. */
  challenge(eventId: string): Challenge | null;
  check(eventId: string, requestId: string): Promise<Checked | 'refused'>;
  /** Null: there is no such room. */
  status(eventId: string): RoomStatus | null;
  /** How the page looks; null: there is no such room. */
  branding(eventId: string): Branding | null;
  /** A requestId that is still good, with its place in line. */
  open(eventId: string, requestId: string): Standing | null;
}

export interface AssignCall {
  readonly eventId: string;
  /** The requestIds that this browser has shown. The first good one is answered again. */
  readonly kept: readonly string[];
  readonly proof: unknown;
}

export interface Standing {
  readonly room: KnownRoom;
  readonly request: RequestId;
  readonly line: number;
}

export interface Place {
  readonly requestId: string;
  readonly position: number;
  readonly line: number;
  readonly ahead: number;
  readonly servingCounter: number;
  readonly servingLine: number;
  readonly estimatedWait: number | null;
  readonly nextPoll: number;
  readonly endsAtMs: number;
}

export type Checked =
  | { readonly admitted: false; readonly place: Place }
  | { readonly admitted: true; readonly place: Place; readonly token: { token: string; expiresAt: number } };

export type RoomStatus = ReturnType<typeof statusOf>;

/** So near their turn the counters are asked, since the status document may be newer than what this process knows. */
const nearSeconds = 3;
const nearPlaces = 50;
const visitorBytes = 12;

export function createDesk(
  deps: Pick<WaitingRoomDeps, 'clock' | 'random' | 'config' | 'vwrTokens'> & {
    counters: Counters;
    rooms: Rooms;
    epochs: Epochs;
    numbers: Numbers;
    requestIds: RequestIds;
    proofs: Proofs;
  },
): Desk {
  const { clock, random, config, counters, rooms, epochs, numbers, requestIds, proofs, vwrTokens } = deps;
  const usual = config.ratePerSecond;

  function open(eventId: string, text: string): Standing | null {
    const request = requestIds.open(text);
    const room = rooms.get(eventId);
    if (request === null || room === null || request.eventId !== eventId) return null;
    if (clock.now() >= requestEndsAtMs(room, request.issuedAtMs)) return null;
    const line = lineOf(room.segments, request);
    return line === null ? null : { room, request, line };
  }

  const looking = new Map<string, Promise<unknown>>();

  /** One look serves all who ask meanwhile. What it cannot tell stays as it was known. */
  function lookAgain(eventId: string): Promise<unknown> {
    const running = looking.get(eventId);
    if (running !== undefined) return running;
    const started = epochs
      .withCounters(eventId, (room) =>
        counters.read({ eventId, epoch: room.epoch }).then((read) => {
          if (read.status === 'ok') rooms.saw(eventId, room.epoch, read);
          return read;
        }),
      )
      .catch(() => undefined)
      .finally(() => looking.delete(eventId));
    looking.set(eventId, started);
    return started;
  }

  const isServed = ({ room, line }: Standing) => !room.isActive || line <= room.servingLine;

  function isNear({ room, line }: Standing): boolean {
    const rate = room.measuredRate ?? rateOf(room, { nowMs: clock.now(), usual });
    return line <= room.servingLine + rate * nearSeconds + nearPlaces;
  }

  function placeOf(standing: Standing, requestId: string): Place {
    const { room, request, line } = standing;
    const ahead = Math.max(0, line - room.servingLine - 1);
    const servingCounter = numberAt(room.segments, { era: request.era, line: room.servingLine });
    return {
      requestId,
      position: request.number,
      line,
      ahead,
      servingCounter,
      servingLine: room.servingLine,
      estimatedWait: isServed(standing) ? 0 : waitOf(room, ahead, { clock, usual }),
      nextPoll: nextPollSeconds(ahead, random.fraction()),
      endsAtMs: requestEndsAtMs(room, request.issuedAtMs),
    };
  }

  return {
    open,

    challenge(eventId) {
      const digits = rooms.get(eventId)?.proofDigits ?? null;
      return digits === null ? null : proofs.challenge(eventId, digits);
    },

    async assign({ eventId, kept, proof }) {
      const room = rooms.get(eventId);
      if (room?.isActive !== true) return 'off';
      for (const text of kept) {
        const standing = open(eventId, text);
        if (standing !== null) return placeOf(standing, text);
      }
      const verdict = room.proofDigits === null ? null : proofs.verify(eventId, proof);
      if (verdict === 'missing') return 'proof-required';
      if (verdict === 'refused') return 'proof-refused';
      const given = await numbers.next(eventId, verdict?.name ?? null);
      if (given === 'used-proof') return 'proof-refused';
      if (given === 'off') return 'off';
      const request = { eventId, ...given, visitor: visitorId(random), issuedAtMs: clock.now() };
      const requestId = requestIds.seal(request);
      const standing = open(eventId, requestId);
      // Switched off and forgotten since.
      return standing === null ? 'off' : placeOf(standing, requestId);
    },

    async check(eventId, requestId) {
      let standing = open(eventId, requestId);
      if (standing === null) return 'refused';
      if (!isServed(standing) && isNear(standing)) {
        await lookAgain(eventId);
        standing = open(eventId, requestId) ?? standing;
      }
      const place = placeOf(standing, requestId);
      if (!isServed(standing)) return { admitted: false, place };
      const { era, number, visitor } = standing.request;
      const claims = { sub: eventId, uid: visitor, pos: number, era, tier: 1, jti: `${era}.${number}` } as const;
      return { admitted: true, place, token: vwrTokens.sign(claims) };
    },

    branding(eventId) {
      const room = rooms.get(eventId);
      return room === null ? null : (room.branding ?? plainBranding);
    },

    status(eventId) {
      const room = rooms.get(eventId);
      return room === null ? null : statusOf(room, { clock, usual });
    },
  };
}

/** The same for everybody: pages watch this document and reckon the rest by themselves. */
function statusOf(room: KnownRoom, { clock, usual }: { clock: Clock; usual: number }) {
  const { eventId, isActive, era, segments, servingLine, lastLine, opensAtMs, message, givenSeen } = room;
  return {
    eventId,
    isActive,
    totalInQueue: givenSeen,
    serving: numberAt(segments, { era, line: servingLine }),
    servingLine,
    waitingCount: Math.max(0, lastLine - servingLine),
    rate: speedOf(room, { clock, usual }),
    phase: phaseOf(room, clock.now()),
    opensAt: opensAtMs === null ? null : isoTime(opensAtMs),
    soldOut: room.soldOut,
    message,
  };
}

/** People a second: measured, else as configured. */
function speedOf(room: KnownRoom, { clock, usual }: { clock: Clock; usual: number }): number {
  const configured = rateOf(room, { nowMs: clock.now(), usual });
  const speed = configured === 0 ? 0 : (room.measuredRate ?? configured);
  return Math.round(speed * 100) / 100;
}

/** Seconds; null: nobody can say while the line stands still. */
function waitOf(room: KnownRoom, ahead: number, at: { clock: Clock; usual: number }): number | null {
  const speed = speedOf(room, at);
  return speed <= 0 ? null : Math.ceil((ahead + 1) / speed);
}

function visitorId(random: Random): string {
  return random.bytes(visitorBytes).toString('base64url');
}
