import type { AuditEntry } from '#platform/audit/port.ts';
import { isoTime } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import type { WaitingRoomDeps } from '../deps.ts';
import { type Branding, isReadable } from '../domain/branding.ts';
import { stageOf } from '../domain/draw.ts';
import { numberAt } from '../domain/lines.ts';
import {
  admitWithinSecondsUsual,
  phaseOf,
  presentDraw,
  type Room,
  rateOf,
  requestEndsAtMs,
  wholeSite,
} from '../domain/room.ts';
import { announceDraw } from '../draw/announce.ts';
import { makeVoid } from '../draw/storage.ts';
import { waitingRoomErrors } from '../errors.ts';
import type { EraSource } from '../ports.ts';
import type { DrawOrder } from '../routes/schemas.ts';
import {
  changeRoom,
  lockRoom,
  markTold,
  noteActivation,
  type RoomChanges,
  type RoomFacts,
  saveFlows,
  wasEverOn,
} from '../storage/rooms.ts';
import type { Desk, Standing } from './desk.ts';
import type { Epochs } from './epochs.ts';
import type { ReachForgottenPlaces } from './forgotten-places.ts';
import type { RequestIds } from './request-ids.ts';
import type { KnownRoom, Rooms } from './rooms.ts';

/** Who acts, and in which request: every act is written down with it. */
export interface Actor extends Pick<Identity, 'userId' | 'role'> {
  readonly requestId: string;
}

/** What operators see and do. Every act is audited with what was before and after, in the transaction that does it. */
export function createAdministration(
  deps: Pick<
    WaitingRoomDeps,
    'database' | 'audit' | 'clock' | 'random' | 'beacon' | 'logger' | 'config' | 'catalog' | 'counters'
  > & {
    eras: EraSource;
    rooms: Rooms;
    epochs: Epochs;
    desk: Desk;
    requestIds: RequestIds;
    reach: ReachForgottenPlaces;
  },
) {
  const {
    database,
    audit,
    clock,
    random,
    beacon,
    logger,
    config,
    catalog,
    eras,
    counters,
    rooms,
    epochs,
    desk,
    requestIds,
    reach,
  } = deps;

  async function record(
    tx: Transaction,
    actor: Actor,
    act: Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>,
  ) {
    const { userId: actorId, role: actorRole, requestId } = actor;
    await audit.record(tx, { ...act, actorId, actorRole, requestId });
  }

  /** Null: there is no such event. The room in front of the whole site needs none. */
  async function factsOf(eventId: string): Promise<RoomFacts | null> {
    if (eventId === wholeSite) return { title: wholeSite, opensAtMs: null, closesAtMs: null };
    const { event } = await catalog.eventFacts({ eventId });
    if (event === null) return null;
    const [opensAtMs, closesAtMs] = [Date.parse(event.saleOpensAt), Date.parse(event.saleClosesAt)];
    return { title: event.title, opensAtMs, closesAtMs };
  }

  async function known(eventId: string): Promise<KnownRoom> {
    const room = await rooms.reload(eventId);
    if (room === null) throw platformErrors.fault('NOT_FOUND');
    return room;
  }

  async function change(
    eventId: string,
    call: { action: string; changes: RoomChanges; actor: Actor; mayBe?: (room: Room) => boolean },
  ) {
    const { action, changes, actor, mayBe = () => true } = call;
    const isChanged = await database.transaction(async (tx) => {
      const room = await lockRoom(tx, eventId);
      if (room === null || !wasEverOn(room)) throw platformErrors.fault('NOT_FOUND');
      if (!mayBe(room)) return false;
      await changeRoom(tx, eventId, changes);
      const before = only(settingsOf(room), changes);
      await record(tx, actor, { action: `waiting-room.${action}`, subject: eventId, before, after: { ...changes } });
      return true;
    });
    if (isChanged)
      logger.info({ eventId, action, userId: actor.userId, changes }, 'an operator changed a waiting room');
    return overviewOf(await known(eventId));
  }

  /** Tier 2 is told at once if it can be, else by the job. The row is locked: nobody switches the room on meanwhile. */
  async function tellOff(eventId: string): Promise<void> {
    await database.transaction(async (tx) => {
      const room = await lockRoom(tx, eventId);
      if (room === null || room.isActive || !room.toTell) return;
      await eras.switchOff(eventId);
      await markTold(tx, eventId);
    });
  }

  function overviewOf(room: KnownRoom) {
    const { eventId, title, isActive, era, epoch, segments, servingLine, lastLine, givenSeen, opensAtMs, closesAtMs } =
      room;
    const nowMs = clock.now();
    const draw = presentDraw(room);
    return {
      eventId,
      title,
      isActive,
      phase: phaseOf(room, nowMs),
      era,
      epoch,
      totalInQueue: givenSeen,
      serving: numberAt(segments, { era, line: servingLine }),
      servingLine,
      lastLine,
      waitingCount: Math.max(0, lastLine - servingLine),
      rate: room.isAuto ? ('auto' as const) : room.rate,
      ramp: room.ramp?.map(({ atMs, rate }) => ({ at: isoTime(atMs), rate })) ?? null,
      admitWithinSeconds: room.admitWithinSeconds ?? admitWithinSecondsUsual,
      soldOut: room.soldOut,
      rateNow: rateOf(room, { nowMs, usual: config.ratePerSecond }),
      measuredRate: room.measuredRate,
      paused: room.paused,
      opensAt: opensAtMs === null ? null : isoTime(opensAtMs),
      closesAt: closesAtMs === null ? null : isoTime(closesAtMs),
      message: room.message,
      failMode: room.failMode,
      proofDigits: room.proofDigits,
      draw: draw && {
        stage: stageOf(draw),
        beacon: draw.beacon,
        signInRequired: draw.signInRequired,
        entries: draw.entries,
        round: draw.round,
      },
    };
  }

  return {
    tellOff,

    async activate(eventId: string, call: { reset: boolean; draw: DrawOrder | null; actor: Actor }) {
      const { reset, draw: order, actor } = call;
      const facts = await factsOf(eventId);
      if (facts === null) throw platformErrors.fault('NOT_FOUND');
      await noteActivation(database, eventId, facts);
      const begin = await database.transaction(async (tx) => {
        const room = await lockRoom(tx, eventId);
        if (room === null) return null;
        const before = presentDraw(room);
        if (room.isActive && !reset) {
          if (order !== null && before === null) throw waitingRoomErrors.fault('DRAW_NEEDS_RESET');
          return null;
        }
        const nowMs = clock.now();
        if (order !== null && (room.opensAtMs === null || room.opensAtMs <= nowMs))
          throw waitingRoomErrors.fault('DRAW_NEEDS_OPENING');
        // Whoever saw what a draw came to could want another: it stays listed.
        const isUndrawn = before !== null && stageOf(before) !== 'drawn';
        if (before !== null && (room.isActive || isUndrawn))
          await makeVoid(tx, { eventId, era: before.era }, { atMs: nowMs, reason: 'reset' });
        const era = await eras.switchOn({ eventId, laterThan: room.segments.at(-1)?.era ?? null });
        // While it was off, everybody was let on; of a draw that gave no numbers nobody stands in line.
        const call = await epochs.raiseEra(tx, room, { era, serveAll: !room.isActive || isUndrawn });
        const announced = order && (await announceDraw(tx, { random, beacon }, { eventId, era, nowMs, order }));
        await changeRoom(tx, eventId, { isActive: true, toTell: false });
        // What was decided by the line of another evening counts no more.
        await saveFlows(tx, [{ eventId, autoRate: null, soldOut: false }]);
        const action = `waiting-room.${room.isActive ? 'reset' : 'activate'}`;
        const after = { isActive: true, era, ...(announced && { draw: announced }) };
        await record(tx, actor, {
          action,
          subject: eventId,
          before: { isActive: room.isActive, era: room.era },
          after,
        });
        return call;
      });
      if (begin !== null) {
        await epochs.begin(begin);
        logger.info({ eventId, reset, userId: actor.userId }, 'an operator switched a waiting room on');
      }
      return overviewOf(await known(eventId));
    },

    async deactivate(eventId: string, actor: Actor) {
      const changes = { isActive: false, toTell: true };
      const answer = await change(eventId, { action: 'deactivate', changes, actor, mayBe: ({ isActive }) => isActive });
      await tellOff(eventId).catch((error: unknown) =>
        logger.warn({ err: error, eventId }, 'tier 2 has not heard yet that a waiting room is off; it is told again'),
      );
      return answer;
    },

    async advance(eventId: string, call: { batchSize: number; actor: Actor }) {
      const { batchSize, actor } = call;
      const before = (await known(eventId)).servingLine;
      const served = await database.transaction(
        async (tx) => {
          // Written down first: what was served cannot be taken back.
          const after = { batchSize };
          await record(tx, actor, {
            action: 'waiting-room.advance',
            subject: eventId,
            before: { servingLine: before },
            after,
          });
          const answer = await epochs.withCounters(eventId, async (room) => {
            const reached = await reach(room, batchSize);
            if (reached.status !== 'ok') return reached;
            const counted = await counters.serve({ eventId, epoch: room.epoch, by: batchSize });
            if (counted.status === 'ok') rooms.saw(eventId, room.epoch, counted);
            return counted;
          });
          if (answer.status === 'off') throw waitingRoomErrors.fault('ROOM_NOT_ACTIVE');
          return answer.serving - before;
        },
        { retry: false },
      );
      logger.info({ eventId, batchSize, served, userId: actor.userId }, 'an operator served the line by hand');
      return overviewOf(await known(eventId));
    },

    pause: (eventId: string, actor: Actor) =>
      change(eventId, { action: 'pause', changes: { paused: true }, actor, mayBe: ({ paused }) => !paused }),
    resume: (eventId: string, actor: Actor) =>
      change(eventId, { action: 'resume', changes: { paused: false }, actor, mayBe: ({ paused }) => paused }),
    message: (eventId: string, message: string | null, actor: Actor) =>
      change(eventId, { action: 'message', changes: { message }, actor }),
    async branding(eventId: string, branding: Branding, actor: Actor) {
      if (!isReadable(branding.colours)) throw waitingRoomErrors.fault('BRANDING_UNREADABLE');
      await change(eventId, { action: 'branding', changes: { branding }, actor });
      return branding;
    },
    schedule: (
      eventId: string,
      changes: Omit<RoomChanges, 'isActive' | 'toTell' | 'paused' | 'message' | 'branding'>,
      actor: Actor,
    ) => change(eventId, { action: 'schedule', changes, actor }),

    overview: async (eventId: string) => overviewOf(await known(eventId)),

    async trace(text: string) {
      const request = requestIds.open(text);
      if (request === null) throw platformErrors.fault('NOT_FOUND');
      const { eventId, era, number, entry, visitor, issuedAtMs } = request;
      const room = await rooms.reload(eventId);
      const standing = desk.open(eventId, text);
      const state = stateOf(standing);
      return {
        eventId,
        era,
        position: standing?.number ?? number,
        entry,
        visitor,
        issuedAt: isoTime(issuedAtMs),
        endsAt: room === null ? null : isoTime(requestEndsAtMs(room, issuedAtMs)),
        line: standing?.line ?? null,
        servingLine: room?.servingLine ?? null,
        ahead: state === 'waiting' ? (standing?.line ?? 0) - (standing?.room.servingLine ?? 0) - 1 : null,
        state,
        why: reasons[state],
      };
    },
  };
}

export type Administration = ReturnType<typeof createAdministration>;

const reasons = {
  over: 'the sale has been over for a day, or the room is not known any more, or the draw did not count: it opens nothing',
  off: 'the room is off: everybody with a number gets a token',
  served: 'the line has come to this place: the next check gives the token',
  drawing: 'it is an entry of a draw that has not been revealed yet',
  waiting: 'the line has not come to this place yet',
} as const;

function stateOf(standing: Standing | null): keyof typeof reasons {
  if (standing === null) return 'over';
  if (!standing.room.isActive) return 'off';
  if (standing.line === null) return 'drawing';
  return standing.line <= standing.room.servingLine ? 'served' : 'waiting';
}

function settingsOf(room: Room): Required<RoomChanges> {
  const { isActive, toTell, paused, rate, ramp, isAuto, admitWithinSeconds, opensAtMs, message, failMode } = room;
  const { proofDigits, branding } = room;
  const flow = { paused, rate, ramp, isAuto, admitWithinSeconds, opensAtMs };
  return { isActive, toTell, ...flow, message, failMode, proofDigits, branding };
}

function only(settings: Required<RoomChanges>, changes: RoomChanges): RoomChanges {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name in changes));
}
