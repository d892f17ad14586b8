import type { Clock } from '#platform/clock.ts';
import type { EventStreamSocket } from '#platform/http/event-stream.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { type ChangeSet, mergeSeats } from '../domain/change-ring.ts';
import type { LiveMap } from './live-map.ts';
import type { MapMetrics } from './map-metrics.ts';
import { beginningOf, keepAlive, resyncOf, seatsOf } from './seat-stream-messages.ts';

export interface SeatStreams {
  readonly open: number;
  readonly isFull: boolean;
  /** `since`: the version that the reader knows, from Last-Event-ID. Returns what to do when the connection ends. */
  add(reader: { map: LiveMap; userId: string; since: number | null; socket: EventStreamSocket }): () => void;
  /** Once for each map: its streams are told whenever it changes. */
  follow(map: LiveMap): void;
  /** Ends what is too old or too slow, and shows the others that we are here. */
  tidy(): void;
  /** Ends all of them: their pages connect again, elsewhere. */
  endAll(): void;
}

const streamsMax = 20_000;
/** Tabs and devices of one user in one event; the oldest gives way. */
const streamsPerUserMax = 6;
/** A reader that takes nothing for so long is dropped; it resumes with its next connection. */
const blockedMaxMs = 10_000;
const quietMaxMs = 15_000;
/** The entry token was checked when it began; somebody whose slot is over must not watch for ever. */
const streamMaxMs = 10 * 60_000;
/** Between these the process answers others. */
const writesAtOnce = 250;

interface Connection {
  readonly map: LiveMap;
  readonly userId: string;
  readonly socket: EventStreamSocket;
  readonly beganAtMs: number;
  /** Of the last change set that it was sent. */
  serial: number;
  toldAtMs: number;
  blockedSinceMs: number | null;
  over: boolean;
}

export function createSeatStreams(deps: { clock: Clock; logger: Logger; metrics: MapMetrics }): SeatStreams {
  const { clock, logger, metrics } = deps;
  const byMap = new Map<LiveMap, Set<Connection>>();
  /** Of one user in one event, oldest first. */
  const byUser = new Map<string, readonly Connection[]>();
  /** Each change set as text, made once for all. */
  const texts = new WeakMap<ChangeSet, string>();
  const telling = new Set<LiveMap>();
  let open = 0;

  function remove(connection: Connection): void {
    connection.over = true;
    const connections = byMap.get(connection.map);
    if (connections?.delete(connection) !== true) return;
    if (connections.size === 0) byMap.delete(connection.map);
    const others = ownOf(connection).filter((each) => each !== connection);
    if (others.length === 0) byUser.delete(userKey(connection));
    else byUser.set(userKey(connection), others);
    open -= 1;
    metrics.streams(open);
  }

  const ownOf = (of: Pick<Connection, 'map' | 'userId'>) => byUser.get(userKey(of)) ?? [];

  function end(connection: Connection): void {
    remove(connection);
    connection.socket.end();
  }

  function drop(connection: Connection, reason: 'slow' | 'replaced'): void {
    metrics.streamDropped(reason);
    remove(connection);
    if (reason === 'slow') connection.socket.destroy();
    else connection.socket.end();
  }

  function write(connection: Connection, text: string): void {
    if (connection.over) return;
    connection.toldAtMs = clock.monotonicMs();
    if (connection.socket.write(text)) return;
    connection.blockedSinceMs = clock.monotonicMs();
    connection.socket.onDrain(() => {
      connection.blockedSinceMs = null;
      catchUp(connection);
    });
  }

  /** What it has not been sent yet; nothing while it is still busy with what was sent. */
  function catchUp(connection: Connection): void {
    const { map } = connection;
    if (connection.over || connection.blockedSinceMs !== null || connection.serial === map.ring.serial) return;
    const sets = map.ring.afterSerial(connection.serial);
    connection.serial = map.ring.serial;
    write(connection, sets === null ? resyncOf(map) : sets.map((set) => textOf(map, set)).join(''));
  }

  function textOf(map: LiveMap, set: ChangeSet): string {
    const known = texts.get(set);
    if (known !== undefined) return known;
    const text = seatsOf(map, set);
    texts.set(set, text);
    return text;
  }

  async function tell(map: LiveMap): Promise<void> {
    let serial = -1;
    // Changes that come while these are told are for all, too.
    while (serial !== map.ring.serial) {
      serial = map.ring.serial;
      let written = 0;
      for (const connection of [...(byMap.get(map) ?? [])]) {
        catchUp(connection);
        if (++written % writesAtOnce === 0) await new Promise((next) => setImmediate(next));
      }
    }
  }

  function begin(connection: Connection, since: number | null): void {
    const { map } = connection;
    const missed = since === null ? [] : map.ring.since(since, map.readTo());
    if (since === null) write(connection, beginningOf(map));
    else if (missed === null) write(connection, resyncOf(map));
    else write(connection, seatsOf(map, { version: map.version(), seats: mergeSeats(missed) }));
  }

  return {
    get open() {
      return open;
    },
    get isFull() {
      return open >= streamsMax;
    },
    add({ map, userId, since, socket }) {
      const nowMs = clock.monotonicMs();
      const connection: Connection = {
        map,
        userId,
        socket,
        beganAtMs: nowMs,
        serial: map.ring.serial,
        toldAtMs: nowMs,
        blockedSinceMs: null,
        over: false,
      };
      const own = ownOf(connection);
      for (const oldest of own.slice(0, Math.max(0, own.length + 1 - streamsPerUserMax))) drop(oldest, 'replaced');
      byUser.set(userKey(connection), [...ownOf(connection), connection]);
      byMap.set(map, (byMap.get(map) ?? new Set()).add(connection));
      open += 1;
      metrics.streams(open);
      begin(connection, since);
      return () => remove(connection);
    },
    follow(map) {
      map.onChange(() => {
        if (telling.has(map) || !byMap.has(map)) return;
        telling.add(map);
        tell(map)
          .catch((error: unknown) => logger.warn({ err: error }, 'not all seat streams could be told of a change'))
          .finally(() => telling.delete(map));
      });
    },
    tidy() {
      const nowMs = clock.monotonicMs();
      for (const connections of byMap.values()) {
        for (const connection of [...connections]) {
          const { blockedSinceMs, beganAtMs, toldAtMs, map } = connection;
          if (blockedSinceMs !== null && nowMs - blockedSinceMs >= blockedMaxMs) drop(connection, 'slow');
          else if (nowMs - beganAtMs >= streamMaxMs || map.isForgotten) end(connection);
          else if (blockedSinceMs === null && nowMs - toldAtMs >= quietMaxMs) write(connection, keepAlive);
        }
      }
    },
    endAll() {
      for (const connections of byMap.values()) for (const connection of [...connections]) end(connection);
    },
  };
}

function userKey({ map, userId }: Pick<Connection, 'map' | 'userId'>): string {
  return `${map.eventId} ${userId}`;
}
