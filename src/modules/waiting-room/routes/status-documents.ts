import type { Clock } from '#platform/clock.ts';
import { PreparedJson } from '#platform/http/contract.ts';
import type { Desk } from '../service/desk.ts';

export interface StatusDocuments {
  /** Null: there is no such room. */
  of(eventId: string): PreparedJson | null;
}

const freshMs = 250;
const documentsMax = 1_000;

/** Written once for all who ask within a quarter of a second. */
export function createStatusDocuments({ desk, clock }: { desk: Pick<Desk, 'status'>; clock: Clock }): StatusDocuments {
  const documents = new Map<string, { readonly madeAtMs: number; readonly json: PreparedJson }>();
  return {
    of(eventId) {
      const nowMs = clock.monotonicMs();
      const made = documents.get(eventId);
      if (made !== undefined && nowMs - made.madeAtMs < freshMs) return made.json;
      const status = desk.status(eventId);
      if (status === null) {
        documents.delete(eventId);
        return null;
      }
      const json = new PreparedJson(JSON.stringify(status));
      if (documents.size >= documentsMax) documents.clear();
      documents.set(eventId, { madeAtMs: nowMs, json });
      return json;
    },
  };
}
