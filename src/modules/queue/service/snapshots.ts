import type { Clock } from '#platform/clock.ts';
import { inParallel } from '#platform/concurrency/in-parallel.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { EventFacts, EventStates, KnownEvents, QueueStore, StoreSnapshot } from '../ports.ts';
import { sharedJson } from './answers.ts';
import type { DenySet } from './deny-set.ts';
import { isOverAt } from './event-facts.ts';
import { type EventView, isInStore, notInStore } from './event-view.ts';
import type { ServerWatch } from './server-watch.ts';
import { createSpentMirror, type KnownSpent } from './spent-mirror.ts';

export interface Snapshots {
  /** At hand and fresh, or undefined: then `get` it. */
  peek(eventId: string): EventView | undefined;
  /** NOT_FOUND for an unknown event; STORE_UNAVAILABLE when nothing was ever known. */
  get(eventId: string): Promise<EventView>;
  /** Asks the store now, e.g. after a change that others must see at once. */
  refresh(eventId: string): Promise<EventView>;
  /** Every event in which somebody is. The others are looked at when somebody asks. Once a second. */
  refreshAll(signal?: AbortSignal): Promise<void>;
  /** The store did not answer a question about this event: until the next refresh nobody waits for it again. */
  isAway(view: EventView): void;
  /** What events say of themselves counts as soon as it is known, not only with the next look at the store. */
  renewFacts(facts: readonly EventFacts[]): void;
  /** After each refresh, also when the store did not answer and the view is stale. */
  onRefresh(listener: (view: EventView) => void): void;
  views(): Iterable<EventView>;
  /** This process answers no polls any more. Never fails. */
  stop(): Promise<void>;
}

/** Nobody asked for this long: forgotten, unless the store calls the event active. */
const unusedMs = 60_000;
/** What nobody keeps fresh is looked at again when it is asked for after so long. */
const freshMs = 2_000;
/** Beyond it the least used one gives way, those in which nobody is before the others. */
const viewsMaxDefault = 2_000;
const refreshesAtOnce = 8;
const historyMax = 120;

/** A look at the store, and the one that follows it because somebody asked in between. */
interface Refreshing {
  readonly done: Promise<EventView>;
  next: Promise<EventView> | null;
}

export function createSnapshots(deps: {
  store: QueueStore;
  states: EventStates;
  watch: ServerWatch;
  known: KnownEvents;
  denied: DenySet;
  clock: Clock;
  logger: Logger;
  /** Names this process to the store, where it has told the signs of life of an event. */
  flusher: { readonly id: string; isFlushed(eventId: string): boolean };
  viewsMax?: number;
}): Snapshots {
  const { store, states, watch, known, denied, clock, logger, flusher, viewsMax = viewsMaxDefault } = deps;
  const views = new Map<string, EventView>();
  const underWay = new Map<string, Refreshing>();
  const spentMirror = createSpentMirror(deps);
  const listeners: ((view: EventView) => void)[] = [];
  /** Most polls are about one event: comparing its id is less than looking it up. */
  let latest: EventView | undefined;

  async function load(eventId: string): Promise<EventView> {
    const facts = await known.get(eventId);
    if (facts === null) {
      drop(eventId);
      latest = undefined;
      throw platformErrors.fault('NOT_FOUND', { detail: 'There is no such event.' });
    }
    try {
      const snapshot = await look(facts);
      return keep(facts, snapshot, await spentMirror.follow(eventId, snapshot));
    } catch (error) {
      const view = views.get(eventId);
      if (view === undefined) throw error;
      view.facts = facts;
      if (!view.stale) logger.warn({ err: error, eventId }, 'polls are answered from the last snapshot');
      isAway(view);
      for (const listener of listeners) listener(view);
      return view;
    }
  }

  /** An event whose sale is over may have been taken out of the store, and a look at it is no reason to bring it back. */
  async function look(facts: EventFacts): Promise<StoreSnapshot> {
    const { eventId } = facts;
    const deniedSince = views.get(eventId)?.snapshot.deniedMark;
    const take = () =>
      store.snapshot({
        eventId,
        ...(deniedSince !== undefined && { deniedSince }),
        ...(flusher.isFlushed(eventId) && { flusher: { id: flusher.id } }),
      });
    if (!isOverAt(facts, clock.now())) return states.withState(eventId, take);
    const snapshot = await take();
    return snapshot.status === 'lost' ? notInStore(facts, clock.now()) : snapshot;
  }

  function mayBeInStore(eventId: string): boolean {
    const view = views.get(eventId);
    return view === undefined || isInStore(view);
  }

  function isAway(view: EventView): void {
    view.stale = true;
    view.shared = sharedJson(view, clock.now());
  }

  function keep(facts: EventFacts, snapshot: StoreSnapshot, spent: KnownSpent | null): EventView {
    const { eventId } = facts;
    const view: EventView = views.get(eventId) ?? {
      eventId,
      facts,
      snapshot,
      spent,
      shared: '',
      stale: false,
      isIdle: true,
      refreshedAtMs: Number.NEGATIVE_INFINITY,
      usedAtMs: Number.NEGATIVE_INFINITY,
      estimates: new Map(),
      history: [],
    };
    if (view.stale) logger.info({ eventId }, 'polls are answered from fresh snapshots again');
    Object.assign(view, {
      facts,
      snapshot,
      spent,
      stale: false,
      refreshedAtMs: clock.monotonicMs(),
      isIdle: view.isIdle && isEmpty(snapshot),
    });
    view.shared = sharedJson(view, clock.now());
    view.estimates.clear();
    remember(view);
    denied.add(snapshot.denied);
    if (views.size >= viewsMax && !views.has(eventId)) dropLeastUsed();
    views.set(eventId, view);
    for (const listener of listeners) listener(view);
    return view;
  }

  function drop(eventId: string): void {
    views.delete(eventId);
    spentMirror.forget(eventId);
  }

  function dropLeastUsed(): void {
    let least: EventView | undefined;
    for (const view of views.values()) if (least === undefined || isLessUsed(view, least)) least = view;
    if (least === undefined) return;
    drop(least.eventId);
    latest = undefined;
  }

  function dropUnused(except: ReadonlySet<string>, beforeMs: number): void {
    for (const [eventId, { usedAtMs }] of views) if (usedAtMs < beforeMs && !except.has(eventId)) drop(eventId);
  }

  function used(view: EventView): EventView {
    view.usedAtMs = clock.monotonicMs();
    return view;
  }

  /** Nobody keeps it fresh, and it may be old by now. */
  function isOld({ isIdle, stale, refreshedAtMs }: EventView): boolean {
    return isIdle && !stale && clock.monotonicMs() - refreshedAtMs >= freshMs;
  }

  /** Of all that are known or active at most as many as are kept, the last used first. */
  function wanted(active: ReadonlySet<string> | null): string[] {
    const busy = [...views.values()].filter((view) => active === null || !view.isIdle || view.stale);
    const used = busy.sort((one, other) => other.usedAtMs - one.usedAtMs).map(({ eventId }) => eventId);
    return [...new Set([...used, ...(active ?? [])])].slice(0, viewsMax);
  }

  /** Null: the store does not say. */
  async function activeEvents(): Promise<ReadonlySet<string> | null> {
    try {
      return new Set(await store.activeEvents());
    } catch (error) {
      logger.warn({ err: error }, 'the store does not say which queues are active');
      return null;
    }
  }

  function start(eventId: string): Promise<EventView> {
    const refreshing: Refreshing = {
      done: load(eventId).finally(() => {
        // The next one takes its place in the map; nobody may begin a third beside it.
        if (refreshing.next === null) underWay.delete(eventId);
      }),
      next: null,
    };
    underWay.set(eventId, refreshing);
    return refreshing.done;
  }

  function refresh(eventId: string): Promise<EventView> {
    const running = underWay.get(eventId);
    if (running === undefined) return start(eventId);
    // What runs may have read before the change that the caller knows of. One more serves all who ask meanwhile.
    running.next ??= running.done.catch(() => undefined).then(() => start(eventId));
    return running.next;
  }

  return {
    peek(eventId) {
      if (latest === undefined || latest.eventId !== eventId) latest = views.get(eventId);
      if (latest === undefined) return undefined;
      latest.usedAtMs = clock.monotonicMs();
      return isOld(latest) ? undefined : latest;
    },
    get(eventId) {
      const view = views.get(eventId);
      if (view !== undefined && !isOld(view)) return Promise.resolve(used(view));
      return (underWay.get(eventId)?.done ?? refresh(eventId)).then(used);
    },
    refresh,
    async refreshAll(signal) {
      denied.forgetEnded();
      const active = await activeEvents();
      latest = undefined;
      if (active !== null) {
        dropUnused(active, clock.monotonicMs() - unusedMs);
        for (const view of views.values()) view.isIdle = !active.has(view.eventId) && isEmpty(view.snapshot);
      }
      const due = wanted(active);
      await watch.look(due.filter(mayBeInStore)).catch((error: unknown) => {
        logger.warn({ err: error }, 'the servers of the queues could not be looked at');
      });
      await inParallel(due, refreshesAtOnce, async (eventId) => {
        if (signal?.aborted) return;
        await (underWay.get(eventId)?.done ?? refresh(eventId)).catch((error: unknown) => {
          logger.warn({ err: error, eventId }, 'a queue could not be looked at');
        });
      });
    },
    isAway,
    renewFacts(changed) {
      for (const facts of changed) {
        const view = views.get(facts.eventId);
        if (view === undefined || view.facts.version >= facts.version) continue;
        view.facts = facts;
        view.shared = sharedJson(view, clock.now());
      }
    },
    onRefresh: (listener) => listeners.push(listener),
    views: () => views.values(),
    async stop() {
      const leave = async ({ eventId }: EventView) => {
        await store.snapshot({ eventId, flusher: { id: flusher.id, isLeaving: true } });
      };
      // If it cannot say so, people count as present for a minute more.
      await inParallel([...views.values()].filter(isInStore), refreshesAtOnce, leave).catch((error: unknown) =>
        logger.warn({ err: error }, 'the store was not told that this process ends'),
      );
    },
  };
}

/** As far as this look at the store says. */
function isEmpty({ waiting, parked, active }: StoreSnapshot): boolean {
  return waiting + parked + active === 0;
}

function isLessUsed(one: EventView, other: EventView): boolean {
  return one.isIdle === other.isIdle ? one.usedAtMs < other.usedAtMs : one.isIdle;
}

function remember({ history, snapshot }: EventView): void {
  const { atMs, waiting, parked, active, settings } = snapshot;
  history.push({ atMs, waiting, parked, active, threshold: settings.threshold });
  if (history.length > historyMax) history.shift();
}
