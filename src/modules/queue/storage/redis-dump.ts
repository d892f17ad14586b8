import type { Redis } from '#platform/redis/port.ts';
import type { BeginCall, Lost, QueueStore, StoreDump } from '../ports.ts';
import { dumpEvent, readSpent } from '../scripts/scripts.generated.ts';
import { tidied } from './dump.ts';
import { type EventKeys, eventKeys } from './redis-keys.ts';
import { createReader, lost } from './redis-replies.ts';

/** What one script call makes text of at most: some milliseconds in which the server does nothing else. */
const bytesPerRead = 16_384;

/**
 * Not one step: the bitmaps are read after the rest. What changes in between is among the changes from `from` on, so that
 * anyone who writes the dump and then those changes has what the store has.
 */
export async function dumpFromRedis(
  redis: Redis,
  call: Parameters<QueueStore['dump']>[0],
  snapshot: QueueStore['snapshot'],
): Promise<StoreDump | Lost> {
  const keys = eventKeys(call.eventId);
  const reader = createReader(await dumpEvent(redis, keys), 'dumpEvent');
  if (reader.text() === 'lost') return lost;
  const { integer, text, flag } = reader;
  const head = { epoch: integer(), era: integer(), sequence: integer(), watermark: integer(), from: integer() };
  const room = { on: flag(), era: integer(), version: integer() };
  const returned = listOf(integer(), integer);
  const names = listOf(integer(), text);
  const slots: BeginCall['slots'][number][] = [];
  while (!reader.ended())
    slots.push({ userId: text(), slotId: text(), order: integer(), endsAtMs: integer(), claimed: flag() });
  const spent: BeginCall['spent'][number][] = [];
  for (const name of names) spent.push(await readChunk(redis, keys, name));
  const seen = await snapshot(call);
  if (seen.status === 'lost') return lost;
  return tidied({ status: 'ok', ...head, room, slots, returned, spent, denied: seen.denied });
}

async function readChunk(redis: Redis, keys: EventKeys, name: string): Promise<BeginCall['spent'][number]> {
  const parts: Buffer[] = [];
  for (let from = 0; ; from += bytesPerRead) {
    const part = await readSpent(redis, { bitmap: `${keys.spent}:${name}` }, { from, length: bytesPerRead });
    parts.push(Buffer.from(part, 'hex'));
    if (part.length < 2 * bytesPerRead) break;
  }
  const [era = 0, chunk = 0] = name.split(':').map(Number);
  return { era, chunk, bits: Buffer.concat(parts) };
}

function listOf<Item>(length: number, read: () => Item): Item[] {
  return Array.from({ length }, read);
}
