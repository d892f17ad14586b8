import { createSealedTexts } from '#platform/tokens/sealed-text.ts';

/** What a visitor was given: all that is known of them lives in this text, which they keep. */
export interface RequestId {
  readonly eventId: string;
  readonly era: number;
  /** Null: an entry of a draw, whose number the draw gives. */
  readonly number: number | null;
  readonly entry: number | null;
  /** Random, for this room alone. */
  readonly visitor: string;
  readonly issuedAtMs: number;
}

export interface RequestIds {
  seal(request: RequestId): string;
  /** Null: it is not ours. Whether it is still good depends on its room. */
  open(text: string): RequestId | null;
}

/** `uvr1.{room}.{era}.n{number}.{visitor}.{issued at}.{mac}`; `e{entry}` in place of a number that a draw has yet to give. */
export function createRequestIds({ secrets }: { secrets: readonly string[] }): RequestIds {
  const texts = createSealedTexts({ kind: 'uvr1', purpose: 'urr waiting room request', secrets });
  return {
    seal: ({ eventId, era, number, entry, visitor, issuedAtMs }) =>
      texts.seal([eventId, era, number === null ? `e${entry}` : `n${number}`, visitor, issuedAtMs]),
    open(text) {
      const fields = texts.open(text);
      if (fields === null) return null;
      // In the order in which they were sealed.
      const [eventId, era, numbered] = [fields.text(), fields.number(), fields.text()];
      const [visitor, issuedAtMs] = [fields.text(), fields.number()];
      if (era === null || issuedAtMs === null) return null;
      const count = Number(numbered.slice(1));
      const [number, entry] = numbered.startsWith('n') ? [count, null] : [null, count];
      return { eventId, era, number, entry, visitor, issuedAtMs };
    },
  };
}
