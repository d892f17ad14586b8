import { assertNever } from '#platform/assert.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { RoomWanted } from '../domain/room-eras.ts';
import { queueErrors } from '../errors.ts';
import type { EventStates, KnownEvents, QueueJournal, QueueStore, RoomSwitch } from '../ports.ts';
import { isInStore } from './event-view.ts';
import type { Snapshots } from './snapshots.ts';

export type SwitchRoom = (call: { eventId: string } & RoomWanted) => Promise<{ era: number }>;

/**
 *   journal (takes the era, in one step) ─▶ store (entering decides by it from then on)
 *
 * The journal's word counts: without the store the room is switched all the same, and the next admission step, or whoever brings
 * the event back, tells it to the store. Until then the processes' own knowledge of the rooms keeps people out.
 */
export function createRoomSwitch(deps: {
  journal: Pick<QueueJournal, 'switchRoom'>;
  store: QueueStore;
  states: EventStates;
  known: Pick<KnownEvents, 'get'>;
  snapshots: Pick<Snapshots, 'get'>;
  logger: Logger;
}): SwitchRoom {
  const { journal, store, states, known, snapshots, logger } = deps;

  /** A queue that nobody has entered yet is begun first: found in the journal alone it would be taken for one that was lost. */
  async function begin(eventId: string): Promise<void> {
    if ((await known.get(eventId)) === null) {
      throw platformErrors.fault('NOT_FOUND', { detail: 'There is no such event.' });
    }
    await snapshots
      .get(eventId)
      .catch((error: unknown) =>
        logger.warn({ err: error, eventId }, 'a waiting room is switched on while the store is away'),
      );
  }

  async function tellStore(eventId: string, { era, room }: RoomSwitch): Promise<void> {
    // After its sale an event may have left the store; who brings it back brings the room, too.
    if (!isInStore(await snapshots.get(eventId))) return;
    await states.withState(eventId, () => store.switchRoom({ eventId, era, room }));
  }

  return async ({ eventId, ...wanted }) => {
    if (wanted.on) await begin(eventId);
    const switched = await journal.switchRoom(eventId, wanted);
    switch (switched.status) {
      case 'no-era-left':
        throw queueErrors.fault('ROOM_ERAS_USED_UP');
      case 'switched':
      case 'kept':
        break;
      default:
        return assertNever(switched);
    }
    const { status, era, room } = switched;
    // Also when nothing changed: the call before this one may not have reached the store.
    if (room.version > 0) {
      await tellStore(eventId, { era, room }).catch((error: unknown) =>
        logger.warn({ err: error, eventId, room }, 'the store does not know of a switch of the waiting room yet'),
      );
    }
    if (status === 'switched') logger.info({ eventId, era, room }, 'a waiting room was switched');
    return { era: room.on ? room.era : era };
  };
}
