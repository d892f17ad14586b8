import { type Clock, isoTime } from '#platform/clock.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Order } from '../domain/order.ts';
import { rankOf } from '../domain/ranks.ts';
import type { EventStates, QueueConfig, QueueSettings, QueueStore, Slot } from '../ports.ts';
import type { EntryTokens } from './entry-tokens.ts';
import { type EventView, estimateFor } from './event-view.ts';
import { inParallel } from './in-parallel.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { SignsOfLife } from './signs-of-life.ts';

/** The writing half of one connection. */
export interface StreamSocket {
  /** False: the reader is slower than we write. */
  write(text: string): boolean;
  /** What was written is on its way. */
  onDrain(listener: () => void): void;
  end(): void;
  destroy(): void;
}

export interface StreamFacts {
  readonly eventId: string;
  readonly userId: string;
  readonly order: Order;
  /** As the store has just said; null: as the snapshots say. */
  readonly position: number | null;
  /** The smallest position that this page has shown, from `Last-Event-ID`. */
  readonly smallest: number | null;
  readonly socket: StreamSocket;
}

export interface Streams {
  readonly open: number;
  readonly isFull: boolean;
  /** Returns what to do when the connection ends. */
  add(facts: StreamFacts, view: EventView): () => void;
  /** One snapshot, told to everybody who listens. */
  update(view: EventView): void;
  /** Ends all of them: their pages connect again, elsewhere. */
  endAll(): void;
}

const streamsMax = 50_000;
/** Tabs and devices of one user in one event; the oldest gives way. */
const streamsPerUserMax = 6;
/** A reader that takes nothing for so long is dropped; it resumes with its next connection. */
const blockedMaxMs = 10_000;
/** Proxies end connections on which nothing moves. */
const quietMaxMs = 15_000;
/** Between these the process answers others. */
const writesAtOnce = 500;
/** Looks at those whose turn may have come, per event and snapshot. */
const looksMax = 500;
const looksAtOnce = 16;
const lookAgainMs = 2_000;

interface Connection extends Omit<StreamFacts, 'smallest' | 'position'> {
  /** False once it was ended or dropped: a round that is under way still holds it. */
  isOpen: boolean;
  smallest: number;
  toldPosition: number;
  toldSettings: Pick<QueueSettings, 'paused' | 'message'>;
  toldAtMs: number;
  blockedSinceMs: number | null;
  lookedAtMs: number;
  turn: string | null;
}

export function createStreams(deps: {
  store: Pick<QueueStore, 'trace'>;
  states: EventStates;
  signs: Pick<SignsOfLife, 'isGone'>;
  entryTokens: EntryTokens;
  clock: Clock;
  logger: Logger;
  metrics: QueueMetrics;
  config: QueueConfig;
}): Streams {
  const { store, states, signs, entryTokens, clock, logger, metrics, config } = deps;
  const byEvent = new Map<string, Set<Connection>>();
  /** Of one user in one event, oldest first. */
  const byUser = new Map<string, readonly Connection[]>();
  const updating = new Set<string>();
  let open = 0;

  function remove(connection: Connection): void {
    const connections = byEvent.get(connection.eventId);
    if (connections?.delete(connection) !== true) return;
    connection.isOpen = false;
    if (connections.size === 0) byEvent.delete(connection.eventId);
    const others = ownOf(connection).filter((each) => each !== connection);
    if (others.length === 0) byUser.delete(userKey(connection));
    else byUser.set(userKey(connection), others);
    open -= 1;
    metrics.streams(open);
  }

  function ownOf(facts: Pick<StreamFacts, 'eventId' | 'userId'>): readonly Connection[] {
    return byUser.get(userKey(facts)) ?? [];
  }

  function drop(connection: Connection, reason: 'slow' | 'replaced'): void {
    metrics.streamDropped(reason);
    remove(connection);
    if (reason === 'slow') connection.socket.destroy();
    else connection.socket.end();
  }

  function write(connection: Connection, text: string): void {
    if (!connection.isOpen) return;
    connection.toldAtMs = clock.now();
    if (connection.socket.write(text)) return;
    connection.blockedSinceMs = clock.now();
    connection.socket.onDrain(() => {
      connection.blockedSinceMs = null;
    });
  }

  function tellRank(view: EventView, connection: Connection, exact: number | null): void {
    const position = exact ?? positionIn(view, connection.order);
    // Neighbours who come back before their place push a number up again; a page that shows it would look like a cheat.
    connection.smallest = Math.min(connection.smallest, position);
    const { settings } = view.snapshot;
    const isTold = connection.toldPosition === connection.smallest && knowsOf(connection, settings);
    if (isTold || connection.smallest === Number.POSITIVE_INFINITY) {
      if (clock.now() - connection.toldAtMs >= quietMaxMs) write(connection, ': still here\n\n');
      return;
    }
    connection.toldPosition = connection.smallest;
    connection.toldSettings = settings;
    write(connection, rankUpdate(view, connection.smallest));
  }

  function rankUpdate(view: EventView, position: number): string {
    const { snapshot, stale } = view;
    const { seconds, highSeconds } = estimateFor(view, position, config);
    const data = {
      position,
      peopleAhead: position - 1,
      peopleBehind: Math.max(0, snapshot.waiting - position),
      estimatedWait: seconds,
      estimatedWaitHigh: highSeconds,
      queueSize: Math.max(snapshot.waiting, position),
      currentUsers: snapshot.active,
      threshold: snapshot.settings.threshold,
      paused: snapshot.settings.paused,
      message: snapshot.settings.message,
      stale,
    };
    return `event: RANK_UPDATE\nid: ${position}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  function tellTurn(connection: Connection, slot: Slot): void {
    if (connection.turn === slot.slotId) return;
    connection.turn = slot.slotId;
    const { token, slotEndsAtMs } = entryTokens.of(connection.eventId, slot);
    const slotEndsAt = isoTime(slotEndsAtMs);
    write(
      connection,
      `event: ACTIVE_TURN\nid: 0\ndata: ${JSON.stringify({ slotEndsAt })}\n\n` +
        `event: ENTRY_TOKEN\nid: 0\ndata: ${JSON.stringify({ entryToken: token, slotEndsAt })}\n\n`,
    );
  }

  /** By `trace`, which changes nothing: a stream that is open proves no reader, so it must not claim the slot. */
  async function lookAt(view: EventView, connection: Connection): Promise<void> {
    const { eventId, userId } = connection;
    connection.lookedAtMs = clock.now();
    if (!connection.isOpen) return;
    const trace = await states.withState(eventId, () => store.trace({ eventId, userId }));
    if (trace.slot !== null) return tellTurn(connection, trace.slot);
    if (trace.place !== 'none') return tellRank(view, connection, trace.position);
    // The place is over, or the store has forgotten it and only the ticket knows: its page asks the status, which tells.
    remove(connection);
    connection.socket.end();
  }

  async function updateAll(view: EventView, connections: Iterable<Connection>): Promise<void> {
    const now = clock.now();
    const due: Connection[] = [];
    let written = 0;
    for (const connection of connections) {
      if (connection.blockedSinceMs !== null) {
        if (now - connection.blockedSinceMs >= blockedMaxMs) drop(connection, 'slow');
        continue;
      }
      const settled = connection.order > view.snapshot.watermark && !signs.isGone(view.eventId, connection.userId);
      if (settled) tellRank(view, connection, null);
      else if (now - connection.lookedAtMs >= lookAgainMs) due.push(connection);
      if (++written % writesAtOnce === 0) await new Promise((next) => setImmediate(next));
    }
    if (view.stale) return;
    // Who was not looked at for longest comes first: shoppers, who are looked at again and again, must not stand in the
    // way of those whose turn has just come.
    if (due.length > looksMax) due.sort((one, other) => one.lookedAtMs - other.lookedAtMs).splice(looksMax);
    await inParallel(due, looksAtOnce, (connection) => lookAt(view, connection));
  }

  return {
    get open() {
      return open;
    },
    get isFull() {
      return open >= streamsMax;
    },
    add(facts, view) {
      const { position, ...rest } = facts;
      const connection: Connection = {
        ...rest,
        isOpen: true,
        smallest: facts.smallest ?? Number.POSITIVE_INFINITY,
        toldPosition: facts.smallest ?? -1,
        // Of a page that comes back the usual is taken to be known; anything else it may have missed.
        toldSettings: { paused: false, message: null },
        toldAtMs: clock.now(),
        blockedSinceMs: null,
        lookedAtMs: Number.NEGATIVE_INFINITY,
        turn: null,
      };
      const own = ownOf(facts);
      for (const oldest of own.slice(0, Math.max(0, own.length + 1 - streamsPerUserMax))) drop(oldest, 'replaced');
      byUser.set(userKey(facts), [...ownOf(facts), connection]);
      byEvent.set(facts.eventId, (byEvent.get(facts.eventId) ?? new Set()).add(connection));
      open += 1;
      metrics.streams(open);
      if (position !== null) tellRank(view, connection, position);
      else
        updateAll(view, [connection]).catch((error: unknown) => {
          logger.warn({ err: error, eventId: view.eventId }, 'a new stream could not be told its place yet');
        });
      return () => remove(connection);
    },
    update(view) {
      const { eventId } = view;
      const connections = byEvent.get(eventId);
      // The round before is still under way: what it has not told yet, the next one tells.
      if (connections === undefined || updating.has(eventId)) return;
      updating.add(eventId);
      updateAll(view, [...connections])
        .catch((error: unknown) => logger.warn({ err: error, eventId }, 'streams could not all be updated'))
        .finally(() => updating.delete(eventId));
    },
    endAll() {
      for (const connections of byEvent.values()) {
        for (const connection of [...connections]) {
          remove(connection);
          connection.socket.end();
        }
      }
    },
  };
}

/** Nobody moves in a queue that is paused, so that it is and why must be told also to who stays where they are. */
function knowsOf({ toldSettings }: Connection, { paused, message }: QueueSettings): boolean {
  return toldSettings.paused === paused && toldSettings.message === message;
}

function userKey({ eventId, userId }: Pick<StreamFacts, 'eventId' | 'userId'>): string {
  return `${eventId} ${userId}`;
}

/** Infinite for somebody behind the last one of the snapshot: it is older than the place, or the place is parked. */
function positionIn({ snapshot }: EventView, order: Order): number {
  const { breakpoints, waiting } = snapshot;
  const isIn = order <= (breakpoints.at(-1)?.order ?? 0);
  return isIn ? rankOf(order, breakpoints, waiting) : Number.POSITIVE_INFINITY;
}
