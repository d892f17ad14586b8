import { createSealedTexts } from '#platform/tokens/sealed-text.ts';

/** What a visitor was given: all that is known of them lives in this text, which they keep. */
export interface RequestId {
  readonly eventId: string;
  readonly era: number;
  readonly number: number;
  /** Random, for this room alone. */
  readonly visitor: string;
  readonly issuedAtMs: number;
}

export interface RequestIds {
  seal(request: RequestId): string;
  /** Null: it is not ours. Whether it is still good depends on its room. */
  open(text: string): RequestId | null;
}

/** `uvr1.{room}.{era}.n{number}.{visitor}.{issued at}.{mac}` */
export function createRequestIds({ secrets }: { secrets: readonly string[] }): RequestIds {
  const texts = createSealedTexts({ kind: 'uvr1', purpose: 'urr waiting room request', secrets });
  return {
    seal: ({ eventId, era, number, visitor, issuedAtMs }) =>
      texts.seal([eventId, era, `n${number}`, visitor, issuedAtMs]),
    open(text) {
      const fields = texts.open(text);
      if (fields === null) return null;
      // In the order in which they were sealed.
      const [eventId, era, numbered] = [fields.text(), fields.number(), fields.text()];
      const [visitor, issuedAtMs] = [fields.text(), fields.number()];
      if (era === null || issuedAtMs === null || !numbered.startsWith('n')) return null;
      return { eventId, era, number: Number(numbered.slice(1)), visitor, issuedAtMs };
    },
  };
}
