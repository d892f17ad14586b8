import { announcedHead } from '#edge/draw/draw-log.ts';
import { toHex } from '#edge/draw/hash.ts';
import type { Announcement } from '#edge/draw/published.ts';
import { commitmentOf } from '#edge/draw/seed.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { BeaconSource } from '../ports.ts';
import type { DrawOrder } from '../routes/schemas.ts';
import { receiptKeyOf } from './keys.ts';
import { insertDraw } from './storage.ts';

const secretBytes = 32;

/** In the transaction that begins the era: before it ends nobody can enter, and after it nothing of this can be changed. */
export async function announceDraw(
  tx: Transaction,
  deps: { random: Random; beacon: BeaconSource },
  call: { eventId: string; era: number; nowMs: number; order: DrawOrder },
): Promise<Announcement> {
  const { eventId, era, nowMs, order } = call;
  const secret = deps.random.bytes(secretBytes);
  const receiptSeed = deps.random.bytes(secretBytes);
  const announcement: Announcement = {
    ...{ eventId, era, announcedAtMs: nowMs },
    commitment: toHex(commitmentOf(secret)),
    receiptKey: toHex(receiptKeyOf(receiptSeed)),
    signInRequired: order.signInRequired ?? false,
    beacon: order.beacon === 'drand' ? deps.beacon.chain : { kind: 'operator' },
  };
  const head = toHex(announcedHead(announcement));
  await insertDraw(tx, { ...announcement, secret, receiptSeed, head });
  return announcement;
}
