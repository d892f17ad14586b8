import { assertNever } from '#platform/assert.ts';
import type { Clock } from '#platform/clock.ts';
import { isFault } from '#platform/errors.ts';
import { waitingRoomOf, waitingRoomRequired } from '#platform/http/tier1.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { nextPollSeconds } from '../domain/next-poll.ts';
import { generalLane, type PlaceOrder } from '../domain/place-order.ts';
import { rankOf } from '../domain/ranks.ts';
import { freeSlotId } from '../domain/slot-id.ts';
import { queueErrors } from '../errors.ts';
import type { Announce } from '../notices/announce.ts';
import type {
  EnterCall,
  EnterResult,
  EventFacts,
  EventStates,
  Fence,
  LeaveResult,
  QueueConfig,
  QueueStore,
  UserTrace,
  WithdrawnEntries,
} from '../ports.ts';
import { activeJson, otherJson, waitingJson } from './answers.ts';
import { type DenySet, deniedSlot } from './deny-set.ts';
import type { Entry, EntryTokens } from './entry-tokens.ts';
import { isOverAt } from './event-facts.ts';
import { type EventView, estimateFor, isInStore, mayBeOver } from './event-view.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import { changesOfEntering, changesOfLeaving } from './recent-changes.ts';
import type { SentHeaders, ShownEntries } from './shown-entry.ts';
import type { SignsOfLife } from './signs-of-life.ts';
import type { Snapshots } from './snapshots.ts';
import type { Tier1 } from './tier1.ts';
import { type PendingTicket, slotAtOnce, type WaitingTicket, type WaitingTickets } from './waiting-tickets.ts';

/** Who asks: a user, or the user to whom a waiting ticket was given. */
export interface Caller {
  readonly userId: string;
  readonly ticket: WaitingTicket | null;
  /** The ticket as it was sent, to be sent back as it is while nothing changed. */
  readonly ticketText: string | null;
  /** `ticketText` is not what was sent but the same sealed anew: the browser has to take it over. */
  readonly isRenewed?: boolean;
  readonly pending: PendingTicket | null;
  readonly sent?: SentHeaders;
}

type Left = LeaveResult['left'];

/** What to say, and which cookies to set or to take away. */
export interface Answer {
  readonly json: string;
  readonly ticket?: string | null;
  readonly entry?: Entry | null;
}

export interface Queue {
  /** Enter or resume. */
  check(eventId: string, caller: Caller, vwrTokens: readonly string[]): Promise<Answer>;
  /** The answer of a poll from memory alone, or null: then `status` has to ask the store. */
  poll(eventId: string, caller: Caller): string | null;
  status(eventId: string, caller: Caller): Promise<Answer>;
  /** Whether this caller has a place or a slot already. */
  isPlaced(eventId: string, caller: Caller): Promise<boolean>;
  /** Where this user stands, without claiming a slot or being a sign of life. */
  trace(eventId: string, userId: string): Promise<UserTrace>;
  /** The snapshot alone says that this ticket's owner waits, and nowhere near the front. */
  isSettled(view: EventView, ticket: WaitingTicket): boolean;
  heartbeat(eventId: string, caller: Pick<Caller, 'userId' | 'ticket'>): Promise<void>;
  leave(eventId: string, caller: Caller): Promise<{ left: Left }>;
  isOpen(facts: EventFacts): boolean;
}

export interface QueueParts {
  readonly store: QueueStore;
  readonly states: EventStates;
  readonly snapshots: Snapshots;
  readonly signs: SignsOfLife;
  readonly denied: Pick<DenySet, 'add'>;
  readonly waitingTickets: WaitingTickets;
  readonly entryTokens: EntryTokens;
  readonly shown: ShownEntries;
  readonly tier1: Tier1;
  readonly announce: Announce;
  readonly withdrawn: Pick<WithdrawnEntries, 'note'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: QueueMetrics;
  readonly config: QueueConfig;
}

const stalePollSeconds = 10;
/** Up to the second breakpoint of a snapshot: their positions are wanted to the letter. */
const nearPositions = 50;
export const pendingPollSeconds = 3;
const closedPollSeconds = 30;
const openingSpreadSeconds = 3;
/** An entry that is not placed by then was refused or lost; the page checks again and learns why. */
const pendingMaxMs = 120_000;

export function createQueueService(parts: QueueParts): Queue {
  const { store, states, snapshots, signs, denied, waitingTickets, entryTokens, shown, tier1 } = parts;
  const { announce, withdrawn, clock, random, metrics, config, logger } = parts;

  const { exactPositions } = config;

  const isOpen = (facts: EventFacts) => isOpenAt(facts, clock.now());

  async function enter(view: EventView, call: Pick<EnterCall, 'mode' | 'numbered'> & { caller: Caller }) {
    const { eventId } = view;
    const { userId, ticket } = call.caller;
    const ask = async ({ mayGrant }: Fence) =>
      store.enter({
        eventId,
        userId,
        mode: call.mode,
        withoutSlot: !(await mayGrant()),
        lane: generalLane,
        roomOn: tier1.roomOn(eventId),
        pastRoom: tier1.failsOpen(eventId),
        activeTtlMs: config.activeTtlMs,
        ...(ticket !== null && { ticketOrder: ticket.order }),
        ...(call.numbered !== undefined && { numbered: call.numbered }),
      });
    const result = await states.withState<EnterResult>(eventId, ask, changesOfEntering);
    if (result.status === 'active' && result.fresh) announce(eventId, [result.slot]);
    return result;
  }

  /** A ticket whose place is over must not be answered from the snapshot, by which its order would still wait. */
  function hear(eventId: string, { userId, ticket }: Caller, { status }: EnterResult): void {
    const isPlaced = status === 'waiting' || status === 'active';
    if (isPlaced || ticket !== null) signs.heard(eventId, userId, isPlaced);
  }

  const trace = (eventId: string, userId: string) =>
    states.withState<UserTrace>(eventId, () => store.trace({ eventId, userId }));

  function waiting(view: EventView, facts: { position: number; ticket: string; stale: boolean }): string {
    const { position } = facts;
    return waitingJson(view, {
      position,
      queueSize: Math.max(view.snapshot.waiting, position),
      wait: estimateFor(view, position, config).json,
      nextPoll: facts.stale ? stalePollSeconds : nextPollSeconds(position, random.fraction()),
      ticket: facts.ticket,
    });
  }

  function closed(view: EventView): Answer {
    const untilOpen = (view.facts.opensAtMs - clock.now()) / 1_000;
    // Soon after it opens, and not everybody at once.
    const nextPoll =
      untilOpen > 0 ? Math.ceil(untilOpen + random.fraction() * openingSpreadSeconds) : closedPollSeconds;
    return {
      json: otherJson(view, { status: 'closed', nextPoll: Math.min(nextPoll, closedPollSeconds), ticket: null }),
    };
  }

  /** Queue off: a slot at once, of which the store knows nothing. */
  function unqueued(view: EventView, caller: Caller): Answer {
    const entry = entryTokens.of(view.eventId, {
      slotId: freeSlotId(caller.userId),
      userId: caller.userId,
      endsAtMs: clock.now() + config.activeTtlMs,
    });
    return { json: activeJson(view, { entry, ticket: null, nextPoll: nextPollSeconds(0, random.fraction()) }), entry };
  }

  /** Queue off and the room on: whether its number was shown only a check can tell. What the caller has stays as it is. */
  function unproven(view: EventView): Answer {
    const nextPoll = nextPollSeconds(0, random.fraction());
    return { json: otherJson(view, { status: 'none', nextPoll, ticket: null }) };
  }

  function answer(view: EventView, caller: Caller, result: EnterResult): Answer {
    const { eventId } = view;
    const { userId, ticket: given } = caller;
    switch (result.status) {
      case 'active': {
        const { slot, epoch } = result;
        const entry = entryTokens.of(eventId, slot);
        const ticket = ticketFor({ view, caller, order: slot.order, epoch, position: 0 });
        if (given !== null) metrics.admitted(given, slot);
        const nextPoll = nextPollSeconds(0, random.fraction());
        return { json: activeJson(view, { entry, ticket, nextPoll }), ticket, entry };
      }
      case 'waiting': {
        const { order, position, epoch } = result;
        const ticket = ticketFor({ view, caller, order, epoch, position });
        return { json: waiting(view, { position, ticket, stale: false }), ticket, entry: null };
      }
      case 'none': {
        const { pending } = caller;
        // Either way: one from the future was sealed before a clock was set back.
        if (pending !== null && Math.abs(clock.now() - pending.requestedAtMs) < pendingMaxMs) {
          const ticket = caller.ticketText;
          return { json: otherJson(view, { status: 'pending', nextPoll: pendingPollSeconds, ticket }) };
        }
        const nextPoll = nextPollSeconds(0, random.fraction());
        return { json: otherJson(view, { status: 'none', nextPoll, ticket: null }), ticket: null, entry: null };
      }
      case 'closed':
        return closed(view);
      case 'tier1-required':
        throw waitingRoomRequired(waitingRoomOf(eventId));
      case 'number-taken':
        metrics.refused('number-taken', userId);
        throw queueErrors.fault('NUMBER_TAKEN', { extensions: { redirectTo: waitingRoomOf(eventId) } });
      default:
        return assertNever(result);
    }
  }

  /** The one that was sent while it is still true, so that a page need not store it again. */
  function ticketFor(facts: {
    view: EventView;
    caller: Caller;
    order: PlaceOrder;
    epoch: number;
    position: number;
  }): string {
    const { view, caller, order, epoch, position } = facts;
    const { ticket, ticketText, userId } = caller;
    if (ticket !== null && ticketText !== null && ticket.order === order && ticket.epoch === epoch) return ticketText;
    const kept = ticket?.order === order ? ticket : null;
    const predicted = position === 0 ? slotAtOnce : estimateFor(view, position, config).seconds;
    const takenAtMs = kept?.takenAtMs ?? clock.now();
    return waitingTickets.seal({
      eventId: view.eventId,
      userId,
      order,
      epoch,
      takenAtMs,
      predicted: kept?.predicted ?? predicted,
    });
  }

  function fromSnapshot(view: EventView, ticket: WaitingTicket, text: string): string {
    const { breakpoints, waiting: count } = view.snapshot;
    return waiting(view, { position: rankOf(ticket.order, breakpoints, count), ticket: text, stale: view.stale });
  }

  /** While the store is away: anyone who shows a good entry token is in its slot, and others wait as far as was known. Null: nothing was. */
  function withoutStore(view: EventView, caller: Caller): string | null {
    const { ticket, ticketText } = caller;
    const entry = shown.of(view.eventId, caller);
    if (entry !== null) return activeJson(view, { entry, ticket: ticketText, nextPoll: stalePollSeconds });
    return ticket === null || ticketText === null ? null : fromSnapshot(view, ticket, ticketText);
  }

  /** The position of somebody whom the last snapshot says all about, else null: then the store has to be asked. */
  function settledPosition(view: EventView, ticket: WaitingTicket): number | null {
    const { eventId, snapshot, spent, stale } = view;
    const { epoch, recovering, breakpoints, waiting: count } = snapshot;
    if (stale || recovering || ticket.epoch !== epoch || mayBeOver(view, ticket.order)) return null;
    if (signs.isGone(eventId, ticket.userId)) return null;
    // Behind the last one of the snapshot: entered since then, or parked. A guess might be too good to be kept.
    if (ticket.order > (breakpoints.at(-1)?.order ?? 0)) return null;
    const position = rankOf(ticket.order, breakpoints, count);
    // Who is admitted is known within a second where the marks are, so only the very first ask.
    return position <= (spent === null ? exactPositions : Math.min(exactPositions, nearPositions)) ? null : position;
  }

  /** Without it the entry takes a place that nobody comes to, which is no reason to refuse a leave. */
  async function withdraw({ eventId, userId, requestedAtMs }: PendingTicket): Promise<void> {
    await withdrawn.note(eventId, { userId, requestedAtMs }).catch((error: unknown) => {
      logger.warn({ err: error, eventId, userId }, 'a buffered entry could not be withdrawn');
    });
  }

  return {
    isOpen,
    isPlaced: async (eventId, { userId }) => (await trace(eventId, userId)).place !== 'none',
    trace,
    isSettled: (view, ticket) => settledPosition(view, ticket) !== null,

    async check(eventId, caller, vwrTokens) {
      const view = await snapshots.get(eventId);
      if (!isOpen(view.facts)) return closed(view);
      const numbered = tier1.orderOf(eventId, vwrTokens);
      if (!view.facts.queueEnabled) {
        if (tier1.roomOn(eventId) && numbered === undefined) throw waitingRoomRequired(waitingRoomOf(eventId));
        return unqueued(view, caller);
      }
      const result = await enter(view, { mode: 'enter', caller, ...(numbered !== undefined && { numbered }) });
      hear(eventId, caller, result);
      metrics.answered('check');
      return answer(view, caller, result);
    },

    poll(eventId, caller) {
      const { ticket, ticketText } = caller;
      const view = snapshots.peek(eventId);
      if (view === undefined || ticket === null || ticketText === null) return null;
      if (!view.facts.queueEnabled || !isOpen(view.facts)) return null;
      if (view.stale) {
        signs.note(view.eventId, ticket);
        metrics.answered('stale');
        return withoutStore(view, caller);
      }
      const position = settledPosition(view, ticket);
      if (position === null) return null;
      // The event's id of the view and not that of the call: the same text each time is found without reading it.
      signs.note(view.eventId, ticket);
      metrics.answered('snapshot');
      return waiting(view, { position, ticket: ticketText, stale: false });
    },

    async status(eventId, caller) {
      const view = await snapshots.get(eventId);
      if (!isOpen(view.facts)) return closed(view);
      if (!view.facts.queueEnabled) return tier1.roomOn(eventId) ? unproven(view) : unqueued(view, caller);
      try {
        const result = await enter(view, { mode: 'look', caller });
        hear(eventId, caller, result);
        metrics.answered('store');
        return answer(view, caller, result);
      } catch (error) {
        if (!isFault(error, 'STORE_UNAVAILABLE')) throw error;
        snapshots.isAway(view);
        const json = withoutStore(view, caller);
        if (json === null) throw error;
        metrics.answered('stale');
        return { json };
      }
    },

    async heartbeat(eventId, { userId, ticket }) {
      const view = snapshots.peek(eventId) ?? (await snapshots.get(eventId));
      if (view.facts.queueEnabled && isInStore(view)) signs.note(view.eventId, ticket ?? { userId, order: null });
    },

    async leave(eventId, caller) {
      const view = await snapshots.get(eventId);
      if (!isInStore(view)) return { left: 'nothing' };
      const { userId } = caller;
      // Before the look at the store: whatever is placed until then is found there.
      if (caller.pending !== null) await withdraw(caller.pending);
      const leave = async () => {
        const ask = () => store.leave({ eventId, userId });
        const result = await states.withState<LeaveResult>(eventId, ask, changesOfLeaving);
        // The token of a slot that was given up is worth nothing from now on, here at once and elsewhere within a second.
        if (result.left === 'slot') denied.add([deniedSlot(result.slot)]);
        return result;
      };
      const first = await leave();
      let { left } = first;
      // The store lost or forgot this user, or knows another place. The ticket still keeps its own, so that has to be given up.
      if (caller.ticket !== null && orderLeft(first) !== caller.ticket.order) {
        await enter(view, { mode: 'return', caller });
        const second = await leave();
        if (left === 'nothing') ({ left } = second);
      }
      metrics.left(left);
      return { left };
    },
  };
}

function orderLeft(result: LeaveResult): PlaceOrder | null {
  if (result.left === 'nothing') return null;
  return result.left === 'place' ? result.order : result.slot.order;
}

/** The sale of this event is on. */
export function isOpenAt(facts: EventFacts, nowMs: number): boolean {
  return facts.opensAtMs <= nowMs && !isOverAt(facts, nowMs);
}
