import type { LayoutDocument } from '../layout.ts';
import { readLayoutCsv } from './csv-read.ts';
import { writeLayoutCsv } from './csv-write.ts';
import type { FileReading } from './file-problem.ts';
import { readPretixPlan } from './pretix-read.ts';
import { writePretixPlan } from './pretix-write.ts';

export const layoutFileFormats = ['csv', 'pretix'] as const;
export type LayoutFileFormat = (typeof layoutFileFormats)[number];

export const mediaTypes = { csv: 'text/csv', pretix: 'application/json' } as const satisfies Record<
  LayoutFileFormat,
  string
>;

/** pretix writes some 150 bytes a seat, its editor twice that: room for any hall, and an end to what one call may cost. */
export const layoutFileBytesMax = 32 * 1024 * 1024;

/** Reads a file a slice at a time: each step takes a few milliseconds at most. */
export function* readLayoutFile(
  bytes: Uint8Array,
  format: LayoutFileFormat,
): Generator<void, FileReading<LayoutDocument>> {
  const decoded = yield* decode(bytes);
  if (decoded === null) return unreadable;
  const reading = yield* format === 'csv' ? readLayoutCsv(decoded.text) : readPretixPlan(decoded.text);
  if (!decoded.isKorean) return reading;
  const warning = { line: 1, field: '', message: 'the file is not UTF-8; it was read as Korean (CP949)' };
  return { ...reading, warnings: [warning, ...reading.warnings], warningsTotal: reading.warningsTotal + 1 };
}

export function* writeLayoutFile(
  { name, document }: { name: string; document: LayoutDocument },
  format: LayoutFileFormat,
): Generator<void, Uint8Array[]> {
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  for (const text of format === 'csv' ? writeLayoutCsv(document) : writePretixPlan(document, name)) {
    if (text !== '') chunks.push(encoder.encode(text));
    yield;
  }
  return chunks;
}

const unreadable = {
  status: 'broken',
  problems: [{ line: 1, field: '', message: 'the file is neither UTF-8, UTF-16 nor Korean (CP949) text' }],
  problemsTotal: 1,
  warnings: [],
  warningsTotal: 0,
} as const satisfies FileReading<LayoutDocument>;

const bytesPerStep = 256 * 1024;

/** Excel in Korea saves tables as CP949 unless told otherwise, and "Unicode text" as UTF-16. */
function* decode(bytes: Uint8Array): Generator<void, { text: string; isKorean: boolean } | null> {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const utf16 = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : null;
  const encodings = utf16 === null ? ['utf-8', 'euc-kr'] : [utf16];
  for (const encoding of encodings) {
    try {
      const decoder = new TextDecoder(encoding, { fatal: true });
      let text = '';
      for (let at = 0; at < bytes.length; at += bytesPerStep) {
        text += decoder.decode(bytes.subarray(at, at + bytesPerStep), { stream: true });
        yield;
      }
      return { text: text + decoder.decode(), isKorean: encoding === 'euc-kr' };
    } catch {
      // Not this one.
    }
  }
  return null;
}
