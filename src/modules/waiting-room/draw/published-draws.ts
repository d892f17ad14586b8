import type { Clock } from '#platform/clock.ts';
import { PreparedJson } from '#platform/http/contract.ts';
import type { Database } from '#platform/postgres/database.ts';
import { publishedDraw } from './storage.ts';

export interface PublishedDraws {
  /** Null: this event never had a draw. */
  of(eventId: string): Promise<PreparedJson | null>;
}

const freshMs = 2_000;
/** A draw of a million entries is some megabytes. */
const keptMax = 8;

/** Written once for all who ask within two seconds: those who verify come in crowds. */
export function createPublishedDraws({ database, clock }: { database: Database; clock: Clock }): PublishedDraws {
  const kept = new Map<string, { readonly madeAtMs: number; readonly json: Promise<PreparedJson | null> }>();

  async function make(eventId: string): Promise<PreparedJson | null> {
    const draw = await database.transaction((tx) => publishedDraw(tx, eventId), { isolation: 'repeatable read' });
    return draw === null ? null : new PreparedJson(JSON.stringify(draw));
  }

  return {
    of(eventId) {
      const nowMs = clock.monotonicMs();
      const known = kept.get(eventId);
      if (known !== undefined && nowMs - known.madeAtMs < freshMs) return known.json;
      kept.delete(eventId);
      for (const [oldest] of kept) {
        if (kept.size < keptMax) break;
        kept.delete(oldest);
      }
      const json = make(eventId);
      const made = { madeAtMs: nowMs, json };
      kept.set(eventId, made);
      const forget = () => kept.get(eventId) === made && kept.delete(eventId);
      // Events that were made up take no place from those that have a draw.
      json.then((draw) => draw === null && forget(), forget);
      return json;
    },
  };
}
