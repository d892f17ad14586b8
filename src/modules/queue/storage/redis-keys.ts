/** The keys of one event. They share a hash tag, so that one script may touch them all on a Cluster. */
export interface EventKeys {
  readonly meta: string;
  readonly queue: string;
  readonly parked: string;
  readonly active: string;
  readonly seen: string;
  readonly activeSeen: string;
  readonly slots: string;
  readonly unclaimed: string;
  readonly unclaimedSeen: string;
  readonly returned: string;
  readonly denied: string;
  readonly changes: string;
  readonly recent: string;
  readonly window: string;
  readonly flushers: string;
  /** Begins the name of every bitmap: `{eventId}:spent:{era}:{chunk}`. */
  readonly spent: string;
  readonly chunks: string;
  readonly loading: string;
  readonly lock: string;
  readonly turn: string;
}

export const activeEventsKey = 'queue:active-events';

/** Written on trial, and gone a moment later. */
export const trialKey = (eventId: string) => `{${eventId}}:trial`;

export function eventKeys(eventId: string): EventKeys {
  const tag = `{${eventId}}`;
  return {
    meta: `${tag}:meta`,
    queue: `${tag}:queue`,
    parked: `${tag}:parked`,
    active: `${tag}:active`,
    seen: `${tag}:seen`,
    activeSeen: `${tag}:active-seen`,
    slots: `${tag}:slots`,
    unclaimed: `${tag}:unclaimed`,
    unclaimedSeen: `${tag}:unclaimed-seen`,
    returned: `${tag}:returned`,
    denied: `${tag}:denied`,
    changes: `${tag}:changes`,
    recent: `${tag}:recent`,
    window: `${tag}:window`,
    flushers: `${tag}:flushers`,
    spent: `${tag}:spent`,
    chunks: `${tag}:spent-chunks`,
    loading: `${tag}:loading`,
    lock: `admission:lock:${tag}`,
    turn: `admission:turn:${tag}`,
  };
}
