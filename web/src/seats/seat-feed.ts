import { ApiProblem, isProblem } from '../api/problem.ts';
import { applyChanges, type LiveMap, liveMapOf } from './live-map.ts';
import type { OpenSeatStream, SeatStream } from './seat-stream.ts';
import type { SeatChanges, SeatMapAnswer } from './seat-types.ts';

/**
 * What is free, as it changes.
 *
 *   loading ──the whole map──▶ ready ──the slot is over, or nothing is sold here──▶ stopped
 *
 * Changes come on the stream. While it is away they are asked for with `?since=`, and from time to time beside it as well,
 * since a stream that says nothing may be dead. After each connection the gap before it is asked for; what the stream says
 * meanwhile waits, so that an older answer never overwrites a newer word.
 */
export type FeedView =
  | { readonly kind: 'loading'; readonly problem: ApiProblem | null }
  | { readonly kind: 'ready'; readonly map: LiveMap; readonly isLost: boolean }
  | { readonly kind: 'stopped'; readonly problem: ApiProblem; readonly map: LiveMap | null };

export interface SeatClient {
  map(signal: AbortSignal): Promise<SeatMapAnswer>;
  since(version: number, signal: AbortSignal): Promise<SeatChanges>;
}

export interface SeatFeedOptions {
  readonly client: SeatClient;
  readonly stream: OpenSeatStream;
  random(): number;
}

export interface SeatFeed {
  view(): FeedView;
  subscribe(listener: () => void): () => void;
  start(): void;
  stop(): void;
  /** Ask now: somebody looks at the page again, or pressed a button. */
  wake(): void;
}

const pollMs = 2_500;
const safetyNetMs = 20_000;
const failureFirstMs = 1_000;
const failureMaxMs = 15_000;
const reconnectFirstMs = 5_000;
const reconnectMaxMs = 120_000;
/** More than these, and the whole map is the shorter answer. */
const waitingMax = 500;

export function createSeatFeed({ client, stream: openStream, random }: SeatFeedOptions): SeatFeed {
  const listeners = new Set<() => void>();
  let view: FeedView = { kind: 'loading', problem: null };
  let run: AbortController | null = null;
  let asking = false;
  let askAgain: 'map' | 'since' | null = null;
  let waiting: SeatChanges[] = [];
  /** Connections so far, and up to which of them the gap before it was asked for. */
  let connections = 0;
  let covered = 0;
  let isLive = false;
  let stream: SeatStream | null = null;
  let failures = 0;
  let refusals = 0;
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  let streamTimer: ReturnType<typeof setTimeout> | undefined;

  const spread = (ms: number) => ms * (1 + random() / 2);
  const mapOf = (current: FeedView) => (current.kind === 'loading' ? null : current.map);

  function show(next: FeedView): void {
    view = next;
    for (const listener of listeners) listener();
  }

  async function ask(what: 'map' | 'since'): Promise<void> {
    const mine = run;
    if (mine === null) return;
    if (asking) {
      // What is under way may have been answered before.
      askAgain = what === 'map' || askAgain === 'map' ? 'map' : 'since';
      return;
    }
    asking = true;
    clearTimeout(pollTimer);
    const known = mapOf(view);
    const covers = connections;
    try {
      if (what === 'map' || known === null) await readMap(mine);
      else await readChanges(known, mine);
      if (mine !== run) return;
      failures = 0;
      covered = covers;
    } catch (error) {
      if (mine === run) fail(error);
    } finally {
      if (mine === run) {
        asking = false;
        const next = askAgain;
        askAgain = null;
        drainWaiting();
        if (next !== null && view.kind !== 'stopped' && failures === 0) void ask(next);
        else planPoll();
      }
    }
  }

  async function readMap(mine: AbortController): Promise<void> {
    const answer = await client.map(mine.signal);
    if (mine === run) show({ kind: 'ready', map: liveMapOf(answer), isLost: false });
  }

  async function readChanges(known: LiveMap, mine: AbortController): Promise<void> {
    const changes = await client.since(known.version, mine.signal);
    if (mine !== run) return;
    if (changes.resync) await readMap(mine);
    else accept(changes);
  }

  function accept(changes: SeatChanges): void {
    const map = mapOf(view);
    if (map === null || view.kind === 'stopped') return;
    if (changes.version < map.version) return;
    const hasNews = changes.seats.length + changes.grades.length + changes.areas.length > 0;
    if (!hasNews && view.kind === 'ready' && !view.isLost) {
      view = { ...view, map: { ...map, version: changes.version } };
      return;
    }
    show({ kind: 'ready', map: applyChanges(map, changes), isLost: false });
  }

  function hear(changes: SeatChanges): void {
    refusals = 0;
    if (changes.resync) void ask('map');
    else {
      waiting.push(changes);
      drainWaiting();
    }
    if (waiting.length > waitingMax) {
      waiting = [];
      askAgain = 'map';
    }
  }

  /** Where the stream began is only known to follow on the map once the time between was asked for. */
  function drainWaiting(): void {
    if (asking || covered < connections || view.kind !== 'ready') return;
    const words = waiting;
    waiting = [];
    for (const changes of words) accept(changes);
  }

  function fail(error: unknown): void {
    const problem = isProblem(error) ? error : new ApiProblem({ code: 'PAGE', status: 0, cause: error });
    if (isFinal(problem)) {
      const map = mapOf(view);
      hangUp();
      show({ kind: 'stopped', problem, map });
      return;
    }
    failures += 1;
    if (view.kind === 'ready') show({ ...view, isLost: true });
    else if (view.kind === 'loading') show({ kind: 'loading', problem });
  }

  function planPoll(): void {
    if (view.kind === 'stopped') return;
    clearTimeout(pollTimer);
    const failedMs = Math.min(failureMaxMs, failureFirstMs * 2 ** (failures - 1));
    const delayMs = failures > 0 ? failedMs : isLive ? safetyNetMs : pollMs;
    pollTimer = setTimeout(() => void ask('since'), spread(delayMs));
  }

  function connect(): void {
    clearTimeout(streamTimer);
    stream?.close();
    stream = openStream({
      opened() {
        isLive = true;
        connections += 1;
        void ask('since');
      },
      changes: hear,
      dropped() {
        isLive = false;
        planPoll();
      },
      refused() {
        isLive = false;
        stream = null;
        refusals += 1;
        const pauseMs = Math.min(reconnectMaxMs, reconnectFirstMs * 2 ** (refusals - 1));
        streamTimer = setTimeout(connect, spread(pauseMs));
        planPoll();
      },
    });
  }

  function hangUp(): void {
    clearTimeout(pollTimer);
    clearTimeout(streamTimer);
    stream?.close();
    stream = null;
    isLive = false;
  }

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (run !== null) return;
      run = new AbortController();
      asking = false;
      waiting = [];
      if (view.kind === 'stopped') view = { kind: 'loading', problem: null };
      void ask('map');
      connect();
    },
    stop() {
      run?.abort();
      run = null;
      hangUp();
    },
    wake() {
      if (run === null) return;
      if (view.kind === 'stopped') {
        show(view.map === null ? { kind: 'loading', problem: null } : { kind: 'ready', map: view.map, isLost: true });
        connect();
      }
      void ask('map');
    },
  };
}

/** Asking again would be answered the same: the slot is over, nobody is signed in, there is no such event. */
function isFinal({ status }: ApiProblem): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;
}
