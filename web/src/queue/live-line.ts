import type { RankUpdate } from './queue-client.ts';
import type { OpenStream, QueueStream } from './queue-stream.ts';

/**
 * Keeps a stream open as long as it is wanted and of use.
 *
 *   off ──open──▶ connecting ──first word──▶ live ──broken off──▶ connecting (the browser does it, as `retry:` says)
 *                   │   ▲                     │
 *      no word in   │   │ after a pause that  │ silent for too long,
 *      time,refused ▼   │ grows, or by wake   ▼ refused
 *                   resting ◀────────────────┘
 *
 * A connection that is open proves nothing: proxies keep words back, and phones keep sockets that lead nowhere. Only a word counts.
 */
export interface LiveLine {
  /** News come by themselves, so nobody needs to ask. */
  isLive(): boolean;
  /** Begins, unless it has begun. */
  open(): void;
  close(): void;
  /** The page is looked at again: connects at once, unless there was a word just now. */
  wake(): void;
  /** The network is another one: connects at once, since what was open before may lead nowhere. */
  reconnect(): void;
}

export interface LiveLineOptions {
  readonly stream: OpenStream;
  /** The device's clock, which goes on while it sleeps. */
  now(): number;
  random(): number;
  onRank(update: RankUpdate): void;
  onTurn(): void;
  /** The place may be over. Nothing is open any more, until somebody opens it again. */
  onOver(): void;
  onLive(): void;
  /** It was live and is not. `dropped`: it may be back within seconds; `over`: not before a pause. */
  onLost(how: 'dropped' | 'over'): void;
}

/** The server asks for up to 10 s before a reconnection, and the first word follows the connection at once. */
const wordWithinMs = 20_000;
/** The server speaks at least every 15 s. */
const silenceMaxMs = 35_000;
const recentMs = 20_000;
const restFirstMs = 5_000;
const restMaxMs = 300_000;
/** One that lives for so long is not held responsible for what failed before. */
const steadyMs = 60_000;
/** Broken off so often before it was steady: something on the way does not let streams live. */
const earlyDropsMax = 3;

export function createLiveLine(options: LiveLineOptions): LiveLine {
  const { now, random } = options;
  let state: 'off' | 'connecting' | 'live' | 'resting' = 'off';
  let stream: QueueStream | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let failures = 0;
  let earlyDrops = 0;
  let hasSpoken = false;
  let liveSinceMs = 0;
  let heardAtMs = 0;
  let broken = false;

  function hangUp(): void {
    // Whatever the former stream still says is not listened to.
    attempt += 1;
    clearTimeout(timer);
    stream?.close();
    stream = null;
    hasSpoken = false;
    broken = false;
    earlyDrops = 0;
  }

  function connect(): void {
    hangUp();
    state = 'connecting';
    const mine = attempt;
    const ifMine = (act: () => void) => {
      if (mine === attempt) act();
    };
    timer = setTimeout(rest, wordWithinMs);
    stream = options.stream({
      rank: (update) => ifMine(() => hear(() => options.onRank(update))),
      turn: () => ifMine(() => hear(options.onTurn)),
      over: () => ifMine(end),
      dropped: () => ifMine(drop),
      refused: () => ifMine(rest),
    });
  }

  function hear(tell: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(rest, silenceMaxMs);
    const wasLive = state === 'live';
    state = 'live';
    hasSpoken = true;
    broken = false;
    heardAtMs = now();
    if (!wasLive) liveSinceMs = heardAtMs;
    if (isSteady()) {
      failures = 0;
      earlyDrops = 0;
    }
    if (!wasLive) options.onLive();
    tell();
  }

  function end(): void {
    hangUp();
    state = 'off';
    options.onOver();
  }

  const isSteady = () => now() - liveSinceMs >= steadyMs;

  function drop(): void {
    broken = true;
    if (state !== 'live') return;
    state = 'connecting';
    if (!isSteady()) earlyDrops += 1;
    if (earlyDrops >= earlyDropsMax) {
      rest();
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(rest, wordWithinMs);
    options.onLost('dropped');
  }

  function rest(): void {
    const wasLive = hasSpoken;
    hangUp();
    state = 'resting';
    failures += 1;
    const pauseMs = Math.min(restMaxMs, restFirstMs * 2 ** (failures - 1));
    timer = setTimeout(connect, pauseMs * (1 + random() / 2));
    if (wasLive) options.onLost('over');
  }

  return {
    isLive: () => state === 'live',
    open() {
      if (state === 'off') connect();
    },
    close() {
      hangUp();
      state = 'off';
      failures = 0;
    },
    wake() {
      const fine = state === 'live' ? now() - heardAtMs < recentMs : state === 'connecting' && !broken;
      if (state !== 'off' && !fine) connect();
    },
    reconnect() {
      if (state !== 'off') connect();
    },
  };
}
