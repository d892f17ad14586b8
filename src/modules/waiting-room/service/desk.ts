import type { Receipt } from '#edge/draw/published.ts';
import type { Clock } from '#platform/clock.ts';
import { isoTime } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';
import type { WaitingRoomDeps } from '../deps.ts';
import { type Branding, plainBranding } from '../domain/branding.ts';
import type { RoomDraw } from '../domain/draw.ts';
import { lineOf, numberAt } from '../domain/lines.ts';
import { nextPollSeconds } from '../domain/next-poll.ts';
import { phaseOf, presentDraw, rateOf, requestEndsAtMs } from '../domain/room.ts';
import type { DrawDesk, Taken } from '../draw/desk.ts';
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
  /** What `check` says of somebody whose turn is not near, at once; null: of anybody else. */
  waiting(eventId: string, requestId: string): Place | null;
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
  /** Null: nobody is signed in. */
  readonly userId: string | null;
  readonly proof: unknown;
}

export interface Standing {
  readonly room: KnownRoom;
  readonly request: RequestId;
  /** Null, both: an entry of a draw that has not been revealed. */
  readonly number: number | null;
  readonly line: number | null;
}

export interface Place {
  readonly requestId: string;
  readonly era: number;
  /** The number; null, as line and ahead: the draw has yet to give it. */
  readonly position: number | null;
  readonly line: number | null;
  readonly ahead: number | null;
  /** In a draw, from 0. */
  readonly entry: number | null;
  readonly servingCounter: number;
  readonly servingLine: number;
  readonly estimatedWait: number | null;
  readonly nextPoll: number;
  readonly endsAtMs: number;
  /** Told once, to the browser that entered: nobody else has it. */
  readonly receipt?: Receipt;
}

export type Checked =
  | { readonly admitted: false; readonly place: Place }
  | { readonly admitted: true; readonly place: Place; readonly token: { token: string; expiresAt: number } };

export type RoomStatus = ReturnType<typeof statusOf>;

/** So near their turn the counters are asked, since the status document may be newer than what this process knows. */
const nearSeconds = 3;
const nearPlaces = 50;
const visitorBytes = 12;
const takesMax = 3;

export function createDesk(
  deps: Pick<WaitingRoomDeps, 'clock' | 'random' | 'config' | 'vwrTokens'> & {
    counters: Counters;
    rooms: Rooms;
    epochs: Epochs;
    numbers: Numbers;
    drawDesk: DrawDesk;
    requestIds: RequestIds;
    proofs: Proofs;
  },
): Desk {
  const { clock, random, config, counters, rooms, epochs, numbers, drawDesk, requestIds, proofs, vwrTokens } = deps;
  const usual = config.ratePerSecond;

  function open(eventId: string, text: string): Standing | null {
    const request = requestIds.open(text);
    const room = rooms.get(eventId);
    if (request === null || room === null || request.eventId !== eventId) return null;
    if (clock.now() >= requestEndsAtMs(room, request.issuedAtMs)) return null;
    const number = drawDesk.numberOf(room, request);
    if (number === 'refused') return null;
    if (number === 'drawing') return { room, request, number: null, line: null };
    const line = lineOf(room.segments, { era: request.era, number });
    return line === null ? null : { room, request, number, line };
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

  const isServed = ({ room, line }: Standing) => !room.isActive || (line !== null && line <= room.servingLine);

  function isNear({ room, line }: Standing): boolean {
    const rate = room.measuredRate ?? rateOf(room, { nowMs: clock.now(), usual });
    return line !== null && line <= room.servingLine + rate * nearSeconds + nearPlaces;
  }

  function placeOf(standing: Standing, requestId: string): Place {
    const { room, request, number, line } = standing;
    const ahead = line === null ? null : Math.max(0, line - room.servingLine - 1);
    const servingCounter = numberAt(room.segments, { era: request.era, line: room.servingLine });
    return {
      requestId,
      era: request.era,
      position: number,
      line,
      ahead,
      entry: request.entry,
      servingCounter,
      servingLine: room.servingLine,
      estimatedWait: isServed(standing) ? 0 : waitOf(room, ahead, { clock, usual }),
      nextPoll: nextPollSeconds(ahead, random.fraction()),
      endsAtMs: requestEndsAtMs(room, request.issuedAtMs),
    };
  }

  /** A number, or an entry while the draw takes them. What this process knows of the room may be a second old. */
  async function take(
    eventId: string,
    by: { userId: string | null; proof: string | null },
  ): Promise<Taken | 'off' | 'used-proof'> {
    const visitor = visitorId(random);
    for (let tried = 0; tried < takesMax; tried++) {
      const room = rooms.get(eventId);
      if (room?.isActive !== true) return 'off';
      const entered = await drawDesk.enter(room, { visitor, ...by });
      if (entered !== null && entered !== 'over') return entered;
      const given = entered === null ? await numbers.next(eventId, by.proof) : 'off';
      if (given === 'used-proof') return given;
      if (given !== 'off') {
        const request = { eventId, ...given, entry: null, visitor, issuedAtMs: clock.now() };
        return { request, receipt: null };
      }
      await rooms.reload(eventId);
    }
    return 'off';
  }

  return {
    open,

    challenge(eventId) {
      const digits = rooms.get(eventId)?.proofDigits ?? null;
      return digits === null ? null : proofs.challenge(eventId, digits);
    },

    async assign({ eventId, kept, userId, proof }) {
      const room = rooms.get(eventId);
      if (room?.isActive !== true) return 'off';
      for (const text of kept) {
        const standing = open(eventId, text);
        if (standing !== null) return placeOf(standing, text);
      }
      drawDesk.refuse(room, userId);
      const verdict = room.proofDigits === null ? null : proofs.verify(eventId, proof);
      if (verdict === 'missing') return 'proof-required';
      if (verdict === 'refused') return 'proof-refused';
      const taken = await take(eventId, { userId, proof: verdict?.name ?? null });
      if (taken === 'off') return 'off';
      if (taken === 'used-proof') return 'proof-refused';
      const requestId = requestIds.seal(taken.request);
      const standing = open(eventId, requestId);
      // Switched off and forgotten since.
      if (standing === null) return 'off';
      return { ...placeOf(standing, requestId), ...(taken.receipt !== null && { receipt: taken.receipt }) };
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
      const { era, entry, visitor } = standing.request;
      // An entry that was never drawn is let on when the room is switched off: in the order of arrival, which no drawn number shares.
      const [pos, name] =
        standing.number === null ? [(entry ?? 0) + 1, `e${entry}`] : [standing.number, standing.number];
      const claims = { sub: eventId, uid: visitor, pos, era, tier: 1, jti: `${era}.${name}` } as const;
      return { admitted: true, place, token: vwrTokens.sign(claims) };
    },

    waiting(eventId, requestId) {
      const standing = open(eventId, requestId);
      if (standing === null || isServed(standing) || isNear(standing)) return null;
      return placeOf(standing, requestId);
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
  const draw = presentDraw(room);
  const entered = draw !== null && draw.frozenAtMs === null ? draw.entries : 0;
  return {
    eventId,
    isActive,
    totalInQueue: givenSeen + entered,
    serving: numberAt(segments, { era, line: servingLine }),
    servingLine,
    waitingCount: Math.max(0, lastLine - servingLine) + entered,
    rate: speedOf(room, { clock, usual }),
    phase: phaseOf(room, clock.now()),
    opensAt: opensAtMs === null ? null : isoTime(opensAtMs),
    soldOut: room.soldOut,
    message,
    // After a loss numbers go on elsewhere; those of the draw stay where they were.
    draw: draw && drawIn(draw, { lineOffset: (lineOf(segments, { era, number: 1 }) ?? 1) - 1 }),
  };
}

/** All that a page needs to reckon its number, and a stranger to see that nothing was changed. */
function drawIn(draw: RoomDraw, { lineOffset }: { lineOffset: number }) {
  const { era, commitment, beacon, signInRequired, entries, head, frozenAtMs, round, seed, voidReason } = draw;
  const frozenAt = frozenAtMs === null ? null : isoTime(frozenAtMs);
  return {
    era,
    commitment,
    beacon,
    signInRequired,
    entries,
    head,
    frozenAt,
    round,
    seed,
    lineOffset,
    void: voidReason,
  };
}

/** People a second: measured, else as configured. */
function speedOf(room: KnownRoom, { clock, usual }: { clock: Clock; usual: number }): number {
  const configured = rateOf(room, { nowMs: clock.now(), usual });
  const speed = configured === 0 ? 0 : (room.measuredRate ?? configured);
  return Math.round(speed * 100) / 100;
}

/** Seconds; null: nobody can say while the line stands still. */
function waitOf(room: KnownRoom, ahead: number | null, at: { clock: Clock; usual: number }): number | null {
  const speed = speedOf(room, at);
  return speed <= 0 || ahead === null ? null : Math.ceil((ahead + 1) / speed);
}

function visitorId(random: Random): string {
  return random.bytes(visitorBytes).toString('base64url');
}
