/**
 * What the waiting page works out by itself from the public status document, so that a million open pages ask the server
 * nothing about themselves until they are due. Pure: the time and the dice are given.
 */

/** The public document of a room, the same for everybody. */
export interface RoomStatus {
  readonly isActive: boolean;
  readonly phase: 'prequeue' | 'frozen' | 'open' | 'paused' | 'closed';
  /** Everybody up to this place in line may go in. */
  readonly servingLine: number;
  /** People a second. */
  readonly rate: number | null;
  readonly opensAt: string | null;
  readonly soldOut: boolean;
  readonly message: string | null;
  /** Of the present draw; null: there is none. */
  readonly drawEra: number | null;
  /** Revealed: every page reckons its own number. */
  readonly drawn: Drawn | null;
}

export interface Drawn {
  readonly era: number;
  readonly seed: string;
  readonly entries: number;
  /** Place in the whole line of number 0. */
  readonly lineOffset: number;
}

/** What this browser was given. `line` is null while its entry waits for the draw. */
export interface Mine {
  readonly requestId: string;
  readonly line: number | null;
  readonly position: number | null;
  readonly era: number | null;
  /** In a draw. */
  readonly entry: number | null;
}

export type View =
  | { readonly kind: 'opening'; readonly opensAt: string | null }
  | { readonly kind: 'drawing' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'off' }
  | { readonly kind: 'due' }
  | {
      readonly kind: 'waiting';
      readonly ahead: number;
      readonly waitSeconds: number | null;
      readonly isPaused: boolean;
      /** Not open yet; then it will be. */
      readonly opensAt: string | null;
      readonly isSoldOut: boolean;
    };

export function viewOf(status: RoomStatus, mine: Mine): View {
  if (!status.isActive) return { kind: 'off' };
  const { line } = mine;
  if (line === null) {
    if (status.phase === 'closed') return { kind: 'closed' };
    return status.phase === 'prequeue' ? { kind: 'opening', opensAt: status.opensAt } : { kind: 'drawing' };
  }
  if (line <= status.servingLine) return { kind: 'due' };
  if (status.phase === 'closed') return { kind: 'closed' };
  const ahead = line - status.servingLine - 1;
  const isPaused = status.phase !== 'open';
  const moves = !isPaused && !status.soldOut && status.rate !== null && status.rate > 0;
  return {
    kind: 'waiting',
    ahead,
    waitSeconds: moves ? (ahead + 1) / (status.rate ?? 1) : null,
    isPaused,
    opensAt: status.phase === 'prequeue' ? status.opensAt : null,
    isSoldOut: status.soldOut,
  };
}

const pollSteps = [
  [500, 2],
  [2_000, 5],
  [10_000, 10],
] as const;
const farPollSeconds = 15;
const defaultPollSeconds = 5;

/** When to look at the status document again. Up to a fifth earlier, so that pages do not march in step. */
export function nextPollMs(view: View | null, random: number): number {
  const seconds = view?.kind === 'waiting' ? pollSecondsOf(view.ahead) : defaultPollSeconds;
  return seconds * 1000 * (1 - random / 5);
}

function pollSecondsOf(ahead: number): number {
  return pollSteps.find(([most]) => ahead <= most)?.[1] ?? farPollSeconds;
}

const spreadMs = 10_000;
const fullSpreadPeople = 500;

/**
 * How long a page that is due waits with its check. As many as became due at once spread over up to ten seconds; when
 * some dozens are let in at a time nobody has to wait for that.
 */
export function checkDelayMs(dueAtOnce: number, random: number): number {
  return Math.min(1, Math.max(0, dueAtOnce) / fullSpreadPeople) * spreadMs * random;
}

const retryLongestMs = 30_000;

/** After this many failures in a row; what the server said counts if it said something. */
export function retryMs(failures: number, retryAfterSeconds: number | null, random: number): number {
  const own = Math.min(retryLongestMs, 1_000 * 2 ** Math.min(failures, 10));
  const least = retryAfterSeconds === null ? own : Math.min(120, retryAfterSeconds) * 1000;
  return least * (1 + random / 2);
}

const bounceSteps = [0, 2_000, 4_000, 8_000] as const;
const bounceMemoryMs = 60_000;

/** How often the page we went on to has sent us back at once, and how long to wait before going on again. */
export function bounceOf(kept: string | null, nowMs: number): { count: number; waitMs: number } {
  const [count = 0, atMs = 0] = (kept ?? '').split(' ').map(Number);
  const isRecent = Number.isFinite(count) && nowMs - atMs >= 0 && nowMs - atMs < bounceMemoryMs;
  const times = isRecent ? count : 0;
  return { count: times, waitMs: bounceSteps[Math.min(times, bounceSteps.length - 1)] ?? 0 };
}

/** A path of this site, or nothing: `//host`, `/\host` and control characters lead elsewhere. */
export function ownPath(next: string | null): string | null {
  return next !== null && next.length <= 2_000 && /^\/(?![/\\])[\x21-\x5b\x5d-\uffff]*$/.test(next) ? next : null;
}

const milestones = [10_000, 5_000, 1_000, 500, 100, 50, 10, 0];
const milestoneQuietMs = 60_000;

/** The milestone that was passed since the last one told, at most one a minute; the last steps always. */
export function milestoneOf(
  ahead: number,
  told: { ahead: number; atMs: number },
  nowMs: number,
): { ahead: number; atMs: number } | null {
  const passed = milestones.findLast((step) => ahead <= step && step < told.ahead);
  if (passed === undefined) return null;
  if (nowMs - told.atMs < milestoneQuietMs && passed > 10) return null;
  return { ahead: passed, atMs: nowMs };
}
