import type { Clock } from '#platform/clock.ts';
import { PreparedJson } from '#platform/http/contract.ts';
import type { Desk } from '../service/desk.ts';

export interface StatusDocuments {
  /** Null: there is no such room. */
  of(eventId: string): StatusDocument | null;
}

export interface StatusDocument {
  readonly json: PreparedJson;
  /** The same as it is sent, each character one byte. */
  readonly bytes: string;
}

const freshMs = 250;
const documentsMax = 1_000;

/** Written once for all who ask within a quarter of a second. */
export function createStatusDocuments({ desk, clock }: { desk: Pick<Desk, 'status'>; clock: Clock }): StatusDocuments {
  const documents = new Map<string, StatusDocument & { readonly madeAtMs: number }>();
  return {
    of(eventId) {
      const nowMs = clock.monotonicMs();
      const made = documents.get(eventId);
      if (made !== undefined && nowMs - made.madeAtMs < freshMs) return made;
      const status = desk.status(eventId);
      if (status === null) {
        documents.delete(eventId);
        return null;
      }
      const text = JSON.stringify(status);
      const document = {
        madeAtMs: nowMs,
        json: new PreparedJson(text),
        bytes: Buffer.from(text).toString('latin1'),
      };
      if (documents.size >= documentsMax) documents.clear();
      documents.set(eventId, document);
      return document;
    },
  };
}
