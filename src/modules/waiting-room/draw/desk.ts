import { createHash } from 'node:crypto';
import type { Receipt } from '#edge/draw/published.ts';
import type { Clock } from '#platform/clock.ts';
import { drawOf, type RoomDraw, stageOf } from '../domain/draw.ts';
import { presentDraw, type Room } from '../domain/room.ts';
import { waitingRoomErrors } from '../errors.ts';
import type { RequestId } from '../service/request-ids.ts';
import type { Entries } from './entries.ts';
import { createDrawnNumbers } from './places.ts';

/** What a draw changes for a visitor: an entry before it, a number after it. */
export interface DrawDesk {
  /** Throws for those who cannot enter a draw that is on, before any work is asked of them. */
  refuse(room: Room, userId: string | null): void;
  /** While the draw of the present era takes entries. Null: it does not, so a number is given. `over`: not any more. */
  enter(room: Room, visitor: Visitor): Promise<Taken | 'over' | 'used-proof' | null>;
  /** The number of a request; `drawing`: nobody knows it yet; `refused`: its draw did not count, so one enters again. */
  numberOf(room: Room, request: RequestId): number | 'drawing' | 'refused';
}

export interface Taken {
  readonly request: RequestId;
  /** Of an entry; null: there is none, or another browser of the account has it. */
  readonly receipt: Receipt | null;
}

export interface Visitor {
  readonly visitor: string;
  /** Null: nobody is signed in. */
  readonly userId: string | null;
  /** The name of the proof of work that came along, if one was asked for. */
  readonly proof: string | null;
}

export function createDrawDesk({ entries, clock }: { entries: Entries; clock: Clock }): DrawDesk {
  const drawnNumber = createDrawnNumbers();

  /** The draw of the present era while it takes entries. */
  function entering(room: Room, userId: string | null): RoomDraw | null {
    const draw = presentDraw(room);
    if (draw === null) return null;
    const stage = stageOf(draw);
    if (stage === 'void') throw waitingRoomErrors.fault('DRAW_VOID', { retryAfterSeconds });
    if (stage !== 'entering') return null;
    if (draw.signInRequired && userId === null) throw waitingRoomErrors.fault('SIGN_IN_REQUIRED');
    return draw;
  }

  return {
    refuse: (room, userId) => void entering(room, userId),

    async enter(room, { visitor, userId, proof }) {
      const draw = entering(room, userId);
      if (draw === null) return null;
      const { eventId } = room;
      const { era } = draw;
      const account = draw.signInRequired && userId !== null ? accountMark({ eventId, era, userId }) : null;
      const entered = await entries.enter({ eventId, era }, { visitor, atMs: clock.now(), account, proof });
      if (entered.status === 'over' || entered.status === 'used-proof') return entered.status;
      const { entry } = entered;
      const request = {
        eventId,
        era,
        number: null,
        entry: entry.entry,
        visitor: entry.visitor,
        issuedAtMs: entry.atMs,
      };
      return { request, receipt: entered.status === 'entered' ? entered.receipt : null };
    },

    numberOf(room, { era, number, entry }) {
      const draw = drawOf(room.draws, era);
      const stage = draw === null ? null : stageOf(draw);
      const isUndrawn = stage === 'entering' || stage === 'frozen';
      if (stage === 'void' || (isUndrawn && era !== room.era)) return 'refused';
      if (entry === null) return number ?? 'refused';
      if (draw === null) return 'refused';
      return isUndrawn ? 'drawing' : (drawnNumber(draw, entry) ?? 'refused');
    },
  };
}

const retryAfterSeconds = 5;

/** Names nobody to a reader of the table. */
function accountMark(of: { eventId: string; era: number; userId: string }): string {
  return createHash('sha256').update(`urr draw account ${of.eventId} ${of.era} ${of.userId}`).digest('hex');
}
