import { ApiProblem, isProblem } from '../api/problem.ts';
import { createLiveLine } from './live-line.ts';
import { closedDelayMs, closedPollMs, failureDelayMs, pollDelayMs } from './poll-delay.ts';
import { isGuess, type QueueAnswer, type QueueClient, type QueueEvent, type RankUpdate } from './queue-client.ts';
import type { OpenStream } from './queue-stream.ts';
import type { EndOfPlace, QueueView, WaitingView } from './queue-view.ts';
import { followWait } from './shown-wait.ts';

export interface QueueSessionOptions {
  readonly eventId: string;
  readonly client: QueueClient;
  readonly stream: OpenStream;
  /** The server's clock. */
  now(): number;
  /** The device's clock, which goes on while it sleeps. */
  deviceNow(): number;
  random(): number;
  /** Whether the cookies are still those of the user whose place this is. What they say of somebody else is no end of it. */
  isSameUser(): Promise<boolean>;
  /** Tells the other tabs of this browser. */
  tell(news: TabNews): void;
  /** Where the progress began, kept over a reload of the tab. */
  readonly startPosition: { read(): number | null; write(position: number | null): void };
  /** A place or slot that this browser knew before. It is asked about, and never taken anew unless `join` says so. */
  readonly resumed?: { readonly slotEndsAtMs: number | null };
}

export type TabNews = 'turn' | 'left' | 'passed';

export interface QueueSession {
  view(): QueueView;
  subscribe(listener: () => void): () => void;
  /** The server has said that there is a place or a slot. Until then what is resumed may be nobody's. */
  isConfirmed(): boolean;
  start(): void;
  stop(): void;
  /** The visitor wants to be in line: what was only resumed is entered if there is no place. */
  join(): void;
  /** Ask now: the phone woke up, or the visitor pressed a button. */
  wake(): void;
  /** Ask and connect now: the network came back. */
  reconnect(): void;
  /** Line up anew after the place was given up. */
  enterAgain(): void;
  /** Gives up the place or the slot; fails with a problem when the server did not hear it. `done`: the slot has done its work. */
  leave(how?: 'done'): Promise<void>;
  /** Another tab of this browser knows something. */
  hear(news: TabNews): void;
}

/** A sign of life this often, by a poll or else by a heartbeat: far ahead of the 90 s after which one counts as away. */
const signOfLifeMs = 25_000;
/** While the stream tells the news: well within the 120 s in which a turn must be claimed, should it ever fail to tell that. */
const safetyNetMs = 60_000;
/** The process that answers may learn of a turn a second after the one that told it. */
const claimTries = 5;
const claimAgainMs = 1_000;
/** In a slot there is nothing to wait for; the question is only whether it still lasts. It is a sign of life, too. */
const turnPollMs = 20_000;
/** A slot ends at its time, whatever is answered. The server is asked so often before, since clocks differ a little. */
const endTries = 3;
const endAgainMs = 1_000;
const pendingPollMs = 1_000;
/** Thousands learn at once that a queue is cleared; their questions are spread over this long. */
const overSpreadMs = 1_000;

/** Follows one person's place in one event's queue: listens, or else asks as often as it was told; never gives up by itself. */
export function createQueueSession(options: QueueSessionOptions): QueueSession {
  const { eventId, client, now, random } = options;
  const listeners = new Set<() => void>();
  let view: QueueView = firstView(options);
  let entered = options.resumed !== undefined;
  let mayEnter = !entered;
  let confirmed = false;
  let running: AbortController | null = null;
  let asking = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lifeTimer: ReturnType<typeof setTimeout> | undefined;
  let seenAtMs = 0;
  let claimTriesLeft = 0;
  let endTriesLeft = endTries;
  let askAgain = false;
  const live = createLiveLine({
    stream: options.stream,
    now: options.deviceNow,
    random,
    onRank: hearRank,
    onTurn: hearTurn,
    onOver: hearOver,
    onLive: planQuestion,
    onLost: (how) => (how === 'dropped' ? planQuestion() : void ask()),
  });

  function show(next: QueueView): void {
    view = next;
    for (const listener of listeners) listener();
  }

  function askAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), ms);
  }

  /** Beside a stream that works only as a safety net. */
  function planQuestion(): void {
    if (view.kind !== 'waiting') return;
    const pollMs = live.isLive() ? safetyNetMs : pollDelayMs(view.answer.nextPoll);
    askAfter(claimTriesLeft > 0 ? claimAgainMs : pollMs);
  }

  async function ask(): Promise<void> {
    const run = running;
    if (run === null || asking) return;
    asking = true;
    askAgain = false;
    clearTimeout(timer);
    const asked = entered ? 'status' : 'check';
    try {
      const answer = await client[asked](eventId, { signal: run.signal });
      const isAnothers = answer.status === 'none' && confirmed && !(await options.isSameUser());
      if (run !== running) return;
      if (isAnothers) {
        // The session's news lead on: the one who is signed in now lines up, or signs in.
        askAfter(closedPollMs);
        return;
      }
      failures = 0;
      signOfLife();
      accept(answer);
    } catch (error) {
      if (run === running) fail(error, asked);
    } finally {
      // After a stop and a new start the newer run asks for itself.
      if (run === running || running === null) asking = false;
      if (run === running && askAgain && view.kind === 'waiting') void ask();
    }
  }

  function askNow(): void {
    if (view.kind !== 'gone' && view.kind !== 'refused') void ask();
  }

  function hearRank(update: RankUpdate): void {
    if (view.kind !== 'waiting') return;
    show(waitingView({ ...view.answer, ...update }, view.event));
    // Timers of hidden tabs stand still for a minute at a time; words arrive all the same.
    if (options.deviceNow() - seenAtMs >= signOfLifeMs) void heartbeat();
  }

  function hearTurn(): void {
    if (view.kind !== 'waiting') return;
    claimTriesLeft = claimTries;
    // The answer under way may have been given before the turn came.
    askAgain = true;
    void ask();
  }

  /** Thousands may be told so in the same second. */
  function hearOver(): void {
    if (view.kind === 'waiting') askAfter(random() * overSpreadMs);
  }

  function accept(answer: QueueAnswer): void {
    const event = answer.event ?? eventOf(view);
    if (isGuess(answer) && view.kind === 'turn' && now() < (view.slotEndsAtMs ?? 0)) {
      followSlot();
      return;
    }
    confirmed ||= answer.status === 'waiting' || answer.status === 'pending' || answer.status === 'active';
    if (answer.status === 'waiting') {
      entered = true;
      show(waitingView(answer, event));
      claimTriesLeft = Math.max(0, claimTriesLeft - 1);
      live.open();
      planQuestion();
      return;
    }
    live.close();
    claimTriesLeft = 0;
    if (answer.status === 'pending') {
      entered = true;
      show({ kind: 'entering', problem: null, event });
      askAfter(Math.max(pendingPollMs, pollDelayMs(answer.nextPoll)));
    } else if (answer.status === 'active') {
      entered = true;
      beginTurn(answer, event);
    } else if (answer.status === 'closed') {
      entered = false;
      const opensAtMs = momentOf(answer.opensAt);
      show({ kind: 'closed', opensAtMs, message: answer.message ?? null, event });
      askAfter(closedDelayMs({ nextPoll: answer.nextPoll, opensAtMs, nowMs: now(), random: random() }));
    } else {
      endPlace(view.kind === 'turn' ? 'over' : 'ended', answer.message ?? null);
    }
  }

  function waitingView(answer: QueueAnswer, event: QueueEvent | null): WaitingView {
    const before = view.kind === 'waiting' ? view : null;
    const told = answer.position ?? (answer.peopleAhead ?? 0) + 1;
    const kept = before === null || isUnsure(before) ? told : before.position;
    // Stale: the server is not sure itself, and a place that is too good would be kept.
    const position = Math.max(1, answer.stale === true ? kept : Math.min(kept, told));
    const startPosition = Math.max(position, before?.startPosition ?? options.startPosition.read() ?? 0);
    if (before === null) options.startPosition.write(startPosition);
    const wait = followWait({
      before: before?.wait ?? null,
      beforeAnswer: before?.answer ?? null,
      answer,
      nowMs: now(),
    });
    return { kind: 'waiting', position, startPosition, wait, answer, connection: 'good', event };
  }

  function beginTurn(answer: QueueAnswer, event: QueueEvent | null): void {
    const known = view.kind === 'turn' ? view : null;
    options.startPosition.write(null);
    show({
      kind: 'turn',
      slotEndsAtMs: momentOf(answer.slotEndsAt) ?? known?.slotEndsAtMs ?? null,
      event,
    });
    if (known === null) {
      endTriesLeft = endTries;
      options.tell('turn');
    }
    followSlot();
  }

  /** Asks whether the slot lasts, and at its end whether it is over. */
  function followSlot(): void {
    const endsAtMs = view.kind === 'turn' ? view.slotEndsAtMs : null;
    const leftMs = endsAtMs === null ? turnPollMs : endsAtMs - now();
    if (leftMs > 0) {
      askAfter(Math.min(turnPollMs, leftMs));
    } else if (endTriesLeft > 0) {
      endTriesLeft -= 1;
      askAfter(endAgainMs);
    } else endPlace('over');
  }

  function endPlace(why: EndOfPlace, message: string | null = null): void {
    entered = false;
    hush();
    dropAnswerUnderWay();
    options.startPosition.write(null);
    show({ kind: 'gone', why, message, event: eventOf(view) });
  }

  function hush(): void {
    live.close();
    clearTimeout(timer);
    clearTimeout(lifeTimer);
  }

  /** It was given before, and must not bring the place back. */
  function dropAnswerUnderWay(): void {
    if (running === null) return;
    running.abort();
    running = new AbortController();
    asking = false;
  }

  function fail(error: unknown, asked: 'status' | 'check'): void {
    const problem = isProblem(error) ? error : new ApiProblem({ code: 'PAGE', status: 0, cause: error });
    failures += 1;
    if (asked === 'status' && (problem.status === 401 || problem.status === 403)) {
      if (!mayEnter && !confirmed) {
        endPlace('ended');
        return;
      }
      // The ticket alone was not enough; entering again is safe, since it gives back the place one has.
      entered = false;
      askAfter(0);
      return;
    }
    if (isFinal(problem)) {
      hush();
      show({ kind: 'refused', problem });
      return;
    }
    if (view.kind === 'waiting') {
      if (!live.isLive()) show({ ...view, connection: 'lost' });
    } else if (view.kind === 'entering' || view.kind === 'refused') {
      show({ kind: 'entering', problem, event: eventOf(view) });
    } else if (view.kind === 'turn' && hasPassed(view.slotEndsAtMs)) {
      followSlot();
      return;
    }
    const retryAfterSeconds = problem.retryAfterSeconds ?? 0;
    askAfter(failureDelayMs(failures, { retryAfterSeconds, random: random() }));
  }

  const hasPassed = (endsAtMs: number | null) => endsAtMs !== null && endsAtMs <= now();

  function signOfLife(): void {
    seenAtMs = options.deviceNow();
    clearTimeout(lifeTimer);
    lifeTimer = setTimeout(() => void heartbeat(), signOfLifeMs);
  }

  async function heartbeat(): Promise<void> {
    const run = running;
    if (run === null || !entered) return;
    signOfLife();
    // A lost heartbeat is no harm: the next one or the next poll says the same.
    await client.heartbeat(eventId, { signal: run.signal }).catch(() => undefined);
  }

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isConfirmed: () => confirmed,
    start() {
      running?.abort();
      running = new AbortController();
      asking = false;
      askNow();
    },
    stop() {
      running?.abort();
      running = null;
      hush();
    },
    join() {
      if (mayEnter) return;
      mayEnter = true;
      if (confirmed) return;
      entered = false;
      dropAnswerUnderWay();
      askNow();
    },
    wake() {
      live.wake();
      askNow();
    },
    reconnect() {
      live.reconnect();
      askNow();
    },
    enterAgain() {
      hush();
      dropAnswerUnderWay();
      entered = false;
      mayEnter = true;
      confirmed = false;
      failures = 0;
      show({ kind: 'entering', problem: null, event: eventOf(view) });
      void ask();
    },
    async leave(how) {
      const why = view.kind === 'turn' && how !== 'done' ? 'passed' : 'left';
      await client.leave(eventId);
      options.tell(why);
      endPlace(why);
    },
    hear(news) {
      if (news === 'turn') hearTurn();
      else if (view.kind === 'waiting' || view.kind === 'turn') endPlace(news);
    },
  };
}

function firstView({ resumed, now }: QueueSessionOptions): QueueView {
  const slotEndsAtMs = resumed?.slotEndsAtMs ?? 0;
  if (slotEndsAtMs > now()) return { kind: 'turn', slotEndsAtMs, event: null };
  return { kind: 'entering', problem: null, event: null };
}

/** An answer that will be the same next time. Everything else is asked again. */
function isFinal(problem: ApiProblem): boolean {
  return problem.status >= 400 && problem.status < 500 && problem.status !== 408 && problem.status !== 429;
}

function momentOf(time: string | null | undefined): number | null {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? null : ms;
}

function eventOf(view: QueueView): QueueEvent | null {
  return view.kind === 'refused' ? null : view.event;
}

/** Its position is one of which the server was not sure. */
function isUnsure({ answer, position }: WaitingView): boolean {
  return answer.stale === true && answer.position === position;
}
