import type { KeptPlaces } from './kept-places.ts';
import type { QueueSession, TabNews } from './queue-session.ts';
import type { QueueView } from './queue-view.ts';
import { byUrgency, type FollowedQueue } from './urgency.ts';

export interface FollowedQueuesOptions {
  createSession(parts: {
    readonly eventId: string;
    readonly resumed?: { readonly slotEndsAtMs: number | null };
    isSameUser(): Promise<boolean>;
    tell(news: TabNews): void;
  }): QueueSession;
  readonly kept: KeptPlaces;
  /** Whether it is still this user whose session the cookies are. If not, `setUser` follows. */
  isSignedIn(user: string): Promise<boolean>;
  openTabNews(eventId: string, hear: (news: TabNews) => void): { tell(news: TabNews): void; close(): void };
}

/**
 * The queues that this browser waits in, whichever page is shown.
 *
 * A queue is followed from its page on, and goes on being followed when the page is left, as long as there is a place or a
 * slot. What ends meanwhile stays in the list until it is dismissed or its page was seen. After a reload, and in another
 * tab, places come back from what is kept (`KeptPlaces`), by asking and never by entering.
 */
export interface FollowedQueues {
  /** The most urgent first. The same array until something changes. */
  list(): readonly FollowedQueue[];
  view(eventId: string): QueueView | null;
  subscribe(listener: () => void): () => void;
  /** Comes back to what was kept, now and whenever another tab adds to it. The queue whose page opens first enters there. */
  start(opensFirst: string | null): void;
  /** The queue's page is shown: lines up, or shows the place there is. Returns what to call when the page is left. */
  open(eventId: string): () => void;
  retry(eventId: string): void;
  enterAgain(eventId: string): void;
  /** `done`: the slot has done its work, and its end is no news. */
  leave(eventId: string, how?: 'done'): Promise<void>;
  /** Takes what has ended out of the list. */
  dismiss(eventId: string): void;
  /** Who is signed in; null: nobody. Places of anybody else are forgotten. */
  setUser(user: string | null): void;
  /** Whether this tab is to listen and ask, or another one does it for all. */
  setOnDuty(onDuty: boolean): void;
  wake(): void;
  reconnect(): void;
}

interface Entry {
  readonly session: QueueSession;
  user: string | null | undefined;
  /** How many pages of this tab show it. */
  pages: number;
  isRunning: boolean;
  end(): void;
}

export function createFollowedQueues({
  createSession,
  kept,
  isSignedIn,
  openTabNews,
}: FollowedQueuesOptions): FollowedQueues {
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  let list: readonly FollowedQueue[] = [];
  let user: string | null | undefined;
  let onDuty = true;

  function publish(): void {
    list = [...entries].map(([eventId, { session }]) => ({ eventId, view: session.view() })).sort(byUrgency);
    for (const listener of listeners) listener();
  }

  function add(eventId: string, resumed?: { readonly slotEndsAtMs: number | null }): Entry {
    const tabs = openTabNews(eventId, (news) => {
      // A tab that rests, since another one follows the queue, has to see for itself what has happened.
      run(entry);
      session.hear(news);
    });
    const session = createSession({
      eventId,
      ...(resumed && { resumed }),
      isSameUser: async () => typeof entry.user !== 'string' || (await isSignedIn(entry.user)),
      tell: (news) => tabs.tell(news),
    });
    const unsubscribe = session.subscribe(() => settle(eventId, entry));
    const entry: Entry = {
      session,
      user,
      pages: 0,
      isRunning: false,
      end() {
        unsubscribe();
        session.stop();
        tabs.close();
      },
    };
    entries.set(eventId, entry);
    return entry;
  }

  function run(entry: Entry): void {
    if (entry.isRunning || (entry.pages === 0 && isOver(entry.session.view()))) return;
    entry.isRunning = true;
    entry.session.start();
  }

  function rest(entry: Entry): void {
    entry.isRunning = false;
    entry.session.stop();
  }

  function drop(eventId: string, entry: Entry): void {
    entry.end();
    entries.delete(eventId);
    kept.forget(eventId);
  }

  /** After each change of a view. */
  function settle(eventId: string, entry: Entry): void {
    if (entries.get(eventId) !== entry) return;
    const view = entry.session.view();
    if (isOver(view)) {
      kept.forget(eventId);
      if (entry.pages === 0) {
        if (isNews(entry)) rest(entry);
        else drop(eventId, entry);
      }
    } else keepPlace(eventId, entry);
    publish();
  }

  function keepPlace(eventId: string, { session, user: whose }: Entry): void {
    const view = session.view();
    if (!session.isConfirmed()) return;
    kept.write(eventId, { user: whose, slotEndsAtMs: view.kind === 'turn' ? view.slotEndsAtMs : null });
  }

  function resume(except: string | null = null): void {
    const places = kept.read();
    for (const [eventId, { user: whose, slotEndsAtMs }] of places) {
      if (entries.has(eventId) || eventId === except) continue;
      const entry = add(eventId, { slotEndsAtMs });
      entry.user = whose;
      if (user !== undefined) recognise(eventId, entry, user);
      if (onDuty && entries.has(eventId)) run(entry);
    }
    // Another tab saw it end; one that rests looks for itself.
    for (const [eventId, entry] of entries) if (!places.has(eventId)) run(entry);
    publish();
  }

  /** A place of somebody else is forgotten. Where its page is shown, the one who is signed in now lines up. */
  function recognise(eventId: string, entry: Entry, now: string | null): void {
    const whose = entry.user;
    entry.user = now;
    if (whose === now) return;
    if (whose === undefined) keepPlace(eventId, entry);
    else if (entry.pages === 0) drop(eventId, entry);
    else {
      kept.forget(eventId);
      entry.session.enterAgain();
    }
  }

  const running = () => [...entries.values()].filter(({ isRunning }) => isRunning).map(({ session }) => session);

  return {
    list: () => list,
    view: (eventId) => entries.get(eventId)?.session.view() ?? null,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start(opensFirst) {
      kept.subscribe(() => resume());
      resume(opensFirst);
    },
    open(eventId) {
      const entry = entries.get(eventId) ?? add(eventId);
      entry.pages += 1;
      entry.session.join();
      run(entry);
      publish();
      return () => {
        entry.pages -= 1;
        if (entry.pages === 0 && entries.get(eventId) === entry && isOver(entry.session.view())) drop(eventId, entry);
        publish();
      };
    },
    retry: (eventId) => entries.get(eventId)?.session.wake(),
    enterAgain: (eventId) => entries.get(eventId)?.session.enterAgain(),
    async leave(eventId, how) {
      await entries.get(eventId)?.session.leave(how);
    },
    dismiss(eventId) {
      const entry = entries.get(eventId);
      if (entry !== undefined && isOver(entry.session.view())) drop(eventId, entry);
      publish();
    },
    setUser(now) {
      user = now;
      for (const [eventId, entry] of entries) recognise(eventId, entry, now);
      publish();
    },
    setOnDuty(next) {
      onDuty = next;
      for (const entry of entries.values()) {
        if (onDuty) run(entry);
        else if (entry.isRunning) rest(entry);
      }
    },
    wake() {
      for (const session of running()) session.wake();
    },
    reconnect() {
      for (const session of running()) session.reconnect();
    },
  };
}

function isOver({ kind }: QueueView): boolean {
  return kind === 'gone' || kind === 'closed' || kind === 'refused';
}

/** Anyone who had a place or a slot is told that it has ended, unless they left the line themselves. That a slot was passed on is confirmed. */
function isNews({ session }: Entry): boolean {
  const view = session.view();
  if (!session.isConfirmed()) return false;
  return view.kind === 'closed' || (view.kind === 'gone' && view.why !== 'left');
}
