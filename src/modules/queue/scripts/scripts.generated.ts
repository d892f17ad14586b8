// Generated from the headers of the .lua files beside it: change those and run `npm run generate`.
import type { Redis } from '#platform/redis/port.ts';
import { loadScript, reply } from '#platform/redis/script.ts';

const acknowledgeChangesScript = loadScript(new URL('./acknowledge.lua', import.meta.url), {
  name: 'acknowledgeChanges',
  readOnly: false,
});

/** Drops the changes that the journal has, and lifts a hold. By position, so that two writers who read the same ones drop them once. Cost: O(dropped). */
export async function acknowledgeChanges(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** list of what the journal has not taken */
    changes: string;
    /** list of what became of the last changes that it has taken: +order, -order, or nothing */
    recent: string;
  },
  args: {
    /** in which they were read */
    epoch: number;
    /** the position of the first that stays */
    upTo: number;
    recentMax: number;
  },
): Promise<void> {
  await redis.runScript(acknowledgeChangesScript, [keys.meta, keys.changes, keys.recent], [args.epoch, args.upTo, args.recentMax]);
}

const admitUsersScript = loadScript(new URL('./admit.lua', import.meta.url), {
  name: 'admitUsers',
  readOnly: false,
});

/** One admission step: ended and unclaimed slots are freed, absent heads are parked, present ones get a slot. Cost: O((admitMax + parkMax + freeMax) · log n) for n waiting. */
export async function admitUsers(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId with a place */
    seen: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission, less what claims stood still → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
    /** list of what the journal has not taken */
    changes: string;
    /** hash, a ring of admissions per second */
    window: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
    /** zset last word → process that answers polls */
    flushers: string;
  },
  args: {
    eventId: string;
    admitMax: number;
    parkMax: number;
    absentMs: number;
    claimMs: number;
    activeTtlMs: number;
    /** -1 when a slot is kept however long its user is unseen */
    activeSeenTtlMs: number;
    /** how many slots of each kind may be freed in one step */
    freeMax: number;
    /** how many denials are kept; the first go first */
    deniedMax: number;
    /** a longer pause between two steps is nobody's absence */
    outageMs: number;
    /** and neither is a longer silence of a flusher */
    silentMs: number;
    /** after a longer one it is forgotten, if another has said something since */
    flusherKeptMs: number;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<string[]> {
  const answer = await redis.runScript(admitUsersScript, [keys.meta, keys.queue, keys.parked, keys.active, keys.seen, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.returned, keys.denied, keys.changes, keys.window, keys.spent, keys.chunks, keys.flushers], [args.eventId, args.admitMax, args.parkMax, args.absentMs, args.claimMs, args.activeTtlMs, args.activeSeenTtlMs, args.freeMax, args.deniedMax, args.outageMs, args.silentMs, args.flusherKeptMs, args.nowMs]);
  return reply.list(answer, 'admitUsers').map((item) => reply.string(item, 'admitUsers'));
}

const beginEventScript = loadScript(new URL('./begin-event.lua', import.meta.url), {
  name: 'beginEvent',
  readOnly: false,
});

/** Empties an event's state for a later epoch, unless the store has that epoch already. Until finishEvent the event counts as lost, so nobody sees it half loaded. Cost: O(number of bitmaps), memory is freed in the background. */
export async function beginEvent(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** string, the epoch and who loads it */
    loading: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
    /** everything else of the event */
    others: readonly string[];
  },
  args: {
    epoch: number;
    /** a name of its own for each attempt */
    attempt: string;
    loadingTtlMs: number;
  },
): Promise<boolean> {
  const answer = await redis.runScript(beginEventScript, [keys.meta, keys.loading, keys.spent, keys.chunks, ...keys.others], [args.epoch, args.attempt, args.loadingTtlMs]);
  return reply.boolean(answer, 'beginEvent');
}

const claimSlotsScript = loadScript(new URL('./claim.lua', import.meta.url), {
  name: 'claimSlots',
  readOnly: false,
});

/** Notes protected calls of people in slots: each claims the slot, if it still has this id, and is a sign of life. Cost: O(claims · log n) for n slots. */
export async function claimSlots(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** list of what the journal has not taken */
    changes: string;
  },
  args: {
    /** -1 for the server's clock */
    nowMs: number;
    /** for each one its userId and slot id, at most 500 */
    claims: readonly string[];
  },
): Promise<number> {
  const answer = await redis.runScript(claimSlotsScript, [keys.meta, keys.active, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.returned, keys.changes], [args.nowMs, ...args.claims]);
  return reply.integer(answer, 'claimSlots');
}

const clearQueueScript = loadScript(new URL('./clear.lua', import.meta.url), {
  name: 'clearQueue',
  readOnly: false,
});

/** Ends the places of people who wait or are away, up to one of each lane, the first ones first. Slots stay. Cost: O(limit · log n) for n waiting. */
export async function clearQueue(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset last sign of life → userId with a place */
    seen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** list of what the journal has not taken */
    changes: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
  },
  args: {
    limit: number;
    /** the last order of its lane that may end; -1 in both lanes for those that are there now */
    presaleUpTo: number;
    /** the same of the other lane */
    generalUpTo: number;
  },
): Promise<{ cleared: number; left: number; presaleUpTo: number; generalUpTo: number }> {
  const answer = await redis.runScript(clearQueueScript, [keys.meta, keys.queue, keys.parked, keys.seen, keys.returned, keys.changes, keys.spent, keys.chunks], [args.limit, args.presaleUpTo, args.generalUpTo]);
  const row = reply.tuple(answer, 4, 'clearQueue');
  return { cleared: reply.integer(row[0], 'clearQueue'), left: reply.integer(row[1], 'clearQueue'), presaleUpTo: reply.integer(row[2], 'clearQueue'), generalUpTo: reply.integer(row[3], 'clearQueue') };
}

const configureQueueScript = loadScript(new URL('./configure.lua', import.meta.url), {
  name: 'configureQueue',
  readOnly: false,
});

/** Changes settings of an event and says what was. An empty value leaves a setting as it is. Cost: O(1). */
export async function configureQueue(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
  },
  args: {
    threshold: string;
    /** 1 or 0 */
    paused: string;
    /** 1 or 0 */
    closed: string;
    /** set or remove */
    messageChange: string;
    message: string;
    /** of these settings in the journal; 0 when it does not have them yet */
    version: number;
  },
): Promise<{ status: string; threshold: string; paused: string; closed: string; message: string | null }> {
  const answer = await redis.runScript(configureQueueScript, [keys.meta], [args.threshold, args.paused, args.closed, args.messageChange, args.message, args.version]);
  const row = reply.tuple(answer, 5, 'configureQueue');
  return { status: reply.string(row[0], 'configureQueue'), threshold: reply.string(row[1], 'configureQueue'), paused: reply.string(row[2], 'configureQueue'), closed: reply.string(row[3], 'configureQueue'), message: row[4] === null ? null : reply.string(row[4], 'configureQueue') };
}

const dumpEventScript = loadScript(new URL('./dump-event.lua', import.meta.url), {
  name: 'dumpEvent',
  readOnly: true,
});

/** What the journal keeps of an event, but for the bitmaps of spent places, whose names it says, and for denied slots. Cost: O(slots + returned). */
export async function dumpEvent(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset slot end → userId */
    active: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission, less what claims stood still → userId who has not asked since */
    unclaimed: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** set of the names of the bitmaps */
    chunks: string;
  },
): Promise<string[]> {
  const answer = await redis.runScript(dumpEventScript, [keys.meta, keys.active, keys.slots, keys.unclaimed, keys.returned, keys.chunks], []);
  return reply.list(answer, 'dumpEvent').map((item) => reply.string(item, 'dumpEvent'));
}

const endRecoveryScript = loadScript(new URL('./end-recovery.lua', import.meta.url), {
  name: 'endRecovery',
  readOnly: false,
});

/** Ends recovery before its time. Cost: O(1). */
export async function endRecovery(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
  },
  args: {
    /** whose recovery it is */
    epoch: number;
  },
): Promise<void> {
  await redis.runScript(endRecoveryScript, [keys.meta], [args.epoch]);
}

const endSlotScript = loadScript(new URL('./end-slot.lua', import.meta.url), {
  name: 'endSlot',
  readOnly: false,
});

/** Ends one slot early if it still has this id, and denies the id until the slot would have ended. Cost: O(log n) for n slots. */
export async function endSlot(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
    /** list of what the journal has not taken */
    changes: string;
  },
  args: {
    userId: string;
    slotId: string;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<{ status: string; epoch: number; order: number; endsAtMs: number }> {
  const answer = await redis.runScript(endSlotScript, [keys.meta, keys.active, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.returned, keys.denied, keys.changes], [args.userId, args.slotId, args.nowMs]);
  const row = reply.tuple(answer, 4, 'endSlot');
  return { status: reply.string(row[0], 'endSlot'), epoch: reply.integer(row[1], 'endSlot'), order: reply.integer(row[2], 'endSlot'), endsAtMs: reply.integer(row[3], 'endSlot') };
}

const enterQueueScript = loadScript(new URL('./enter.lua', import.meta.url), {
  name: 'enterQueue',
  readOnly: false,
});

/** Lets users enter, resume or look, one after the other in one step: a slot, a place, or why there is none. Each is decided as if the ones before had come in a call of their own. Cost: O(users · log n) for n waiting. */
export async function enterQueue(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId with a place */
    seen: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission, less what claims stood still → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** list of what the journal has not taken */
    changes: string;
    /** hash, a ring of admissions per second */
    window: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
  },
  args: {
    eventId: string;
    activeTtlMs: number;
    /** -1 for the server's clock */
    nowMs: number;
    /** at most 100 pairs: userId, and the sum of 1 to look only, 2 when a tier-1 number is asked for, 4 for the general lane, 8 to claim no slot, 16 to be given none, 32 to pass the room; then ` ticketOrder numbered` if there is either, 0 for the one that is not */
    calls: readonly string[];
  },
): Promise<{ epoch: number; first: boolean; answers: string }> {
  const answer = await redis.runScript(enterQueueScript, [keys.meta, keys.queue, keys.parked, keys.active, keys.seen, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.returned, keys.changes, keys.window, keys.spent, keys.chunks], [args.eventId, args.activeTtlMs, args.nowMs, ...args.calls]);
  const row = reply.tuple(answer, 3, 'enterQueue');
  return { epoch: reply.integer(row[0], 'enterQueue'), first: reply.boolean(row[1], 'enterQueue'), answers: reply.string(row[2], 'enterQueue') };
}

const exchangeOriginReportsScript = loadScript(new URL('./exchange-origin-reports.lua', import.meta.url), {
  name: 'exchangeOriginReports',
  readOnly: false,
});

/** Notes what one process saw of the origin and answers with what all of them saw lately. Cost: O(number of processes). */
export async function exchangeOriginReports(
  redis: Redis,
  keys: {
    /** hash process → time and what it saw */
    reports: string;
  },
  args: {
    /** the process */
    owner: string;
    /** empty when it saw nothing */
    report: string;
    /** what is older was told by a process that is gone */
    keptMs: number;
  },
): Promise<string[]> {
  const answer = await redis.runScript(exchangeOriginReportsScript, [keys.reports], [args.owner, args.report, args.keptMs]);
  return reply.list(answer, 'exchangeOriginReports').map((item) => reply.string(item, 'exchangeOriginReports'));
}

const finishEventScript = loadScript(new URL('./finish-event.lua', import.meta.url), {
  name: 'finishEvent',
  readOnly: false,
});

/** Opens an event whose state was loaded. Cost: O(1). */
export async function finishEvent(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** string, the epoch and who loads it */
    loading: string;
  },
  args: {
    /** as in loading */
    loader: string;
    epoch: number;
    era: number;
    sequence: number;
    watermark: number;
    recoveringMs: number;
    threshold: number;
    paused: number;
    closed: number;
    hasMessage: number;
    message: string;
    roomOn: number;
    roomEra: number;
    roomVersion: number;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<boolean> {
  const answer = await redis.runScript(finishEventScript, [keys.meta, keys.loading], [args.loader, args.epoch, args.era, args.sequence, args.watermark, args.recoveringMs, args.threshold, args.paused, args.closed, args.hasMessage, args.message, args.roomOn, args.roomEra, args.roomVersion, args.nowMs]);
  return reply.boolean(answer, 'finishEvent');
}

const forgetUsersScript = loadScript(new URL('./forget.lua', import.meta.url), {
  name: 'forgetUsers',
  readOnly: false,
});

/** Forgets people with a place who were unseen for long. Frees memory only: a ticket still holds the place. Cost: O(limit · log n) for n waiting. */
export async function forgetUsers(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset last sign of life → userId with a place */
    seen: string;
  },
  args: {
    seenTtlMs: number;
    limit: number;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<number> {
  const answer = await redis.runScript(forgetUsersScript, [keys.meta, keys.queue, keys.parked, keys.seen], [args.seenTtlMs, args.limit, args.nowMs]);
  return reply.integer(answer, 'forgetUsers');
}

const holdAdmissionScript = loadScript(new URL('./hold.lua', import.meta.url), {
  name: 'holdAdmission',
  readOnly: false,
});

/** Nobody is admitted for a while, or until the journal is written. Never shortens a hold. Cost: O(1). */
export async function holdAdmission(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
  },
  args: {
    forMs: number;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<void> {
  await redis.runScript(holdAdmissionScript, [keys.meta], [args.forMs, args.nowMs]);
}

const isBusyScript = loadScript(new URL('./is-busy.lua', import.meta.url), {
  name: 'isBusy',
  readOnly: true,
});

/** Whether anybody waits, is away or holds a slot, the journal has not taken everything, or tokens are denied. Cost: O(1). */
export async function isBusy(
  redis: Redis,
  keys: {
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** list of what the journal has not taken */
    changes: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
  },
): Promise<boolean> {
  const answer = await redis.runScript(isBusyScript, [keys.queue, keys.parked, keys.active, keys.changes, keys.denied], []);
  return reply.boolean(answer, 'isBusy');
}

const leaveQueueScript = loadScript(new URL('./leave.lua', import.meta.url), {
  name: 'leaveQueue',
  readOnly: false,
});

/** Gives up a place or a slot. The place is over; the slot's id is denied until the slot would have ended. Cost: O(log n) for n waiting. */
export async function leaveQueue(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId with a place */
    seen: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
    /** list of what the journal has not taken */
    changes: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
  },
  args: {
    userId: string;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<{ left: string; epoch: number; order: number; endsAtMs: number; slotId: string }> {
  const answer = await redis.runScript(leaveQueueScript, [keys.meta, keys.queue, keys.parked, keys.active, keys.seen, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.returned, keys.denied, keys.changes, keys.spent, keys.chunks], [args.userId, args.nowMs]);
  const row = reply.tuple(answer, 5, 'leaveQueue');
  return { left: reply.string(row[0], 'leaveQueue'), epoch: reply.integer(row[1], 'leaveQueue'), order: reply.integer(row[2], 'leaveQueue'), endsAtMs: reply.integer(row[3], 'leaveQueue'), slotId: reply.string(row[4], 'leaveQueue') };
}

const loadDeniedScript = loadScript(new URL('./load-denied.lua', import.meta.url), {
  name: 'loadDenied',
  readOnly: false,
});

/** Brings ids of slots that ended early back from the journal: their tokens would still be good. Cost: O(denied · log n). */
export async function loadDenied(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** string, the epoch and who loads it */
    loading: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
  },
  args: {
    /** as in loading */
    loader: string;
    /** the end and the id of each */
    denied: readonly string[];
  },
): Promise<boolean> {
  const answer = await redis.runScript(loadDeniedScript, [keys.meta, keys.loading, keys.denied], [args.loader, ...args.denied]);
  return reply.boolean(answer, 'loadDenied');
}

const loadReturnedScript = loadScript(new URL('./load-returned.lua', import.meta.url), {
  name: 'loadReturned',
  readOnly: false,
});

/** Brings places back from the journal that were given back once: not claimed again, they are over. Cost: O(orders). */
export async function loadReturned(
  redis: Redis,
  keys: {
    /** string, the epoch and who loads it */
    loading: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
  },
  args: {
    /** as in loading */
    loader: string;
    orders: readonly string[];
  },
): Promise<boolean> {
  const answer = await redis.runScript(loadReturnedScript, [keys.loading, keys.returned], [args.loader, ...args.orders]);
  return reply.boolean(answer, 'loadReturned');
}

const loadSlotsScript = loadScript(new URL('./load-slots.lua', import.meta.url), {
  name: 'loadSlots',
  readOnly: false,
});

/** Brings slots back from the journal. Nobody could claim one while the store was away, so the time for it begins anew. Cost: O(slots · log n) for n slots. */
export async function loadSlots(
  redis: Redis,
  keys: {
    /** string, the epoch and who loads it */
    loading: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** list of what the journal has not taken */
    changes: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
  },
  args: {
    /** as in loading */
    loader: string;
    /** -1 for the server's clock */
    nowMs: number;
    /** for each slot its userId, id, order, end and 1 when it is claimed */
    slots: readonly string[];
  },
): Promise<boolean> {
  const answer = await redis.runScript(loadSlotsScript, [keys.loading, keys.active, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.changes, keys.spent, keys.chunks], [args.loader, args.nowMs, ...args.slots]);
  return reply.boolean(answer, 'loadSlots');
}

const loadSpentScript = loadScript(new URL('./load-spent.lua', import.meta.url), {
  name: 'loadSpent',
  readOnly: false,
});

/** Brings one bitmap of spent places back from the journal. Cost: O(bytes). */
export async function loadSpent(
  redis: Redis,
  keys: {
    /** string, the epoch and who loads it */
    loading: string;
    /** string, the bitmap of one era and chunk */
    bitmap: string;
    /** set of those bitmaps */
    chunks: string;
  },
  args: {
    /** as in loading */
    loader: string;
    /** era:chunk */
    name: string;
    bits: Buffer;
  },
): Promise<boolean> {
  const answer = await redis.runScript(loadSpentScript, [keys.loading, keys.bitmap, keys.chunks], [args.loader, args.name, args.bits]);
  return reply.boolean(answer, 'loadSpent');
}

const mergeLateScript = loadScript(new URL('./merge.lua', import.meta.url), {
  name: 'mergeLate',
  readOnly: false,
});

/** Adds what happened in a lost epoch and never reached the journal, as far as a process still knows it. Cost: O(lines · log n) for n waiting. */
export async function mergeLate(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId with a place */
    seen: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission, less what claims stood still → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
    /** list of what the journal has not taken */
    changes: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
  },
  args: {
    /** the one that is there now */
    epoch: number;
    /** -1 for the server's clock */
    nowMs: number;
    /** changes as in the list, at most 500 */
    lines: readonly string[];
  },
): Promise<string> {
  const answer = await redis.runScript(mergeLateScript, [keys.meta, keys.queue, keys.parked, keys.active, keys.seen, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.returned, keys.denied, keys.changes, keys.spent, keys.chunks], [args.epoch, args.nowMs, ...args.lines]);
  return reply.string(answer, 'mergeLate');
}

const readChangesScript = loadScript(new URL('./read-changes.lua', import.meta.url), {
  name: 'readChanges',
  readOnly: true,
});

/** The oldest changes that the journal has not taken, and where they stand. Cost: O(limit). */
export async function readChanges(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** list of what the journal has not taken */
    changes: string;
  },
  args: {
    limit: number;
  },
): Promise<string[]> {
  const answer = await redis.runScript(readChangesScript, [keys.meta, keys.changes], [args.limit]);
  return reply.list(answer, 'readChanges').map((item) => reply.string(item, 'readChanges'));
}

const readMarksScript = loadScript(new URL('./read-marks.lua', import.meta.url), {
  name: 'readMarks',
  readOnly: true,
});

/** Which places were over, or not over any more, since a position among the changes. Cost: O(limit). */
export async function readMarks(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** list of what the journal has not taken */
    changes: string;
    /** list of what became of the last changes that it has taken: +order, -order, or nothing */
    recent: string;
  },
  args: {
    /** the position is one of this epoch */
    epoch: number;
    from: number;
    limit: number;
  },
): Promise<string[]> {
  const answer = await redis.runScript(readMarksScript, [keys.meta, keys.changes, keys.recent], [args.epoch, args.from, args.limit]);
  return reply.list(answer, 'readMarks').map((item) => reply.string(item, 'readMarks'));
}

const readSpentScript = loadScript(new URL('./read-spent.lua', import.meta.url), {
  name: 'readSpent',
  readOnly: true,
});

/** A part of a bitmap of spent places, as hexadecimal text. Empty at its end. Cost: O(length). */
export async function readSpent(
  redis: Redis,
  keys: {
    /** string */
    bitmap: string;
  },
  args: {
    /** the first byte */
    from: number;
    /** at most 16384 */
    length: number;
  },
): Promise<string> {
  const answer = await redis.runScript(readSpentScript, [keys.bitmap], [args.from, args.length]);
  return reply.string(answer, 'readSpent');
}

const removeEventScript = loadScript(new URL('./remove-event.lua', import.meta.url), {
  name: 'removeEvent',
  readOnly: false,
});

/** Takes an event out of the store that nobody needs there: nobody waits, is away or in a slot, the journal has everything, and no token of a slot that ended early is still good. Cost: O(deniedMax + number of bitmaps), memory is freed in the background. */
export async function removeEvent(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** string, the epoch and who loads it */
    loading: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** list of what the journal has not taken */
    changes: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
    /** prefix of the bitmaps of places that are over, one for each era and chunk */
    spent: string;
    /** set of those bitmaps */
    chunks: string;
    /** everything else of the event */
    others: readonly string[];
  },
  args: {
    /** a later one is somebody else's */
    epoch: number;
    /** how many ended denials are looked at */
    deniedMax: number;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<boolean> {
  const answer = await redis.runScript(removeEventScript, [keys.meta, keys.loading, keys.queue, keys.parked, keys.active, keys.changes, keys.denied, keys.spent, keys.chunks, ...keys.others], [args.epoch, args.deniedMax, args.nowMs]);
  return reply.boolean(answer, 'removeEvent');
}

const takeSnapshotScript = loadScript(new URL('./snapshot.lua', import.meta.url), {
  name: 'takeSnapshot',
  readOnly: false,
});

/** Everything a process needs to answer polls without asking again, and its word that it has told its signs of life. Cost: O(b · log n) for b breakpoints and n waiting, plus what is denied, at most deniedMax. */
export async function takeSnapshot(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** zset serial number → end and id of a slot that ended early */
    denied: string;
    /** hash, a ring of admissions per second */
    window: string;
    /** zset last word → process that answers polls */
    flushers: string;
  },
  args: {
    /** the last serial number that the caller knows */
    deniedAfter: number;
    deniedMax: number;
    /** -1 for the server's clock */
    nowMs: number;
    /** the process that has told its signs of life; empty when nobody says so */
    flusher: string;
    /** 1 when it answers no polls any more */
    isLeaving: number;
    /** a longer silence of a flusher is nobody's absence */
    outageMs: number;
    /** how many are kept; the most silent go first */
    flushersMax: number;
  },
): Promise<string[]> {
  const answer = await redis.runScript(takeSnapshotScript, [keys.meta, keys.queue, keys.parked, keys.active, keys.denied, keys.window, keys.flushers], [args.deniedAfter, args.deniedMax, args.nowMs, args.flusher, args.isLeaving, args.outageMs, args.flushersMax]);
  return reply.list(answer, 'takeSnapshot').map((item) => reply.string(item, 'takeSnapshot'));
}

const switchRoomScript = loadScript(new URL('./switch-room.lua', import.meta.url), {
  name: 'switchRoom',
  readOnly: false,
});

/** Whether tier 1 stands before the event, and the era in which the store's own numbers go on. Cost: O(1). */
export async function switchRoom(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
  },
  args: {
    /** only ever raised */
    era: number;
    roomOn: number;
    /** the latest of tier 1's numbers */
    roomEra: number;
    /** of this switch in the journal; an earlier one than is known changes nothing */
    version: number;
  },
): Promise<string> {
  const answer = await redis.runScript(switchRoomScript, [keys.meta], [args.era, args.roomOn, args.roomEra, args.version]);
  return reply.string(answer, 'switchRoom');
}

const touchUsersScript = loadScript(new URL('./touch.lua', import.meta.url), {
  name: 'touchUsers',
  readOnly: false,
});

/** Notes signs of life; who was away comes back at the old order. Answers with the users it does not know. Cost: O(users · log n) for n waiting. */
export async function touchUsers(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId with a place */
    seen: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** zset time of admission → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
  },
  args: {
    /** -1 for the server's clock */
    nowMs: number;
    /** at most 500 */
    userIds: readonly string[];
  },
): Promise<string[]> {
  const answer = await redis.runScript(touchUsersScript, [keys.meta, keys.queue, keys.parked, keys.active, keys.seen, keys.activeSeen, keys.unclaimed, keys.unclaimedSeen], [args.nowMs, ...args.userIds]);
  return reply.list(answer, 'touchUsers').map((item) => reply.string(item, 'touchUsers'));
}

const traceUserScript = loadScript(new URL('./trace.lua', import.meta.url), {
  name: 'traceUser',
  readOnly: true,
});

/** Where one user is, and why. Cost: O(log n) for n waiting. */
export async function traceUser(
  redis: Redis,
  keys: {
    /** hash of the event */
    meta: string;
    /** zset order → userId */
    queue: string;
    /** zset order → userId of people who are away */
    parked: string;
    /** zset slot end → userId */
    active: string;
    /** zset last sign of life → userId with a place */
    seen: string;
    /** zset last sign of life → userId of a claimed slot */
    activeSeen: string;
    /** hash userId → order and slot id */
    slots: string;
    /** zset time of admission → userId who has not asked since */
    unclaimed: string;
    /** zset last sign of life → userId of an unclaimed slot */
    unclaimedSeen: string;
    /** set of orders that were given back once, unclaimed */
    returned: string;
  },
  args: {
    userId: string;
    /** -1 for the server's clock */
    nowMs: number;
  },
): Promise<{ place: string; order: number | null; position: number | null; seenAtMs: number | null; endsAtMs: number; slotId: string; claimed: boolean; returned: boolean }> {
  const answer = await redis.runScript(traceUserScript, [keys.meta, keys.queue, keys.parked, keys.active, keys.seen, keys.activeSeen, keys.slots, keys.unclaimed, keys.unclaimedSeen, keys.returned], [args.userId, args.nowMs]);
  const row = reply.tuple(answer, 8, 'traceUser');
  return { place: reply.string(row[0], 'traceUser'), order: row[1] === null ? null : reply.integer(row[1], 'traceUser'), position: row[2] === null ? null : reply.integer(row[2], 'traceUser'), seenAtMs: row[3] === null ? null : reply.integer(row[3], 'traceUser'), endsAtMs: reply.integer(row[4], 'traceUser'), slotId: reply.string(row[5], 'traceUser'), claimed: reply.boolean(row[6], 'traceUser'), returned: reply.boolean(row[7], 'traceUser') };
}
