import { type Consumer, type ConsumerDeclaration, defineConsumer, type EventOf } from '#platform/bus/port.ts';
import { generalLane } from '../domain/place-order.ts';
import type { Announce } from '../notices/announce.ts';
import type { EnterResult, EventStates, Fence, QueueConfig, QueueStore, WithdrawnEntries } from '../ports.ts';
import { changesOfBufferedEntry } from '../service/recent-changes.ts';
import { queueEntry, queueEntryHot } from '../topics.ts';

const entries = {
  mode: 'batch',
  commit: 'manual',
  retry: { times: 3, backoffMs: 200 },
  batchSizeMax: 500,
} as const;

export const entriesDeclaration = {
  ...entries,
  topic: queueEntry,
  group: 'queue-entry',
  deadLetter: 'queue-entry-dead',
} as const satisfies ConsumerDeclaration<typeof queueEntry>;

/** Of the role `queue-hot`. */
export const hotEntriesDeclaration = {
  ...entries,
  topic: queueEntryHot,
  group: 'queue-entry-hot',
  deadLetter: 'queue-entry-hot-dead',
} as const satisfies ConsumerDeclaration<typeof queueEntryHot>;

export interface EntriesDeps {
  readonly store: Pick<QueueStore, 'enter'>;
  readonly states: EventStates;
  readonly withdrawn: Pick<WithdrawnEntries, 'among'>;
  readonly config: Pick<QueueConfig, 'activeTtlMs'>;
  /** Its sale is on and it has a queue. */
  readonly isOpen: (eventId: string) => Promise<boolean>;
  readonly announce: Announce;
}

/**
 * Takes the places in the order of the topic. The user deduplicates: anyone who has a place or a slot keeps it, so a message
 * that comes again does nothing. One whose user has left since is passed over; only if that happens in the very moment in which
 * its batch is placed it gives a place all the same, and that goes the way of every no-show. Refusals (the room came on, the
 * queue was closed) are told by the next check.
 */
export const entriesConsumer = (deps: EntriesDeps): Consumer =>
  defineConsumer({ declaration: entriesDeclaration, handle: (events) => placeAll(deps, events) });

export const hotEntriesConsumer = (deps: EntriesDeps): Consumer =>
  defineConsumer({ declaration: hotEntriesDeclaration, handle: (events) => placeAll(deps, events) });

type Entry = EventOf<typeof queueEntry>;

async function placeAll(deps: EntriesDeps, events: readonly Entry[]): Promise<void> {
  const byEvent = Map.groupBy(events, ({ data }) => data.eventId);
  for (const [eventId, requested] of byEvent) {
    if (!(await deps.isOpen(eventId))) continue;
    const [first, ...rest] = await notWithdrawn(deps, eventId, requested);
    if (first === undefined) continue;
    // The first finds the store ready, or makes it so. The others then go out one behind the other on one connection,
    // which keeps their order and costs one wait instead of hundreds.
    await place(deps, first);
    await Promise.all(rest.map((entry) => place(deps, entry)));
  }
}

async function notWithdrawn(
  { withdrawn }: EntriesDeps,
  eventId: string,
  requested: readonly Entry[],
): Promise<Entry[]> {
  const nameOf = ({ data }: Entry) => ({ userId: data.userId, requestedAtMs: Date.parse(data.requestedAt) });
  const isWithdrawn = await withdrawn.among(eventId, requested.map(nameOf));
  return requested.filter((entry) => !isWithdrawn(nameOf(entry)));
}

async function place({ store, states, config, announce }: EntriesDeps, { data }: Entry): Promise<void> {
  const { eventId, userId, roomOn, ticketOrder, numbered } = data;
  const ask = async ({ mayGrant }: Fence) =>
    store.enter({
      eventId,
      userId,
      mode: 'enter',
      withoutSlot: !(await mayGrant()),
      unattended: true,
      lane: generalLane,
      roomOn,
      // It was accepted when nobody here knew of a room, and keeps its right.
      pastRoom: !roomOn,
      activeTtlMs: config.activeTtlMs,
      ...(ticketOrder !== undefined && { ticketOrder }),
      ...(numbered !== undefined && { numbered }),
    });
  const result = await states.withState<EnterResult>(eventId, ask, changesOfBufferedEntry(userId));
  if (result.status === 'active' && result.fresh) announce(eventId, [result.slot]);
}
