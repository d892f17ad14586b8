import { keep, keptKeys, readKept } from '../app/kept.ts';

/** For which event this browser was in line or in a slot, and as whom. It proves nothing: the server is asked. */
export interface KeptPlace {
  /** Null: nobody was signed in as far as the page knew. Undefined: the page had not heard yet. */
  readonly user: string | null | undefined;
  /** Until when the slot lasts; null while waiting. */
  readonly slotEndsAtMs: number | null;
}

export interface KeptPlaces {
  read(): ReadonlyMap<string, KeptPlace>;
  write(eventId: string, place: KeptPlace): void;
  forget(eventId: string): void;
  /** Another tab has written or forgotten something. */
  subscribe(listener: () => void): void;
}

const prefix = 'urr.place.';
/** As many as a browser keeps tickets of; more than that was not written by these pages. */
const placesMax = 8;

/** One key for each event, so that two tabs that write at once overwrite nothing of each other. */
export const keptPlaces: KeptPlaces = {
  read() {
    const places = new Map<string, KeptPlace>();
    for (const key of keptKeys(prefix)) {
      const place = parsePlace(readKept(key));
      if (place === null) keep(key, null);
      else if (places.size < placesMax) places.set(key.slice(prefix.length), place);
    }
    return places;
  },
  write(eventId, place) {
    const text = JSON.stringify(place);
    // Writing wakes every other tab, and a place is told each second.
    if (readKept(prefix + eventId) !== text) keep(prefix + eventId, text);
  },
  forget: (eventId) => keep(prefix + eventId, null),
  subscribe(listener) {
    addEventListener('storage', ({ key }) => {
      if (key === null || key.startsWith(prefix)) listener();
    });
  },
};

export function parsePlace(text: string | null): KeptPlace | null {
  try {
    const place = JSON.parse(text ?? '') as unknown;
    if (typeof place !== 'object' || place === null) return null;
    const { user, slotEndsAtMs } = place as { user?: unknown; slotEndsAtMs?: unknown };
    return {
      user: typeof user === 'string' || user === null ? user : undefined,
      slotEndsAtMs: Number.isFinite(slotEndsAtMs) ? Number(slotEndsAtMs) : null,
    };
  } catch {
    return null;
  }
}
