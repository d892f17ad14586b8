import type { CallOptions } from '../api/runtime.ts';

/** What the server says about somebody's place: the answer of check and of status. */
export interface QueueAnswer {
  readonly status: 'waiting' | 'active' | 'pending' | 'closed' | 'none';
  readonly position?: number | null;
  readonly peopleAhead?: number | null;
  readonly peopleBehind?: number | null;
  /** Seconds; half wait longer, half shorter. Null: nobody can tell. */
  readonly estimatedWait?: number | null;
  /** Seconds; nine in ten wait no longer. */
  readonly estimatedWaitHigh?: number | null;
  /** Seconds until the next question. */
  readonly nextPoll?: number | null;
  readonly currentUsers?: number | null;
  readonly threshold?: number | null;
  readonly queueSize?: number | null;
  readonly slotEndsAt?: string | null;
  readonly paused?: boolean;
  readonly message?: string | null;
  readonly opensAt?: string | null;
  /** The server itself is working from what it knew last. */
  readonly stale?: boolean;
  readonly event?: QueueEvent | null;
}

/** What a stream tells about a place in line; in the words of an answer. */
export type RankUpdate = Pick<
  QueueAnswer,
  | 'peopleAhead'
  | 'peopleBehind'
  | 'estimatedWait'
  | 'estimatedWaitHigh'
  | 'nextPoll'
  | 'currentUsers'
  | 'threshold'
  | 'queueSize'
  | 'paused'
  | 'message'
  | 'stale'
> & { readonly position: number };

export interface QueueEvent {
  readonly title: string;
  readonly artist: string;
  readonly date: string;
}

export interface QueueClient {
  /** Enters, or comes back to the place one has. */
  check(eventId: string, options?: CallOptions): Promise<QueueAnswer>;
  status(eventId: string, options?: CallOptions): Promise<QueueAnswer>;
  heartbeat(eventId: string, options?: CallOptions): Promise<unknown>;
  leave(eventId: string, options?: CallOptions): Promise<unknown>;
}

/** While its store is away the server takes everybody for waiting, also those whose turn it is: that says nothing of a slot. */
export function isGuess({ status, stale }: QueueAnswer): boolean {
  return status === 'waiting' && stale === true;
}
