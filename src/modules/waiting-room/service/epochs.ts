import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '#platform/assert.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Database, Transaction } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { lastToldLine, nextEpoch, nextEra, presentSegment, type Segment } from '../domain/lines.ts';
import { boundLead, type Room } from '../domain/room.ts';
import type { BeginCall, Counters, NotThis, Superseded } from '../ports.ts';
import { lockRoom, markBegun, raiseEpoch } from '../storage/rooms.ts';
import type { KnownRoom, Rooms } from './rooms.ts';

/**
 *   epoch 1, not begun ──begin──▶ begun ──lost, or another era──▶ epoch 2, not begun ──▶ …
 *
 * An epoch has numbers that no other one has: from the bound of the one before it (or 1 in a new era) up to its own. It is begun
 * once, by the process that raised it. Should that process stop in between, the next one raises the epoch again: some numbers
 * are then never given, and nobody waits for them.
 */
export interface Epochs {
  /** In the transaction of an operator's act: numbers begin anew in this era. `begin` comes after its commit. */
  raiseEra(tx: Transaction, room: Room, call: { era: number; serveAll: boolean }): Promise<BeginCall>;
  /** The draw is frozen: its entries have the numbers 1 … N of the era, and those who come later the ones behind. */
  raiseBehindDraw(tx: Transaction, room: Room, entries: number): Promise<BeginCall>;
  begin(call: BeginCall): Promise<void>;
  /** Asks the counters; when they are not those of the present epoch, finds out which is, and brings it back if it was lost. */
  withCounters<Answer extends { readonly status: string }>(
    eventId: string,
    ask: (room: KnownRoom) => Promise<Answer | NotThis>,
  ): Promise<Exclude<Answer, NotThis> | { readonly status: 'off' }>;
}

const triesMax = 30;
const retryMs = 100;

export function createEpochs(deps: {
  database: Database;
  counters: Counters;
  rooms: Rooms;
  logger: Logger;
  onLost: () => void;
}): Epochs {
  const { database, counters, rooms, logger, onLost } = deps;
  const underWay = new Map<string, Promise<void>>();

  async function begin(call: BeginCall): Promise<void> {
    await counters.begin(call);
    await markBegun(database, call);
    await rooms.reload(call.eventId);
  }

  /**
   * Whoever finds the epoch as it was raises it; the others wait until it is there. `behind`: PostgreSQL went back, as after a
   * backup was restored, and the counters know of numbers that it does not.
   */
  async function bringBack(eventId: string, lostEpoch: number, behind?: Superseded): Promise<void> {
    const call = await database.transaction(async (tx) => {
      const room = await lockRoom(tx, eventId);
      if (room === null || room.epoch !== lostEpoch || room.isBeginning) return null;
      const before = presentSegment(room.segments);
      // This process may have seen numbers that were given after the last save.
      const seen = rooms.get(eventId);
      const given = Math.max(room.given, seen?.epoch === room.epoch ? seen.givenSeen : 0);
      const bound = Math.max(room.bound, behind?.bound ?? 0);
      const after = { ...before, epoch: Math.max(before.epoch, behind?.epoch ?? 0) };
      const segment = nextEpoch(after, { given, bound });
      const next = { segment, closedAt: given, bound: segment.first + boundLead(0), serving: room.serving };
      await raiseEpoch(tx, eventId, next);
      return beginCall(eventId, next);
    });
    if (call !== null) {
      onLost();
      logger.warn(
        { eventId, epoch: call.epoch, first: call.first + 1 },
        'the counters of a room were lost and go on behind their bound',
      );
      await begin(call);
      return;
    }
    const room = await rooms.reload(eventId);
    if (room?.isBeginning === true) await delay(retryMs);
  }

  /** Many calls of one process find the counters lost at once; one recovery serves them all. */
  function bringBackOnce(eventId: string, lostEpoch: number, behind?: Superseded): Promise<void> {
    const running = underWay.get(eventId);
    if (running !== undefined) return running;
    const started = bringBack(eventId, lostEpoch, behind).finally(() => underWay.delete(eventId));
    underWay.set(eventId, started);
    return started;
  }

  return {
    async raiseEra(tx, room, { era, serveAll }) {
      const before = room.segments.at(-1) ?? null;
      // Who had a number is served, and so is who was told one that a loss forgot.
      const told = serveAll && before !== null ? lastToldLine(room.segments) - before.lineOffset : 0;
      const given = Math.max(room.given, told, await lastGiven(room));
      const segment = nextEra(before, given, era);
      const serving = serveAll ? segment.lineOffset : room.serving;
      const next = { segment, closedAt: before === null ? null : given, bound: boundLead(0), serving };
      await raiseEpoch(tx, room.eventId, next);
      return beginCall(room.eventId, next);
    },

    async raiseBehindDraw(tx, room, entries) {
      const before = presentSegment(room.segments);
      const { serving } = room;
      // No number of the era was given before its draw; where its line begins stays as it was.
      const line = { era: before.era, last: null, lineOffset: before.lineOffset + before.first };
      const drawn = { ...line, epoch: before.epoch + 1, first: 0 };
      await raiseEpoch(tx, room.eventId, { segment: drawn, closedAt: before.first, bound: entries, serving });
      const later = { ...line, epoch: before.epoch + 2, first: entries };
      const next = { segment: later, closedAt: entries, bound: entries + boundLead(0), serving };
      await raiseEpoch(tx, room.eventId, next);
      return beginCall(room.eventId, next);
    },

    begin,

    async withCounters<Answer extends { readonly status: string }>(
      eventId: string,
      ask: (room: KnownRoom) => Promise<Answer | NotThis>,
    ) {
      let room = rooms.get(eventId);
      for (let tried = 0; tried < triesMax; tried++) {
        if (room === null || !room.isActive) return { status: 'off' } as const;
        const answer = await ask(room);
        // Neither lost nor superseded, which the compiler does not see for a type parameter.
        if (answer.status !== 'lost' && answer.status !== 'superseded') return answer as Exclude<Answer, NotThis>;
        // One of the two, as just checked.
        const other = answer as NotThis;
        if (other.status === 'lost') await bringBackOnce(eventId, room.epoch);
        room = await rooms.reload(eventId);
        // An epoch is raised in PostgreSQL before the counters hear of it.
        if (other.status === 'lost' || room === null || room.epoch >= other.epoch) continue;
        await bringBackOnce(eventId, room.epoch, other);
        room = await rooms.reload(eventId);
      }
      throw platformErrors.fault('STORE_UNAVAILABLE', { detail: 'The waiting room is being brought back.' });
    },
  };

  /** What was given since the last save, as far as it can be known: those numbers then keep places of their own. */
  async function lastGiven({ eventId, epoch, begun }: Room): Promise<number> {
    if (!begun) return 0;
    const read = await counters.read({ eventId, epoch }).catch(() => null);
    if (read?.status === 'ok') return read.given;
    const seen = rooms.get(eventId);
    return seen?.epoch === epoch ? seen.givenSeen : 0;
  }
}

function beginCall(eventId: string, next: { segment: Segment; bound: number; serving: number }): BeginCall {
  const { segment, bound, serving } = next;
  assert(bound > segment.first, 'an epoch has numbers of its own');
  return { eventId, epoch: segment.epoch, first: segment.first, bound, lineOffset: segment.lineOffset, serving };
}
