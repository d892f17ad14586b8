import type { Queryable } from '#platform/postgres/database.ts';
import { type RoomSwitched, type RoomWanted, switchRoom } from '../domain/room-eras.ts';
import type { RoomSwitch } from '../ports.ts';

export const roomColumns = 'era, room_on, room_era, room_version';

export interface RoomRow {
  era: number;
  room_on: boolean;
  room_era: number;
  room_version: number;
}

export function roomOf({ era, room_on: on, room_era, room_version: version }: RoomRow): RoomSwitch {
  return { era, room: { on, era: room_era, version } };
}

/** Under the lock of the event's row. One that nobody ever had a queue or a room for has nothing to switch off. */
export async function switchJournaled(on: Queryable, eventId: string, wanted: RoomWanted): Promise<RoomSwitched> {
  const { rows } = await on.query<RoomRow>(`SELECT ${roomColumns} FROM queue.events WHERE event_id = $1 FOR UPDATE`, [
    eventId,
  ]);
  const now = roomOf(rows[0] ?? { era: 0, room_on: false, room_era: 0, room_version: 0 });
  const then = switchRoom(now, wanted);
  if (then.status === 'switched') await save(on, eventId, then);
  return then;
}

/** Of an earlier switch than this journal knows nothing happens. */
export async function adoptRoom(on: Queryable, eventId: string, known: RoomSwitch): Promise<void> {
  await save(on, eventId, known);
}

async function save(on: Queryable, eventId: string, { era, room }: RoomSwitch): Promise<void> {
  await on.query(
    `UPDATE queue.events
        SET era = greatest(era, $2), sequence = CASE WHEN $2 > era THEN 0 ELSE sequence END,
            room_on = $3, room_era = greatest(room_era, $4), room_version = $5
      WHERE event_id = $1 AND room_version < $5`,
    [eventId, era, room.on, room.era, room.version],
  );
}
