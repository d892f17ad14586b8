import { randomUUID } from 'node:crypto';
import type { Redis } from '#platform/redis/port.ts';
import type { BeginCall } from '../ports.ts';
import {
  beginEvent,
  finishEvent,
  loadDenied,
  loadReturned,
  loadSlots,
  loadSpent,
} from '../scripts/scripts.generated.ts';
import type { EventKeys } from './redis-keys.ts';

const slotsPerScript = 500;
/** A loader that died is forgotten after this; until then the event counts as lost, so nobody acts on half of it. */
const loadingTtlMs = 30_000;

/**
 * Loads an event in steps of bounded size. The epoch is written last, and until then every other call answers `lost`.
 * Each attempt has a name of its own: who begins later takes over, and the earlier one's next step does nothing.
 */
export async function beginInRedis(redis: Redis, keys: EventKeys, call: BeginCall): Promise<{ begun: boolean }> {
  const { epoch, settings, room } = call;
  const nowMs = call.nowMs ?? -1;
  const attempt = randomUUID();
  const loader = `${epoch} ${attempt}`;
  const { meta, loading, spent, chunks, lock: _lock, turn: _turn, ...rest } = keys;
  const emptied = await beginEvent(
    redis,
    { meta, loading, spent, chunks, others: Object.values(rest) },
    { epoch, attempt, loadingTtlMs },
  );
  if (!emptied) return { begun: false };

  // The marks first: slots add those that the journal lacks.
  for (const { era, chunk, bits } of call.spent) {
    const name = `${era}:${chunk}`;
    const loaded = await loadSpent(redis, { loading, bitmap: `${spent}:${name}`, chunks }, { loader, name, bits });
    if (!loaded) return { begun: false };
  }
  for (let from = 0; from < call.returned.length; from += slotsPerScript) {
    const orders = call.returned.slice(from, from + slotsPerScript).map(String);
    if (!(await loadReturned(redis, keys, { loader, orders }))) return { begun: false };
  }
  for (let from = 0; from < call.slots.length; from += slotsPerScript) {
    const some = call.slots.slice(from, from + slotsPerScript);
    const slots = some.flatMap(({ userId, slotId, order, endsAtMs, claimed }) => [
      userId,
      slotId,
      String(order),
      String(endsAtMs),
      claimed ? '1' : '0',
    ]);
    if (!(await loadSlots(redis, keys, { loader, nowMs, slots }))) return { begun: false };
  }
  for (let from = 0; from < call.denied.length; from += slotsPerScript) {
    const some = call.denied.slice(from, from + slotsPerScript);
    const denied = some.map(({ slotId, untilMs }) => `${untilMs} ${slotId}`);
    if (!(await loadDenied(redis, keys, { loader, denied }))) return { begun: false };
  }
  const begun = await finishEvent(redis, keys, {
    loader,
    epoch,
    era: call.era,
    sequence: call.sequence,
    watermark: call.watermark,
    recoveringMs: call.recoveringMs,
    threshold: settings.threshold,
    paused: Number(settings.paused),
    closed: Number(settings.closed),
    hasMessage: Number(settings.message !== null),
    message: settings.message ?? '',
    roomOn: Number(room.on),
    roomEra: room.era,
    roomVersion: room.version,
    nowMs,
  });
  return { begun };
}
