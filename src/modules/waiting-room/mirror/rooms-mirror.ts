import { type ActiveRooms, isStale, noRooms, parseRooms, type RoomsDocument, roomsInForce } from '#edge/rooms.ts';
import type { Rooms } from '#modules/queue/contract.ts';
import type { Clock } from '#platform/clock.ts';
import type { Job } from '#platform/module.ts';
import type { Logger } from '#platform/telemetry/logger.ts';

export interface RoomsMirror {
  /** Null: nobody has answered yet, and `whenAsked` says when that is over. */
  inForce(): ActiveRooms | null;
  /** The source has answered, or failed, once. Never rejects. */
  whenAsked(): Promise<void>;
  /** For the queue. */
  readonly rooms: Rooms;
  readonly job: Job;
}

/** A switch is known everywhere after this, one call and a jitter: well within ten seconds. */
const everyMs = 2_000;

interface Known {
  readonly document: RoomsDocument;
  /** By the monotonic clock, before the question was sent: a clock that is set makes no document older or younger. */
  readonly askedAtMs: number;
}

/**
 * What this process knows of the rooms that are on. The last word stays good while the source is away; after ten minutes each room
 * goes by its own fail mode. Without any word there is none.
 */
export function createRoomsMirror(deps: {
  activeRooms: () => Promise<unknown>;
  clock: Clock;
  logger: Logger;
}): RoomsMirror {
  const { activeRooms, clock, logger } = deps;
  const startedAtMs = clock.monotonicMs();
  let known: Known | null = null;
  let inForce: ActiveRooms | null = null;
  let isAway = false;
  let asking: Promise<void> | null = null;

  function unconfirmedMs(): number {
    return clock.monotonicMs() - (known?.askedAtMs ?? startedAtMs);
  }

  function settle(): void {
    const before = inForce ?? noRooms;
    inForce = roomsInForce(known === null ? null : { document: known.document, unconfirmedMs: unconfirmedMs() });
    const [was, is] = [idsOf(before), idsOf(inForce)];
    if (was !== is)
      logger.info({ before: was, rooms: is, unconfirmedMs: unconfirmedMs() }, 'other waiting rooms are on');
  }

  async function ask(): Promise<void> {
    const askedAtMs = clock.monotonicMs();
    try {
      const document = parseRooms(await activeRooms());
      if (document === null) throw new Error('that is no document of rooms');
      known = { document, askedAtMs };
      if (isAway) logger.info('the waiting room says again which rooms are on');
      isAway = false;
    } catch (error) {
      if (!isAway)
        logger.warn({ err: error }, 'the waiting room does not say which rooms are on; what it last said counts');
      isAway = true;
    }
    settle();
  }

  function askOnce(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  }

  return {
    inForce: () => inForce,
    whenAsked: () => (inForce === null ? askOnce() : Promise.resolve()),
    rooms: {
      isOn: (eventId) => inForce?.byEvent.has(eventId) === true,
      // A room that was to stay shut while nobody confirms it is among those in force.
      failsOpen: (eventId) => isStale(unconfirmedMs()) && inForce?.byEvent.has(eventId) !== true,
    },
    job: { name: 'waiting-rooms-mirror', everyMs, run: askOnce },
  };
}

function idsOf({ byEvent, wholeSite }: ActiveRooms): string {
  return [...(wholeSite === null ? [] : [wholeSite.eventId]), ...byEvent.keys()].sort().join(' ');
}
