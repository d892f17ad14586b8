import { inSlices } from '#platform/concurrency/in-slices.ts';
import type { LayoutDocument } from '../domain/layout.ts';
import type { FileReading } from '../domain/layout-files/file-problem.ts';
import { type LayoutFileFormat, readLayoutFile, writeLayoutFile } from '../domain/layout-files/layout-file.ts';
import { catalogErrors } from '../errors.ts';

/** Drawings as files. Reading and writing them is done in slices, so that nobody else of the process waits for it. */
export interface LayoutFiles {
  read(bytes: Uint8Array, format: LayoutFileFormat): Promise<FileReading<LayoutDocument>>;
  write(layout: { name: string; document: LayoutDocument }, format: LayoutFileFormat): Promise<Buffer>;
}

/** Each may need some hundred megabytes while it lasts, and takes a second or two. */
const atOnceMax = 2;
/** Those who come later wait for their turn; each has its file in memory already. */
const waitingMax = 8;

export function createLayoutFiles(): LayoutFiles {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  async function oneOfFew<Result>(work: Generator<void, Result>): Promise<Result> {
    if (underWay < atOnceMax) underWay += 1;
    else if (waiting.length < waitingMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw catalogErrors.fault('LAYOUT_FILES_BUSY');
    try {
      return await inSlices(work);
    } finally {
      // The turn is handed on, so that nobody who comes now gets in between.
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  }
  return {
    read: (bytes, format) => oneOfFew(readLayoutFile(bytes, format)),
    write: async (layout, format) => Buffer.concat(await oneOfFew(writeLayoutFile(layout, format))),
  };
}
