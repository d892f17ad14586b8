import { Client } from 'undici';

/** Connections to one role, each for one call at a time. */
export interface RoleConnections {
  /** Calls back with a connection of the caller's own, at once or when one is free. Null: too many wait for one already. */
  take(onTaken: (connection: Client) => void): Waiting | null;
  /** The call on it was sent whole and its answer was read to the end: the next one may have it. */
  giveBack(connection: Client): void;
  /** Anything else happened. It is closed and never used again. */
  discard(connection: Client): void;
  /** Its answer lasts as long as its reader, a stream or a slow one: some hundreds would leave no connection for anybody else. */
  setAside(connection: Client): void;
  close(): void;
}

export interface Waiting {
  /** It is no longer wanted. Does nothing for a connection that was handed over. */
  cancel(): void;
}

export interface RoleConnectionsOptions {
  readonly url: URL;
  readonly connectionsMax: number;
  readonly waitingMax: number;
  readonly connectTimeoutMs: number;
}

/** Unless the role says how long it keeps an idle connection, which ours do; then until two seconds before that. */
const idleDefaultMs = 4_000;

/**
 * The client is undici's: it sends the length of the body that it was given and no other, and closes a connection whose
 * request or answer did not end as announced. Which connection is whose is decided here, and each has one call at a time,
 * because a pool of undici's own keeps calls that nobody waits for any more, and has no way to set streams aside.
 */
export function createRoleConnections(options: RoleConnectionsOptions): RoleConnections {
  const { url, connectionsMax, waitingMax, connectTimeoutMs } = options;
  /** The one used last is used next, so that those which are not needed grow old and close. */
  const idle: Client[] = [];
  const inUse = new Set<Client>();
  const aside = new Set<Client>();
  const waiting = new Set<(connection: Client) => void>();

  const open = () =>
    new Client(url.origin, {
      allowH2: false,
      connect: { timeout: connectTimeoutMs },
      keepAliveTimeout: idleDefaultMs,
      // The caller of a call has its own limit for the first byte; streams have none for the others.
      headersTimeout: 0,
      bodyTimeout: 0,
    });

  function hand(connection: Client, onTaken: (connection: Client) => void): void {
    inUse.add(connection);
    onTaken(connection);
  }

  /** After one is gone there is room for another. */
  function refill(): void {
    for (const onTaken of waiting) {
      if (inUse.size >= connectionsMax) return;
      waiting.delete(onTaken);
      hand(open(), onTaken);
    }
  }

  return {
    take(onTaken) {
      const connection = idle.pop();
      if (connection !== undefined) hand(connection, onTaken);
      else if (inUse.size < connectionsMax) hand(open(), onTaken);
      else if (waiting.size >= waitingMax) return null;
      else waiting.add(onTaken);
      return { cancel: () => waiting.delete(onTaken) };
    },
    giveBack(connection) {
      if (!inUse.delete(connection)) return;
      const [next] = waiting;
      if (next === undefined) return void idle.push(connection);
      waiting.delete(next);
      hand(connection, next);
    },
    discard(connection) {
      inUse.delete(connection);
      aside.delete(connection);
      void destroy(connection);
      refill();
    },
    setAside(connection) {
      inUse.delete(connection);
      aside.add(connection);
      refill();
    },
    close() {
      waiting.clear();
      for (const connection of [...idle.splice(0), ...inUse, ...aside]) void destroy(connection);
      inUse.clear();
      aside.clear();
    },
  };
}

/** What was under way on it fails, and anyone who waits for that has been told or is told now. */
async function destroy(connection: Client): Promise<void> {
  await connection.destroy().catch(() => undefined);
}
