import { join } from 'node:path';
import { breakingChanges } from '#platform/bus/compatibility.ts';
import { readOrNull } from './drift.ts';
import type { EventsDocument } from './events.ts';
import type { GeneratedFile } from './generated-file.ts';

export const eventsPath = 'docs/reference/events.json';

/** What consumers of the events as they were committed could not read as they are now. */
export function findBreakingEvents(root: string, files: readonly GeneratedFile[]): string[] {
  const before = readOrNull(join(root, eventsPath));
  const after = files.find((file) => file.path === eventsPath);
  if (before === null || after === undefined) return [];
  return breakingChanges(parse(before), parse(after.text));
}

function parse(text: string): EventsDocument {
  // Both were written by this generator.
  return JSON.parse(text) as EventsDocument;
}
