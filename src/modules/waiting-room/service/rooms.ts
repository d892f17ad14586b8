import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/postgres/database.ts';
import { stageOf } from '../domain/draw.ts';
import { createFlow, type Flow } from '../domain/flow.ts';
import { lastLineOf, presentDraw } from '../domain/room.ts';
import type { CountersRead } from '../ports.ts';
import { currentRooms, type ReadRoom, roomById, wasEverOn } from '../storage/rooms.ts';

/** What this process knows of the rooms: settings from PostgreSQL, counters from their store, both some seconds old at most. */
export interface Rooms {
  get(eventId: string): KnownRoom | null;
  active(): KnownRoom[];
  /** Those with a draw that is not over, also where the room was switched off since. */
  drawing(): KnownRoom[];
  /** Reads one anew. */
  reload(eventId: string): Promise<KnownRoom | null>;
  /** Reads all anew. */
  refresh(): Promise<void>;
  /** The counters were just read. Answers of an epoch that is over are passed over. */
  saw(eventId: string, epoch: number, counted: Partial<CountersRead>): void;
}

export interface KnownRoom extends ReadRoom {
  /** How far the line is served: a place in line. */
  readonly servingLine: number;
  /** The last place in line. */
  readonly lastLine: number;
  /** The last number of the present epoch that this process knows of. */
  readonly givenSeen: number;
  readonly boundSeen: number;
  /** How fast the line was served lately; null: there is no measurement. */
  readonly measuredRate: number | null;
}

interface Entry {
  readonly room: KnownRoom;
  /** The line goes on over eras and losses, and so does what is known of its speed. */
  readonly flow: Flow;
  /** The turn in which it was last read by itself. */
  readonly readIn: number;
}

export function createRooms({ database, clock }: { database: Database; clock: Clock }): Rooms {
  let entries = new Map<string, Entry>();
  let turn = 0;

  function entryOf(read: ReadRoom, before: Entry | undefined, readIn: number): Entry {
    const flow = before?.flow ?? createFlow();
    const isSame = before?.room.epoch === read.epoch;
    const given = Math.max(read.given, isSame ? before.room.givenSeen : 0);
    const bound = Math.max(read.bound, isSame ? before.room.boundSeen : 0);
    const serving = Math.max(read.serving, isSame ? before.room.servingLine : 0);
    return { room: known(read, { given, bound, serving }, flow), flow, readIn };
  }

  return {
    get: (eventId) => entries.get(eventId)?.room ?? null,
    active: () => roomsOf(entries).filter(({ isActive }) => isActive),
    drawing: () => roomsOf(entries).filter(isDrawing),

    async reload(eventId) {
      const read = await roomById(database, eventId);
      if (read === null || !wasEverOn(read)) return null;
      turn += 1;
      const entry = entryOf(read, entries.get(eventId), turn);
      entries.set(eventId, entry);
      return entry.room;
    },

    async refresh() {
      const begunIn = turn;
      const read = await currentRooms(database);
      const next = new Map<string, Entry>();
      for (const room of read) {
        const before = entries.get(room.eventId);
        // What was read by itself meanwhile is newer.
        const isOlder = before !== undefined && before.readIn > begunIn;
        next.set(room.eventId, isOlder ? before : entryOf(room, before, before?.readIn ?? 0));
      }
      for (const [eventId, entry] of entries)
        if (entry.readIn > begunIn && !next.has(eventId)) next.set(eventId, entry);
      entries = next;
    },

    saw(eventId, epoch, counted) {
      const entry = entries.get(eventId);
      if (entry === undefined || entry.room.epoch !== epoch) return;
      const { room, flow } = entry;
      const given = Math.max(room.givenSeen, counted.given ?? 0);
      const bound = Math.max(room.boundSeen, counted.bound ?? 0);
      const serving = Math.max(room.servingLine, counted.serving ?? 0);
      if (counted.serving !== undefined)
        flow.note({ atMs: clock.monotonicMs(), serving, lastLine: lastLineOf(room, given) });
      entries.set(eventId, { ...entry, room: known(room, { given, bound, serving }, flow) });
    },
  };
}

function known(room: ReadRoom, seen: { given: number; bound: number; serving: number }, flow: Flow): KnownRoom {
  return {
    ...room,
    servingLine: seen.serving,
    lastLine: lastLineOf(room, seen.given),
    givenSeen: seen.given,
    boundSeen: seen.bound,
    measuredRate: flow.perSecond(),
  };
}

function isDrawing(room: KnownRoom): boolean {
  const draw = presentDraw(room);
  return draw !== null && ['entering', 'frozen'].includes(stageOf(draw));
}

function roomsOf(entries: ReadonlyMap<string, Entry>): KnownRoom[] {
  return [...entries.values()].map(({ room }) => room);
}
