import type { Static } from 'typebox';
import { packLooks } from '../domain/packed-looks.ts';
import { seatLooks } from '../domain/seat.ts';
import type { SectionSeat, SectionSeats } from '../schemas.ts';
import type { LiveMap } from './live-map.ts';

/** Answers about a map, prepared once for all who read it until something changes. */
export interface SeatMapAnswers {
  /** The whole map for one user: JSON, and the tag of exactly this answer. */
  whole(map: LiveMap, userId: string): { body: string | Buffer; etag: string };
  /** The seats of one section as JSON; null: there is no such section. */
  section(map: LiveMap, sectionId: string, userId: string): string | null;
}

type SectionAnswer = Static<typeof SectionSeats>;
type SectionItem = Static<typeof SectionSeat>;

interface Prepared {
  readonly changeCount: number;
  /** Everything before the value of `mine`. */
  readonly head: string;
  /** For all who hold nothing, which is nearly everybody. */
  readonly forNobody: Buffer;
  /** Section lists for those who hold nothing, as far as somebody has asked. */
  readonly sections: Map<string, string>;
}

/** `tag` tells this process from others and from those before it: their counts of changes mean something else. */
export function createSeatMapAnswers(tag: string): SeatMapAnswers {
  const prepared = new WeakMap<LiveMap, Prepared>();

  function prepare(map: LiveMap): Prepared {
    const changeCount = map.changeCount();
    const known = prepared.get(map);
    if (known?.changeCount === changeCount) return known;
    const facts = {
      layoutId: map.plan.layoutId,
      version: map.version(),
      states: packLooks(map.looks()).toString('base64'),
      ...map.left(),
    };
    const head = `${JSON.stringify(facts).slice(0, -1)},"mine":`;
    const fresh = { changeCount, head, forNobody: Buffer.from(`${head}null}`), sections: new Map<string, string>() };
    prepared.set(map, fresh);
    return fresh;
  }

  return {
    whole(map, userId) {
      const { changeCount, head, forNobody } = prepare(map);
      const mine = map.heldBy(userId).at(-1);
      if (mine === undefined) return { body: forNobody, etag: `"${tag}.${map.eventId}.${changeCount}"` };
      return {
        body: `${head}${mine.json()}}`,
        etag: `"${tag}.${map.eventId}.${changeCount}.${mine.id}.${mine.version}"`,
      };
    },
    section(map, sectionId, userId) {
      const own = ownSeats(map, userId);
      if (own.size > 0) return sectionJson(map, sectionId, own);
      const { sections } = prepare(map);
      const known = sections.get(sectionId);
      if (known !== undefined) return known;
      const json = sectionJson(map, sectionId, own);
      if (json !== null) sections.set(sectionId, json);
      return json;
    },
  };
}

function sectionJson(map: LiveMap, sectionId: string, own: ReadonlySet<number>): string | null {
  const place = map.plan.section(sectionId);
  if (place === undefined) return null;
  const looks = map.looks();
  const items: SectionItem[] = [];
  for (let seatNo = place.first; seatNo < place.first + place.count; seatNo++) {
    const seat = map.plan.seat(seatNo);
    if (seat === undefined) continue;
    const { seatId, row, label, grade, priceKrw } = seat;
    const state = own.has(seatNo) ? 'mine' : (seatLooks[looks[seatNo] ?? 0] ?? 'blocked');
    items.push({ seatId, row, label, grade, priceKrw, state });
  }
  const answer: SectionAnswer = { version: map.version(), items };
  return JSON.stringify(answer);
}

/** Those that the user's reservations still hold: a seat that lapsed and went to somebody else has another fence. */
function ownSeats(map: LiveMap, userId: string): ReadonlySet<number> {
  const lines = map.heldBy(userId).flatMap((held) => held.lines().seats);
  return new Set(lines.filter(({ seatNo, fence }) => map.board.fenceOf(seatNo) === fence).map(({ seatNo }) => seatNo));
}
