import { assert, assertNever } from '#platform/assert.ts';
import type {
  AdmitResult,
  ChangesResult,
  EndSlotResult,
  EnterResult,
  LateChange,
  LeaveResult,
  Lost,
  MarksResult,
  Slot,
  SpentMark,
  StoreChange,
  StoreSnapshot,
  UserTrace,
} from '../ports.ts';
import type { endSlot, leaveQueue, traceUser } from '../scripts/scripts.generated.ts';

export const lost: Lost = { status: 'lost' };

const windowSeconds = 60;

type Reader = ReturnType<typeof createReader>;

/** Reads a script's list of texts from front to back. */
export function createReader(texts: readonly string[], script: string) {
  let at = 0;
  const text = (): string => {
    const value = texts[at++];
    assert(value !== undefined, `${script} answered with ${texts.length} items only`);
    return value;
  };
  const integer = (): number => {
    const value = text();
    const number = Number(value);
    assert(value !== '' && Number.isSafeInteger(number), `${script} answered "${value}" for a whole number`);
    return number;
  };
  return { text, integer, flag: () => integer() === 1, ended: () => at >= texts.length };
}

/** Of each user in turn, as `enter.lua` writes them, a line for each fact: placed, order, position · active, order, end, id · none … */
export function toEnterResults(answers: string, userIds: readonly string[], epoch: number): EnterResult[] {
  const read = createReader(answers.split('\n'), 'enterQueue');
  const results = userIds.map((userId) => toEnterResult(read, userId, epoch));
  assert(read.ended(), `enterQueue answered for more than ${userIds.length} users`);
  return results;
}

function toEnterResult(read: Reader, userId: string, epoch: number): EnterResult {
  const status = read.text();
  switch (status) {
    case 'placed':
    case 'waiting':
      return {
        status: 'waiting',
        order: read.integer(),
        position: read.integer(),
        epoch,
        fresh: status === 'placed',
      };
    case 'granted':
    case 'active': {
      const slot = { userId, order: read.integer(), endsAtMs: read.integer(), slotId: read.text() };
      return { status: 'active', slot, epoch, fresh: status === 'granted' };
    }
    case 'none':
    case 'spent':
      return { status: 'none', spent: status === 'spent', epoch };
    case 'number-taken':
    case 'tier1-required':
    case 'closed':
      return { status, epoch };
    default:
      throw new Error(`enterQueue answered with the status "${status}"`);
  }
}

export function toLeaveResult(answer: Awaited<ReturnType<typeof leaveQueue>>, userId: string): LeaveResult | Lost {
  const { left, epoch, order, endsAtMs, slotId } = answer;
  switch (left) {
    case 'lost':
      return lost;
    case 'place':
      return { left, order, epoch };
    case 'slot':
      return { left, slot: { slotId, userId, order, endsAtMs }, epoch };
    case 'nothing':
      return { left, epoch };
    default:
      throw new Error(`leaveQueue answered "${left}"`);
  }
}

export function toEndSlotResult(
  { status, epoch, order, endsAtMs }: Awaited<ReturnType<typeof endSlot>>,
  { userId, slotId }: { userId: string; slotId: string },
): EndSlotResult | Lost {
  if (status === 'lost') return lost;
  if (status !== 'ended') return { ended: false, epoch };
  return { ended: true, slot: { slotId, userId, order, endsAtMs }, epoch };
}

export function toAdmitResult(answer: readonly string[]): AdmitResult | Lost {
  const read = createReader(answer, 'admitUsers');
  if (read.text() === 'lost') return lost;
  const counts = {
    epoch: read.integer(),
    parked: read.integer(),
    ended: read.integer(),
    returned: read.integer(),
    dropped: read.integer(),
    active: read.integer(),
    waiting: read.integer(),
    threshold: read.integer(),
    more: read.flag(),
  };
  const admitted: Slot[] = [];
  while (!read.ended()) {
    admitted.push({ slotId: read.text(), userId: read.text(), order: read.integer(), endsAtMs: read.integer() });
  }
  return { status: 'ok', admitted, ...counts };
}

/** `denied` has only what is new since the serial number that was asked for, also what has ended meanwhile. */
export interface SnapshotReply extends Omit<StoreSnapshot, 'denied' | 'deniedMark'> {
  readonly denied: readonly Denial[];
  /** The last serial number that was given. */
  readonly denials: number;
}

export interface Denial {
  readonly serial: number;
  readonly slotId: string;
  readonly untilMs: number;
}

export function toSnapshot(answer: readonly string[]): SnapshotReply | Lost {
  const read = createReader(answer, 'takeSnapshot');
  if (read.text() === 'lost') return lost;
  const head = {
    epoch: read.integer(),
    era: read.integer(),
    atMs: read.integer(),
    watermark: read.integer(),
    waiting: read.integer(),
    parked: read.integer(),
    active: read.integer(),
  };
  const settings = {
    threshold: read.integer(),
    paused: read.flag(),
    closed: read.flag(),
    message: readMessage(read.text(), read.text()),
  };
  const recovering = read.flag();
  const totals = {
    joined: read.integer(),
    admitted: read.integer(),
    left: read.integer(),
    noShows: read.integer(),
    forgotten: read.integer(),
  };
  const denials = read.integer();
  const cleared = { count: read.integer(), upTo: [read.integer(), read.integer()] as const };
  const settingsVersion = read.integer();
  const room = { on: read.flag(), era: read.integer(), version: read.integer() };
  const numbered = read.integer();
  const admittedPerSecond = Array.from({ length: windowSeconds }, read.integer);
  const breakpoints = Array.from({ length: read.integer() }, () => ({ rank: read.integer(), order: read.integer() }));
  const denied: Denial[] = [];
  while (!read.ended()) {
    const [untilMs, slotId = ''] = read.text().split(' ');
    denied.push({ slotId, untilMs: Number(untilMs), serial: read.integer() });
  }
  return {
    status: 'ok',
    ...head,
    settings,
    settingsVersion,
    room,
    numbered,
    recovering,
    admittedPerSecond,
    totals,
    breakpoints,
    denials,
    denied,
    cleared,
  };
}

function readMessage(kind: string, message: string): string | null {
  return kind === 'message' ? message : null;
}

export function toTrace(answer: Awaited<ReturnType<typeof traceUser>>, userId: string): UserTrace | Lost {
  const { place, order, position, seenAtMs, endsAtMs, slotId, claimed, returned } = answer;
  if (place === 'lost') return lost;
  assert(place === 'waiting' || place === 'parked' || place === 'active' || place === 'none', `no place "${place}"`);
  const slot = place === 'active' && order !== null ? { slotId, userId, order, endsAtMs, claimed } : null;
  return { status: 'ok', place, order, position, seenAtMs, slot, returned };
}

export function toChanges(answer: readonly string[]): ChangesResult | Lost {
  const read = createReader(answer, 'readChanges');
  if (read.text() === 'lost') return lost;
  const head = { epoch: read.integer(), from: read.integer(), backlog: read.integer() };
  const changes: StoreChange[] = [];
  while (!read.ended()) changes.push(toChange(read.text()));
  return { status: 'ok', ...head, changes };
}

export function toMarks(answer: readonly string[]): MarksResult | Lost {
  const read = createReader(answer, 'readMarks');
  const status = read.text();
  if (status === 'lost') return lost;
  if (status === 'gap') return { status };
  const [upTo, more] = [read.integer(), read.flag()];
  const marks: SpentMark[] = [];
  while (!read.ended()) {
    const order = read.integer();
    marks.push({ order: Math.abs(order), isSpent: order > 0 });
  }
  return { status: 'ok', upTo, more, marks };
}

/** As the scripts write them: `slot id order end claimed user` · `ended id user` · `spent order` · `unspent order`. */
function toChange(line: string): StoreChange {
  const [kind, ...fields] = line.split(' ');
  const read = createReader(fields, `the change "${line}"`);
  switch (kind) {
    case 'slot': {
      const head = { slotId: read.text(), order: read.integer(), endsAtMs: read.integer() };
      const claimed = read.flag();
      return { kind, slot: { ...head, userId: read.text() }, claimed };
    }
    case 'ended':
      return { kind: 'slot-ended', slotId: read.text(), userId: read.text() };
    case 'spent':
    case 'unspent':
      return { kind, order: read.integer() };
    default:
      throw new Error(`the store has a change that nobody knows: ${line}`);
  }
}

/** As the scripts write and read them. */
export function changeLine(change: LateChange): string {
  switch (change.kind) {
    case 'slot': {
      const { slotId, order, endsAtMs, userId } = change.slot;
      return `slot ${slotId} ${order} ${endsAtMs} ${Number(change.claimed)} ${userId}`;
    }
    case 'slot-ended':
      return `ended ${change.slotId} ${change.userId}`;
    case 'place':
      return `place ${change.order} ${change.userId}`;
    case 'spent':
      return `spent ${change.order}`;
    default:
      return assertNever(change);
  }
}
