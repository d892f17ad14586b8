import type { Clock } from '#platform/clock.ts';
import type { PreparedJson } from '#platform/http/contract.ts';
import type { Logger } from '#platform/telemetry/logger.ts';

export interface FreshCacheLimits {
  /** Younger than this is simply served. */
  readonly freshMs: number;
  /** Younger than this is served at once, while one reload runs behind it. */
  readonly reloadBehindMs: number;
  /** Younger than this is better than an error or a long wait, when the source is away. */
  readonly emergencyMs: number;
  readonly entriesMax: number;
}

export interface FreshCacheOptions<Source> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: FreshCacheLimits;
  /** Bytes to send for what was loaded, and until when they are true; asked again at that very moment, without a load. */
  readonly render: (source: Source, nowMs: number) => { readonly json: PreparedJson; readonly untilMs: number };
}

export interface FreshCache<Source> {
  /** Not a promise when it is at hand: the hot path must not even wait for a microtask. `null`: there is no such thing. */
  /** `load` is told what is known, and may return that: nothing is rendered anew then. */
  get(key: string, load: Load<Source>): PreparedJson | null | Promise<PreparedJson | null>;
  /** The next reader gets what is true now; what was kept stays for emergencies. */
  evict(key: string): void;
  evictAll(): void;
}

type Load<Source> = (known: Source | null) => Promise<Source | null>;

interface Entry<Source> {
  source: Source | null;
  /** By the clock that is never set back, as `retryAtMs`. */
  loadedAtMs: number;
  json: PreparedJson | null;
  /** Since when and until when `json` is true, by the time of day. */
  jsonFromMs: number;
  jsonUntilMs: number;
  evicted: boolean;
  /** One reload at a time, no matter who asks. */
  reload: Reload<Source> | null;
  /** After a failed reload nobody tries again before this. */
  retryAtMs: number;
}

type Reload<Source> = Promise<Source | null>;

/** With something older in hand, nobody waits longer than this for something newer. */
const patienceMs = 300;
const retryAfterFailureMs = 1_000;
const never = Number.NEGATIVE_INFINITY;

/** Public reads from memory: the database sees one query per key and second, however many people look. */
export function createFreshCache<Source>({
  clock,
  logger,
  limits,
  render,
}: FreshCacheOptions<Source>): FreshCache<Source> {
  const { freshMs, reloadBehindMs, emergencyMs, entriesMax } = limits;
  const entries = new Map<string, Entry<Source>>();

  function get(key: string, load: Load<Source>): PreparedJson | null | Promise<PreparedJson | null> {
    const passedMs = clock.monotonicMs();
    const entry = entries.get(key) ?? remember(key);
    const ageMs = passedMs - entry.loadedAtMs;
    if (ageMs < freshMs && !entry.evicted) return shown(entry);
    if (passedMs < entry.retryAtMs && ageMs < emergencyMs) return shown(entry);
    const reload = entry.reload ?? startReload(key, entry, load);
    // What did not exist a moment ago may exist now, so only what did exist is served while reloading.
    if (ageMs < reloadBehindMs && !entry.evicted && entry.source !== null) return shown(entry);
    return waitFor(reload, entry, ageMs);
  }

  function shown(entry: Entry<Source>): PreparedJson | null {
    const nowMs = clock.now();
    // Also of a clock that was set back: what was true later need not be true now.
    if (entry.source !== null && (nowMs >= entry.jsonUntilMs || nowMs < entry.jsonFromMs)) {
      const { json, untilMs } = render(entry.source, nowMs);
      if (entry.json === null || !entry.json.isSame(json)) entry.json = json;
      entry.jsonFromMs = nowMs;
      entry.jsonUntilMs = untilMs;
    }
    return entry.json;
  }

  async function waitFor(reload: Reload<Source>, entry: Entry<Source>, ageMs: number): Promise<PreparedJson | null> {
    const haveOlder = ageMs < emergencyMs;
    try {
      const source = await (haveOlder ? Promise.race([reload, giveUpAfter(patienceMs)]) : reload);
      if (source === tooLate || source === entry.source) return shown(entry);
      // Evicted while it was loading: true when this reader asked, but not to be kept.
      return source === null ? null : render(source, clock.now()).json;
    } catch (error) {
      if (haveOlder) return shown(entry);
      throw error;
    }
  }

  function startReload(key: string, entry: Entry<Source>, load: Load<Source>): Reload<Source> {
    const startedMs = clock.monotonicMs();
    const reload = load(entry.source).then(
      (source) => {
        // An eviction since has taken the reload away: what was read may be from before the change.
        if (entry.reload !== reload) return source;
        Object.assign(entry, { loadedAtMs: startedMs, evicted: false, reload: null });
        // The rendered text stays: it may be the same again, and what was made of it is then still good.
        if (source !== entry.source) Object.assign(entry, { source, jsonFromMs: never, jsonUntilMs: never });
        if (source === null) entry.json = null;
        touch(key, entry);
        return source;
      },
      (error: unknown) => {
        entry.retryAtMs = clock.monotonicMs() + retryAfterFailureMs;
        if (entry.reload === reload) entry.reload = null;
        if (entry.loadedAtMs === never) entries.delete(key);
        else logger.warn({ err: error, key }, 'a public read could not be refreshed; serving what was known');
        throw error;
      },
    );
    // Those who wait see the failure; when nobody does, it has been logged.
    reload.catch(() => {});
    entry.reload = reload;
    return reload;
  }

  function remember(key: string): Entry<Source> {
    const entry: Entry<Source> = {
      source: null,
      loadedAtMs: never,
      json: null,
      jsonFromMs: never,
      jsonUntilMs: never,
      evicted: false,
      reload: null,
      retryAtMs: never,
    };
    entries.set(key, entry);
    return entry;
  }

  /** Least recently reloaded goes first. An entry in use is reloaded every second, so a hit need not move it. */
  function touch(key: string, entry: Entry<Source>): void {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= entriesMax) return;
      entries.delete(oldest);
    }
  }

  function evict(entry: Entry<Source>): void {
    entry.evicted = true;
    entry.reload = null;
  }

  return {
    get,
    evict(key) {
      const entry = entries.get(key);
      if (entry !== undefined) evict(entry);
    },
    evictAll() {
      for (const entry of entries.values()) evict(entry);
    },
  };
}

const tooLate = Symbol('too late');

function giveUpAfter(ms: number): Promise<typeof tooLate> {
  return new Promise((resolve) => setTimeout(resolve, ms, tooLate).unref());
}
