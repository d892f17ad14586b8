import type { Clock } from '#platform/clock.ts';
import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { EventStreamSocket } from '#platform/http/event-stream.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { nextPollSeconds } from '../domain/next-poll.ts';
import { type PlaceOrder, placeOrdersPerLane } from '../domain/place-order.ts';
import { rankOf } from '../domain/ranks.ts';
import type { EventStates, QueueConfig, QueueStore, Slot } from '../ports.ts';
import type { EntryTokens } from './entry-tokens.ts';
import { isOverAt } from './event-facts.ts';
import { type EventView, isUnsure, mayBeOver } from './event-view.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { SignsOfLife } from './signs-of-life.ts';
import { keepAlive, noticeOf, placeOver, rankUpdate, turnUpdate } from './stream-messages.ts';

export interface StreamFacts {
  readonly eventId: string;
  readonly userId: string;
  readonly order: PlaceOrder;
  /** As the store has just said; null: as the snapshots say. */
  readonly position: number | null;
  /** The smallest position that this page has shown, from `Last-Event-ID`. */
  readonly smallest: number | null;
  readonly socket: EventStreamSocket;
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
/** Proxies end connections on which nothing moves, and a page that hears nothing for long takes the stream for dead. */
const quietMaxMs = 15_000;
/** Between these the process answers others. */
const writesAtOnce = 500;
/** Looks at those whose turn may have come, per event and snapshot. */
const looksMax = 500;
const looksAtOnce = 16;
const lookAgainMs = 2_000;

interface Connection extends Omit<StreamFacts, 'smallest' | 'position'> {
  /** The line that the place was found in. After a loss of the store it is another one. */
  readonly epoch: number;
  /** How many places had been cleared in it by then. */
  readonly cleared: number;
  smallest: number;
  /** The position and the notice as last told; null: nothing yet. */
  toldPosition: number | null;
  toldNotice: string | null;
  toldAtMs: number;
  blockedSinceMs: number | null;
  lookedAtMs: number;
  turn: string | null;
  over: boolean;
}

/** One snapshot, and what of it everybody should know at once. */
interface News {
  readonly view: EventView;
  readonly notice: string;
}

export function createStreams(deps: {
  store: Pick<QueueStore, 'trace'>;
  states: EventStates;
  signs: Pick<SignsOfLife, 'isGone'>;
  entryTokens: EntryTokens;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: QueueMetrics;
  config: QueueConfig;
}): Streams {
  const { store, states, signs, entryTokens, clock, random, logger, metrics, config } = deps;
  const byEvent = new Map<string, Set<Connection>>();
  /** Of one user in one event, oldest first. */
  const byUser = new Map<string, readonly Connection[]>();
  const updating = new Set<string>();
  let open = 0;

  function remove(connection: Connection): void {
    const connections = byEvent.get(connection.eventId);
    connection.over = true;
    if (connections?.delete(connection) !== true) return;
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

  function end(connection: Connection): void {
    remove(connection);
    connection.socket.end();
  }

  /** Its page asks the status at once and learns why, rather than with the next heartbeat. */
  function tellOver(connection: Connection): void {
    write(connection, placeOver);
    end(connection);
  }

  function write(connection: Connection, text: string): void {
    // It may have ended while the store was asked; writing after the end would be an error that nobody awaits.
    if (connection.over) return;
    connection.toldAtMs = clock.monotonicMs();
    if (connection.socket.write(text)) return;
    connection.blockedSinceMs = clock.monotonicMs();
    connection.socket.onDrain(() => {
      connection.blockedSinceMs = null;
    });
  }

  function tellRank(connection: Connection, { view, notice }: News, exact: number | null): void {
    // While the crowd comes back after a loss, or nothing new is known, a place counted now may be too good to be kept.
    if (!isUnsure(view)) {
      // Neighbours who come back before their place push a number up again; a page that shows it would look like a cheat.
      connection.smallest = Math.min(connection.smallest, exact ?? positionIn(view, connection.order));
    }
    const { smallest } = connection;
    if (smallest === Number.POSITIVE_INFINITY) {
      stayAlive(connection);
      return;
    }
    const known = connection.toldPosition === smallest && connection.toldNotice === notice;
    if (known && !isQuiet(connection)) return;
    connection.toldPosition = smallest;
    connection.toldNotice = notice;
    const nextPoll = nextPollSeconds(smallest, random.fraction());
    write(connection, rankUpdate(view, { position: smallest, nextPoll, config }));
  }

  function tellTurn(connection: Connection, slot: Slot): void {
    if (connection.turn === slot.slotId) stayAlive(connection);
    else write(connection, turnUpdate(entryTokens.of(connection.eventId, slot)));
    connection.turn = slot.slotId;
  }

  const isQuiet = ({ toldAtMs }: Connection) => clock.monotonicMs() - toldAtMs >= quietMaxMs;

  function stayAlive(connection: Connection): void {
    if (isQuiet(connection)) write(connection, keepAlive);
  }

  /** By `trace`, which changes nothing: a stream that is open proves no reader, so it must not claim the slot. */
  async function lookAt(connection: Connection, news: News): Promise<void> {
    const { eventId, userId } = connection;
    connection.lookedAtMs = clock.monotonicMs();
    const trace = await states.withState(eventId, () => store.trace({ eventId, userId }));
    if (trace.slot !== null) return tellTurn(connection, trace.slot);
    if (trace.place !== 'none') return tellRank(connection, news, trace.position);
    // The place is over, or the store has forgotten it and only the ticket knows: its page asks the status, which tells.
    tellOver(connection);
  }

  async function updateAll(view: EventView, connections: Iterable<Connection>): Promise<void> {
    const now = clock.monotonicMs();
    const news = { view, notice: noticeOf(view) };
    const hasEnded = !view.facts.queueEnabled || isOverAt(view.facts, clock.now());
    const due: Connection[] = [];
    let written = 0;
    for (const connection of connections) {
      if (connection.blockedSinceMs !== null) {
        if (now - connection.blockedSinceMs >= blockedMaxMs) drop(connection, 'slow');
        continue;
      }
      // The store was lost and begun anew, without this place: its page comes back, asks the status, and has it again.
      const lost = connection.epoch !== view.snapshot.epoch;
      const settled = !mayBeOver(view, connection.order) && !signs.isGone(view.eventId, connection.userId);
      if (lost) end(connection);
      else if (hasEnded || isCleared(connection, view)) tellOver(connection);
      else if (settled || view.stale) tellRank(connection, news, null);
      else if (now - connection.lookedAtMs >= lookAgainMs) due.push(connection);
      if (++written % writesAtOnce === 0) await new Promise((next) => setImmediate(next));
    }
    // Those who have waited longest for a look come first, or the same ones would be looked at each time.
    const first = due.sort((a, b) => a.lookedAtMs - b.lookedAtMs).slice(0, looksMax);
    await inParallel(first, looksAtOnce, (connection) => lookAt(connection, news));
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
        epoch: view.snapshot.epoch,
        cleared: view.snapshot.cleared.count,
        smallest: facts.smallest ?? Number.POSITIVE_INFINITY,
        toldPosition: null,
        toldNotice: null,
        toldAtMs: clock.monotonicMs(),
        blockedSinceMs: null,
        lookedAtMs: Number.NEGATIVE_INFINITY,
        turn: null,
        over: false,
      };
      const own = ownOf(facts);
      for (const oldest of own.slice(0, Math.max(0, own.length + 1 - streamsPerUserMax))) drop(oldest, 'replaced');
      byUser.set(userKey(facts), [...ownOf(facts), connection]);
      byEvent.set(facts.eventId, (byEvent.get(facts.eventId) ?? new Set()).add(connection));
      open += 1;
      metrics.streams(open);
      if (position !== null) tellRank(connection, { view, notice: noticeOf(view) }, position);
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
        for (const connection of [...connections]) end(connection);
      }
    },
  };
}

function userKey({ eventId, userId }: Pick<StreamFacts, 'eventId' | 'userId'>): string {
  return `${eventId} ${userId}`;
}

/** A clearing since the stream began has come past its place. One that was taken since then is found again by asking. */
function isCleared({ order, cleared }: Connection, { snapshot }: EventView): boolean {
  return cleared !== snapshot.cleared.count && order <= snapshot.cleared.upTo[order < placeOrdersPerLane ? 0 : 1];
}

/** Infinite for somebody behind the last one of the snapshot: it is older than the place, or the place is parked. */
function positionIn({ snapshot }: EventView, order: PlaceOrder): number {
  const { breakpoints, waiting } = snapshot;
  const isIn = order <= (breakpoints.at(-1)?.order ?? 0);
  return isIn ? rankOf(order, breakpoints, waiting) : Number.POSITIVE_INFINITY;
}
