import { fromHex, toHex } from '#edge/draw/hash.ts';
import { revealWithinMs, roundAtMs, roundFor } from '#edge/draw/rounds.ts';
import { seedOf } from '#edge/draw/seed.ts';
import { sha256 } from '#edge/draw/sha256.ts';
import type { Clock } from '#platform/clock.ts';
import { isoTime } from '#platform/clock.ts';
import type { Job } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { drawOf, type RoomDraw, stageOf } from '../domain/draw.ts';
import type { BeaconSource } from '../ports.ts';
import type { Epochs } from '../service/epochs.ts';
import type { KnownRoom, Rooms } from '../service/rooms.ts';
import { lockRoom } from '../storage/rooms.ts';
import { type FrozenDraw, forgetAccounts, forgetProofs, freeze, frozenDraw, makeVoid, reveal } from './storage.ts';

const everyMs = 500;
const forgetEveryMs = 3_600_000;
/** A round that is not there so long after its time will not come; drand makes up for what it missed long before. */
const missingAfterMs = 30_000;
const roundsSkippedMax = 20;

/**
 * Freezes draws when their time has come, reveals them when the beacon has spoken, and lists those as void that were not revealed
 * in time. Any number of processes do this: each step is one conditional write.
 */
export function createDrawJob(deps: {
  database: Database;
  clock: Clock;
  logger: Logger;
  beacon: BeaconSource;
  rooms: Rooms;
  epochs: Epochs;
}): Job {
  const { database, clock, logger, beacon, rooms, epochs } = deps;
  let forgottenAtMs = Number.NEGATIVE_INFINITY;

  /** By a clock that is slow. While the beacon cannot be asked, the clock is believed. */
  async function isRoundKnown({ beacon: kind }: RoomDraw): Promise<boolean> {
    if (kind === 'operator') return false;
    const round = roundFor(beacon.chain, clock.now());
    return (await beacon.signatureOf(round).catch(() => null)) !== null;
  }

  async function freezeDue({ eventId, era }: KnownRoom, draw: RoomDraw): Promise<void> {
    if (await isRoundKnown(draw)) {
      const now = isoTime(clock.now());
      logger.error(
        { eventId, era, now },
        'the round of a draw would be known already: the clock of this process is slow',
      );
      return;
    }
    const frozen = await database.transaction(async (tx) => {
      const room = await lockRoom(tx, eventId);
      const atMs = clock.now();
      // Moved or begun anew since this process read it.
      if (room === null || room.era !== era || !room.isActive || (room.opensAtMs ?? Infinity) > atMs) return null;
      const done = await freeze(tx, { eventId, era }, { atMs, roundOf: (beacon) => roundFor(beacon, atMs) });
      return done && { ...done, begin: await epochs.raiseBehindDraw(tx, room, done.entries) };
    });
    if (frozen === null) {
      await rooms.reload(eventId);
      return;
    }
    logger.info({ eventId, era, entries: frozen.entries, round: frozen.round }, 'a draw was frozen');
    await epochs.begin(frozen.begin);
  }

  async function revealDue(draw: FrozenDraw, { isActive }: KnownRoom): Promise<void> {
    const { eventId, era, frozenAtMs, round } = draw;
    const dueAtMs = roundAtMs(draw.beacon, round, frozenAtMs);
    if (clock.now() < dueAtMs) return;
    if (clock.now() > dueAtMs + revealWithinMs) {
      const isVoid = await makeVoid(database, { eventId, era }, { atMs: clock.now(), reason: 'unrevealed' });
      if (isVoid)
        logger.error({ eventId, era }, 'a draw was not revealed in time and is void: begin anew with a reset');
      await rooms.reload(eventId);
      return;
    }
    // Switched off, everybody goes on in the order of arrival, which drawn numbers would cross. So it is void, and listed, when its time is over.
    if (!isActive) return;
    const found = await valueFor(draw);
    if (found === null) return;
    const seed = toHex(seedOf({ ...draw, ...found }));
    const isRevealed = await reveal(database, { eventId, era }, { atMs: clock.now(), seed, ...found });
    if (isRevealed) logger.info({ eventId, era, round: found.round, seed }, 'a draw was revealed');
    await rooms.reload(eventId);
  }

  /** Of the round that was named, or of the first after it, if it never came. Null: not there yet. */
  async function valueFor(draw: FrozenDraw): Promise<{ round: number; value: string; signature: string } | null> {
    if (draw.beacon.kind === 'operator') return { round: 0, value: '', signature: '' };
    for (let round = draw.round; round <= draw.round + roundsSkippedMax; round++) {
      const signature = await beacon.signatureOf(round);
      if (signature !== null) return { round, value: toHex(sha256(fromHex(signature))), signature };
      const missingAtMs = roundAtMs(draw.beacon, round, draw.frozenAtMs) + missingAfterMs;
      if (clock.now() < missingAtMs) return null;
      logger.warn({ eventId: draw.eventId, round, missing: isoTime(missingAtMs) }, 'the beacon has no such round');
    }
    return null;
  }

  async function settle(room: KnownRoom): Promise<void> {
    const draw = drawOf(room.draws, room.era);
    const stage = draw === null ? null : stageOf(draw);
    const isDue = room.opensAtMs !== null && clock.now() >= room.opensAtMs;
    if (draw !== null && stage === 'entering' && isDue && room.isActive) await freezeDue(room, draw);
    if (stage !== 'frozen') return;
    const frozen = await frozenDraw(database, room);
    if (frozen === null) await rooms.reload(room.eventId);
    else await revealDue(frozen, room);
  }

  return {
    name: 'waiting-room-draw',
    everyMs,
    async run() {
      const failures: unknown[] = [];
      for (const room of rooms.drawing()) await settle(room).catch((error: unknown) => failures.push(error));
      if (clock.monotonicMs() - forgottenAtMs >= forgetEveryMs) {
        forgottenAtMs = clock.monotonicMs();
        await forgetAccounts(database);
        await forgetProofs(database, clock.now() - forgetEveryMs);
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
