import { lastToldLine } from '../domain/lines.ts';
import type { Counters, CountersRead, NotThis } from '../ports.ts';
import { isBeforeDraw } from './numbers.ts';
import type { KnownRoom, Rooms } from './rooms.ts';

/**
 * A loss forgets numbers of the last second: the line behind it is then shorter than the places that visitors were told. Where it is about
 * to end before those places, numbers that nobody gets make it longer, as few as are served next: so whoever was told a place is served
 * at the rate, and nobody waits for the numbers that were never given.
 */
export function createForgottenPlaces({ counters, rooms }: { counters: Counters; rooms: Pick<Rooms, 'get' | 'saw'> }) {
  return async function reach(
    { eventId, epoch }: Pick<KnownRoom, 'eventId' | 'epoch'>,
    places: number,
  ): Promise<NotThis | Pick<CountersRead, 'status'>> {
    const room = rooms.get(eventId);
    if (room === null || room.epoch !== epoch || isBeforeDraw(room)) return { status: 'ok' };
    const { segments, lastLine, servingLine } = room;
    const count = Math.min(lastToldLine(segments) - lastLine, Math.ceil(places) - (lastLine - servingLine));
    if (count <= 0) return { status: 'ok' };
    const answer = await counters.assign({ eventId, epoch, count });
    if (answer.status !== 'ok') return answer;
    rooms.saw(eventId, epoch, { given: answer.first + answer.granted - 1 });
    return { status: 'ok' };
  };
}

export type ReachForgottenPlaces = ReturnType<typeof createForgottenPlaces>;
