import type { AreaLeft, GradeLeft, Reservation, SeatChanges, SeatMapAnswer } from './seat-types.ts';

/** The map as this page knows it. Replaced with every change. */
export interface LiveMap {
  readonly layoutId: string;
  readonly version: number;
  /** By seatNo; longer than the hall by up to three. */
  readonly states: Uint8Array;
  readonly grades: readonly GradeLeft[];
  readonly areas: readonly AreaLeft[];
  readonly mine: Reservation | null;
}

const bitsPerSeat = 2;
const seatsPerByte = 8 / bitsPerSeat;

export function liveMapOf({ layoutId, version, states, grades, areas, mine }: SeatMapAnswer): LiveMap {
  return { layoutId, version, states: decodeStates(states), grades, areas, mine };
}

/** Two bits a seat, the first seat in the lowest bits. */
function decodeStates(base64: string): Uint8Array {
  const bytes = atob(base64);
  const states = new Uint8Array(bytes.length * seatsPerByte);
  for (let seatNo = 0; seatNo < states.length; seatNo += 1) {
    const byte = bytes.charCodeAt(Math.floor(seatNo / seatsPerByte));
    states[seatNo] = (byte >> ((seatNo % seatsPerByte) * bitsPerSeat)) & 0b11;
  }
  return states;
}

/** What is told of a grade or an area is told whole; those that are not named stay as they are. */
export function applyChanges(map: LiveMap, changes: SeatChanges): LiveMap {
  const states = changes.seats.length === 0 ? map.states : map.states.slice();
  for (const [seatNo = -1, state = 0] of changes.seats)
    if (seatNo >= 0 && seatNo < states.length) states[seatNo] = state;
  return {
    ...map,
    version: changes.version,
    states,
    grades: merged(map.grades, changes.grades, ({ grade }) => grade),
    areas: merged(map.areas, changes.areas, ({ ticketTypeId }) => ticketTypeId),
  };
}

function merged<Item>(before: readonly Item[], news: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  if (news.length === 0) return before;
  const byKey = new Map(news.map((item) => [keyOf(item), item]));
  const kept = before.map((item) => byKey.get(keyOf(item)) ?? item);
  const known = new Set(before.map(keyOf));
  return [...kept, ...news.filter((item) => !known.has(keyOf(item)))];
}
