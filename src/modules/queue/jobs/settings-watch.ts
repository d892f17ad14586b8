import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '#platform/telemetry/logger.ts';
import type {
  KnownEvents,
  QueueConfig,
  QueueJournal,
  QueueSettings,
  QueueStore,
  RoomSwitch,
  SavedSettings,
} from '../ports.ts';
import type { RecoverableEventStates } from '../service/event-states.ts';
import { settingsInForce } from '../service/settings.ts';

interface InStore {
  readonly inStore: QueueSettings;
  readonly room: RoomSwitch;
  /** The latest that the store was told. */
  readonly version: number;
}

export interface SettingsWatch {
  /** `set`: read before what is in the store. */
  compare(eventId: string, now: InStore & { set: SavedSettings }): Promise<void>;
}

const eventsMax = 1_000;

/**
 * The store follows the journal and the event's facts: a threshold that the seller changed, a pause that a stale copy of
 * the store does not know. A difference is mended when it is seen twice in a row, because an operator's change is in the
 * store a moment before it is in the journal.
 *
 * The store is told the version of the settings that it has from the journal. If it knows a later one than the journal, then
 * that went back, as after a restore, and takes over what is in force: a pause stays a pause.
 */
export function createSettingsWatch(deps: {
  store: QueueStore;
  journal: QueueJournal;
  states: RecoverableEventStates;
  known: KnownEvents;
  config: QueueConfig;
  logger: Logger;
}): SettingsWatch {
  const { journal, states, logger } = deps;
  const differed = new Map<string, QueueSettings>();

  const configure = (eventId: string, changes: Partial<QueueSettings>, version: number) =>
    states.withState(eventId, () => deps.store.configure({ eventId, changes, version }));

  /** Null: it did not. The store is told a version after the journal has it; read again, for these are of before the snapshot. */
  async function wentBack(eventId: string, version: number): Promise<SavedSettings | null> {
    const saved = (await journal.settingsOf([eventId])).get(eventId);
    return saved !== undefined && saved.version < version ? saved : null;
  }

  async function takeOver(eventId: string, saved: SavedSettings, { inStore, version }: InStore): Promise<void> {
    const { version: before, era: _era, room: _room, ...set } = saved;
    const wanted = await settingsInForce(deps, eventId, set);
    // Who set the threshold is not known in the store: if it is the one that would hold anyway, nobody.
    const threshold = wanted.threshold === inStore.threshold ? set.threshold : inStore.threshold;
    await journal.adoptSettings(eventId, { ...inStore, threshold, version });
    logger.error(
      { eventId, inForce: inStore, journal: set, versions: [before, version] },
      'the journal has older settings than the store, as after a restore: it takes over those in force',
    );
  }

  /** What a switch did not bring to the store, because it was away, is brought here; and if the journal went back, the switch to it. */
  async function compareRooms(eventId: string, saved: RoomSwitch, known: RoomSwitch): Promise<void> {
    if (saved.room.version === known.room.version) return;
    if (saved.room.version > known.room.version) {
      await states.withState(eventId, () => deps.store.switchRoom({ eventId, ...saved }));
      logger.info({ eventId, before: known, after: saved }, 'the store follows a switch of the waiting room');
      return;
    }
    // Read again: these are of before the snapshot.
    const now = (await journal.settingsOf([eventId])).get(eventId);
    if (now === undefined || now.room.version >= known.room.version) return;
    await journal.adoptRoom(eventId, known);
    logger.error(
      { eventId, inForce: known, journal: now.room },
      'the journal has an older switch of the room than the store',
    );
  }

  return {
    async compare(eventId, { set: { version: saved, era, room, ...set }, ...store }) {
      await compareRooms(eventId, { era, room }, store.room);
      if (store.version > saved) {
        const older = await wentBack(eventId, store.version);
        if (older !== null) await takeOver(eventId, older, store);
        return;
      }
      const wanted = await settingsInForce(deps, eventId, set);
      if (isDeepStrictEqual(wanted, store.inStore)) {
        differed.delete(eventId);
        if (saved > store.version) await configure(eventId, {}, saved);
        return;
      }
      if (!isDeepStrictEqual(differed.get(eventId), wanted)) {
        if (differed.size >= eventsMax) differed.clear();
        differed.set(eventId, wanted);
        return;
      }
      differed.delete(eventId);
      await configure(eventId, wanted, saved);
      logger.info({ eventId, before: store.inStore, after: wanted }, 'the store follows the settings in force');
    },
  };
}
