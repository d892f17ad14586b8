import { type Decision, decideSteps } from '#edge/decide/decide.ts';
import { createPassMemo } from '#edge/decide/memo.ts';
import { findAnyPass } from '#edge/decide/passes.ts';
import { isApi, isOpen, isPlain } from '#edge/decide/paths.ts';
import { runNow } from '#edge/decide/steps.ts';
import type { EdgeKeys } from '#edge/decide/web-macs.ts';
import { type ActiveRooms, noRooms } from '#edge/rooms.ts';
import type { EdgeAnswer, EdgeCall, EdgeDecision } from '#modules/gateway/contract.ts';
import { assertNever } from '#platform/assert.ts';
import type { Clock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { createNodeMacs } from './node-macs.ts';
import type { RoomsMirror } from './rooms-mirror.ts';

/** For a call to this site, as somebody in front of it has it. */
export type DecideFor = (call: Omit<EdgeCall, 'eventId'>) => Decision | Promise<Decision>;

export interface RoomEdge {
  /** For the gateway of this process. */
  readonly edge: EdgeDecision;
  /** For a proxy in front, which asks before it forwards. */
  readonly decideFor: DecideFor;
}

/** Each is some 400 bytes, and lives ten minutes. */
const passesMax = 100_000;
/** In the first moment of a process. Less than a gateway waits for a decision. */
const firstWordWaitMs = 200;

/** The decision of tier 1 in this process: from memory, at once. */
export function createRoomEdge(deps: {
  mirror: Pick<RoomsMirror, 'inForce' | 'whenAsked'>;
  keys: EdgeKeys;
  clock: Clock;
  /** Of the build, by their paths. */
  files: ReadonlySet<string>;
}): RoomEdge {
  const { mirror, clock, files } = deps;
  const stands = createNodeMacs(deps.keys);
  const memo = createPassMemo({ passesMax });

  function decide(rooms: ActiveRooms, call: EdgeCall, checksEntry: boolean): Decision {
    return runNow(decideSteps({ ...call, rooms, checksEntry, files, memo, nowMs: clock.now() }), stands);
  }

  /** A process that has just started does not know the rooms yet. With no word within a moment there is none. */
  async function firstWord(): Promise<ActiveRooms> {
    await withTimeout(mirror.whenAsked(), firstWordWaitMs, () => new Error('no word')).catch(() => undefined);
    return mirror.inForce() ?? noRooms;
  }

  const edge: EdgeDecision = {
    // What makes the decision throw must not be a way around the room. Where no room is on, nothing can.
    failMode: 'closed',
    passOf(headers) {
      const rooms = mirror.inForce();
      if (rooms === null || rooms.isEmpty) return null;
      const pass = runNow(findAnyPass({ headers, memo, nowMs: clock.now() }, rooms), stands);
      return pass === null ? null : `${pass.roomId} ${pass.id}`;
    },
    decide(call) {
      const rooms = mirror.inForce();
      if (rooms === null) return firstWord().then((first) => answerOf(decide(first, call, isApi(call.path))));
      // What the steps begin with, at once: visitors look at their room all the time.
      if (isPlain(call.path) && (rooms.isEmpty || isOpen(call.path))) return goesOn;
      // Of whom an entry token is the gateway knows, and looks itself; for pages nobody else does.
      return answerOf(decide(rooms, call, isApi(call.path)));
    },
  };

  return {
    edge,
    decideFor(call) {
      const rooms = mirror.inForce();
      if (rooms === null) return firstWord().then((first) => decide(first, { ...call, eventId: null }, false));
      return decide(rooms, { ...call, eventId: null }, false);
    },
  };
}

const goesOn: EdgeAnswer = Object.freeze({ status: 'continue' });
const goesOnGuarded: EdgeAnswer = Object.freeze({ status: 'continue', isGuarded: true });

function answerOf(decision: Decision): EdgeAnswer {
  switch (decision.status) {
    case 'pass':
      return decision.isGuarded ? goesOnGuarded : goesOn;
    case 'wait':
    case 'enter':
      return { status: 'redirect', location: decision.location };
    case 'malformed':
      return { status: 'refuse', problem: platformErrors.fault('MALFORMED_PATH') };
    default:
      return assertNever(decision);
  }
}
