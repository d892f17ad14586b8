import { setTimeout as delay } from 'node:timers/promises';
import { type Answered, orderIn, type QueueCaller, slotIn } from './caller.ts';
import { aSignedIn, type SomebodySignedIn } from './show.ts';

/**
 * steady: polls as it is told, shops, goes. keeper: shops until the slot ends by itself. sleeper: silent for a while after
 * entering. leaver: gives the place up. no-show: near the front it only gives signs of life, so it never claims its slot.
 */
export type Behaviour = 'steady' | 'keeper' | 'sleeper' | 'leaver' | 'no-show';

/** The queue surely saw this user between these times, and put them (or left them) in line. */
export interface Sign {
  readonly sentMs: number;
  readonly receivedMs: number;
}

export interface Visit {
  readonly who: SomebodySignedIn;
  behaviour: Behaviour;
  readonly signs: Sign[];
  /** When the first check was sent and answered. */
  entered: Sign | null;
  ticket: string | null;
  order: number | null;
  /** Every slot that this user was told of. */
  readonly slots: { slotId: string; order: number; admittedMs: number }[];
  /** As this user saw it: from the answer that said so to the moment before giving it back. */
  shopping: { fromMs: number; untilMs: number } | null;
  /** Giving it back, or giving up. */
  left: Sign | null;
  /** From here on there were only signs of life. */
  silentFromMs: number | null;
  outcome: 'shopped' | 'left' | 'silent' | null;
  /** What should not have been answered. */
  readonly complaints: string[];
}

export interface VisitTimes {
  readonly shopMs: number;
  readonly sleepMs: number;
  readonly leaveWithinMs: number;
  readonly heartbeatMs: number;
}

/** From this position on polls may be answered without asking the store. */
const surelyAskedUntil = 1_000;
const nearTheFront = 200;
const retryMs = 300;
const pollSecondsMax = 5;

export function aVisit(behaviour: Behaviour): Visit {
  return {
    who: aSignedIn(),
    behaviour,
    signs: [],
    entered: null,
    ticket: null,
    order: null,
    slots: [],
    shopping: null,
    silentFromMs: null,
    left: null,
    outcome: null,
    complaints: [],
  };
}

/** Walks one user through the queue. Outages are waited out; only what breaks a promise is written down. */
export async function walk(visit: Visit, caller: QueueCaller, times: VisitTimes, signal: AbortSignal): Promise<void> {
  const { who } = visit;
  const first = await insist(() => caller.check(who), signal);
  visit.entered = { sentMs: first.sentMs, receivedMs: first.receivedMs };
  // The second tab, without the ticket: the same place.
  let last = await note(first)
    .then(() => insist(() => caller.check(who), signal))
    .then(note);
  // Anyone who is in at once has nothing to sleep through and nothing to give up.
  if (last.answer?.status === 'active' && visit.behaviour !== 'keeper') visit.behaviour = 'steady';
  const { behaviour } = visit;

  if (behaviour === 'leaver') return leave(Math.random() * times.leaveWithinMs, 'left');
  if (behaviour === 'sleeper') await delay(times.sleepMs, undefined, { signal });
  for (let poll = 0; last.answer?.status === 'waiting' || behaviour === 'sleeper'; poll++) {
    if (behaviour === 'no-show' && (last.answer?.position ?? 0) <= nearTheFront) return heartbeats();
    const seconds = Math.min(pollSecondsMax, last.answer?.nextPoll ?? 1);
    if (last.answer?.status === 'waiting') await delay(seconds * 1_000, undefined, { signal });
    // Tabs take turns; every tenth poll is a refresh of the page.
    const ask = poll % 10 === 9 ? () => caller.check(who, visit.ticket) : () => caller.status(who, visit.ticket);
    last = await insist(ask, signal).then(note);
    if (last.answer?.status === 'active') break;
  }
  const { answer, receivedMs } = last;
  if (answer?.status !== 'active') return void visit.complaints.push(`lost the place: ${last.text}`);
  const endsAtMs = Date.parse(answer.slotEndsAt ?? '');
  visit.shopping = { fromMs: receivedMs, untilMs: endsAtMs };
  if (behaviour === 'keeper') {
    await delay(Math.max(0, endsAtMs - Date.now()), undefined, { signal });
    visit.outcome = 'shopped';
    return;
  }
  await leave(times.shopMs, 'shopped');

  async function leave(afterMs: number, outcome: 'left' | 'shopped'): Promise<void> {
    await delay(afterMs, undefined, { signal });
    if (visit.shopping !== null) visit.shopping.untilMs = Math.min(visit.shopping.untilMs, Date.now());
    const { sentMs, receivedMs: answeredMs } = await insist(() => caller.leave(who, visit.ticket), signal);
    visit.left = { sentMs, receivedMs: answeredMs };
    visit.outcome = outcome;
  }

  async function heartbeats(): Promise<void> {
    visit.silentFromMs = Date.now();
    while (!signal.aborted && visit.ticket !== null) {
      await caller.heartbeat(who, visit.ticket).catch(() => undefined);
      await delay(times.heartbeatMs, undefined, { signal }).catch(() => undefined);
    }
    visit.outcome = 'silent';
  }

  async function note(answered: Answered): Promise<Answered> {
    const { answer, sentMs, receivedMs } = answered;
    if (answer === null) return answered;
    if (answer.status === 'waiting' && !answer.stale && (answer.position ?? 0) <= surelyAskedUntil)
      visit.signs.push({ sentMs, receivedMs });
    if (answer.ticket !== null && answer.ticket !== visit.ticket) {
      const order = orderIn(answer.ticket);
      if (visit.order !== null && order !== visit.order) visit.complaints.push(`moved from ${visit.order} to ${order}`);
      visit.order = order;
      visit.ticket = answer.ticket;
    }
    if (answer.entryToken !== undefined) {
      const slot = slotIn(answer.entryToken);
      if (visit.slots.every(({ slotId }) => slotId !== slot.slotId)) visit.slots.push(slot);
      if (visit.order !== null && slot.order !== visit.order)
        visit.complaints.push(`waited at ${visit.order} and was admitted from ${slot.order}`);
      visit.order = slot.order;
    }
    return answered;
  }
}

/** Again after a 503 or a broken connection, as any page would. Other refusals are not the queue's to give here. */
async function insist(ask: () => Promise<Answered>, signal: AbortSignal): Promise<Answered> {
  for (;;) {
    const answered = await ask().catch(() => null);
    if (answered !== null && answered.http < 400) return answered;
    if (answered !== null && answered.http !== 503) throw new Error(`${answered.http}: ${answered.text}`);
    await delay(retryMs, undefined, { signal });
  }
}
