import { isoTime } from '#platform/clock.ts';
import type { QueueStatus } from '../routes/schemas.ts';
import type { Entry } from './entry-tokens.ts';
import { type EventView, isUnsure } from './event-view.ts';

/**
 * Answers are written as text. What is the same for everybody of an event, or for all who wait about as long, is written
 * once per snapshot, so that a poll costs a few numbers and one concatenation.
 */
export interface WaitingFacts {
  readonly position: number;
  readonly queueSize: number;
  /** From `estimateFor`. */
  readonly wait: string;
  readonly nextPoll: number;
  /** From `WaitingTickets.seal`, which writes nothing that needs escaping. */
  readonly ticket: string;
}

/** All but what differs from one person to the next. `queueSize` is among that: one who has just entered is counted in. */
export function sharedJson(view: EventView, nowMs: number): string {
  const { snapshot, facts } = view;
  const { active, settings } = snapshot;
  const { threshold, paused, message } = settings;
  const shared = {
    currentUsers: active,
    threshold,
    paused,
    message,
    opensAt: facts.opensAtMs > nowMs ? isoTime(facts.opensAtMs) : null,
    stale: isUnsure(view),
    event: { title: facts.title, artist: facts.artist, date: facts.startsAt },
  };
  return ascii(JSON.stringify(shared).slice(1));
}

/** The same JSON in ASCII. One letter beyond it would make every answer a text of two bytes a letter, to be encoded anew. */
function ascii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function waitingJson(view: EventView, facts: WaitingFacts): string {
  const { position, queueSize, wait, nextPoll, ticket } = facts;
  return `{"status":"waiting","queued":true,"position":${position},"peopleAhead":${position - 1},"peopleBehind":${
    queueSize - position
  },${wait},"nextPoll":${nextPoll},"queueSize":${queueSize},"ticket":"${ticket}",${view.shared}`;
}

export function activeJson(view: EventView, facts: { entry: Entry; ticket: string | null; nextPoll: number }): string {
  const own = {
    entryToken: facts.entry.token,
    slotEndsAt: isoTime(facts.entry.slotEndsAtMs),
  };
  return plainJson(view, { status: 'active', position: 0, nextPoll: facts.nextPoll, ticket: facts.ticket, own });
}

/** Neither waiting nor in a slot. */
export function otherJson(
  view: EventView,
  facts: { status: Exclude<QueueStatus, 'waiting' | 'active'>; nextPoll: number; ticket: string | null },
): string {
  return plainJson(view, { ...facts, position: null, own: {} });
}

function plainJson(
  view: EventView,
  facts: { status: QueueStatus; position: 0 | null; nextPoll: number; ticket: string | null; own: object },
): string {
  const { status, position, nextPoll, ticket, own } = facts;
  const mine = {
    status,
    queued: false,
    position,
    peopleAhead: position,
    peopleBehind: null,
    estimatedWait: position,
    estimatedWaitHigh: position,
    nextPoll,
    queueSize: view.snapshot.waiting,
    ticket,
    ...own,
  };
  return `${JSON.stringify(mine).slice(0, -1)},${view.shared}`;
}
