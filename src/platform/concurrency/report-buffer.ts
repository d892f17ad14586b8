import type { Clock } from '../clock.ts';

/**
 * What is noted all the time and need be reported only now and then: noted in memory, and sent by the hundreds with each
 * `flush`. An item is reported at most once in `quietMs` and, while it is noted, at least once in twice that and one flush.
 * What could not be sent is tried again for `keptMs`; then the next note of it counts as the first.
 */
export interface ReportBuffer<Item> {
  /** On hot paths: it neither waits nor throws. Dropped if the item was reported lately, or while the buffer is full. */
  note(key: string, item: Item): void;
  /** False: something of this key has been buffered for longer than `withinMs`. */
  isFlushed(key: string, withinMs: number): boolean;
  /** Whom the reports of this key are for. Another one than before knows nothing yet, so everything is reported anew. */
  receiverIs(key: string, receiver: number): void;
  /** Faults go to `onFault`. One that is called during another one follows it. */
  flush(): Promise<void>;
}

export interface ReportLimits {
  /** Items in one call of `send`. */
  readonly batchMax: number;
  /** Calls of `send` for one key in one flush; what is left waits for the next. */
  readonly batchesMax: number;
  /** Items of all keys that wait to be sent. */
  readonly bufferMax: number;
  readonly quietMs: number;
  readonly keptMs: number;
}

/** Items of one key that were reported or are about to be. May forget: an item is then reported more often than needed. */
export interface ReportMarks<Item> {
  has(item: Item): boolean;
  add(item: Item): void;
  delete(item: Item): void;
  readonly isEmpty: boolean;
}

interface Noted<Item> {
  readonly item: Item;
  readonly notedAtMs: number;
}

interface KeyReports<Item> {
  /** The oldest first, and each marked, so that none is here twice. */
  waiting: Noted<Item>[];
  underWay: readonly Noted<Item>[];
  /** Reported in this generation of `quietMs`, and in the one before. */
  young: ReportMarks<Item>;
  old: ReportMarks<Item>;
  generationEndsMs: number;
  receiver: number | null;
}

export function createReportBuffer<Item>(options: {
  limits: ReportLimits;
  clock: Pick<Clock, 'monotonicMs'>;
  createMarks(): ReportMarks<Item>;
  /** `later`: as if it had failed, without a fault. The rest of the key waits for the next flush in both cases. */
  send(key: string, items: readonly Item[]): Promise<'sent' | 'later'>;
  onFault(key: string, fault: unknown): void;
}): ReportBuffer<Item> {
  const { limits, clock, createMarks, send, onFault } = options;
  const keys = new Map<string, KeyReports<Item>>();
  let waitingCount = 0;
  let lastFlush = Promise.resolve();

  function reportsOf(key: string): KeyReports<Item> {
    const known = keys.get(key);
    if (known !== undefined) return known;
    const generationEndsMs = clock.monotonicMs() + limits.quietMs;
    const marks = { young: createMarks(), old: createMarks(), generationEndsMs };
    const fresh: KeyReports<Item> = { waiting: [], underWay: [], ...marks, receiver: null };
    keys.set(key, fresh);
    return fresh;
  }

  async function flushAll(): Promise<void> {
    const nowMs = clock.monotonicMs();
    for (const [key, reports] of keys) {
      await flushKey(key, reports);
      dropOld(reports, nowMs);
      turnGeneration(key, reports, nowMs);
    }
  }

  async function flushKey(key: string, reports: KeyReports<Item>): Promise<void> {
    for (let batches = 0; batches < limits.batchesMax && reports.waiting.length > 0; batches++) {
      const batch = reports.waiting.splice(0, limits.batchMax);
      reports.underWay = batch;
      const outcome = await outcomeOf(key, batch);
      reports.underWay = [];
      if (outcome !== 'sent') {
        reports.waiting = [...batch, ...reports.waiting];
        if (outcome !== 'later') onFault(key, outcome.fault);
        return;
      }
      waitingCount -= batch.length;
    }
  }

  async function outcomeOf(key: string, batch: readonly Noted<Item>[]): Promise<'sent' | 'later' | { fault: unknown }> {
    const items = batch.map(({ item }) => item);
    try {
      return await send(key, items);
    } catch (fault) {
      return { fault };
    }
  }

  function dropOld({ waiting, young, old }: KeyReports<Item>, nowMs: number): void {
    const firstKept = waiting.findIndex(({ notedAtMs }) => nowMs - notedAtMs <= limits.keptMs);
    const dropped = waiting.splice(0, firstKept === -1 ? waiting.length : firstKept);
    for (const { item } of dropped) {
      young.delete(item);
      old.delete(item);
    }
    waitingCount -= dropped.length;
  }

  function turnGeneration(key: string, reports: KeyReports<Item>, nowMs: number): void {
    if (nowMs < reports.generationEndsMs) return;
    const isNext = nowMs < reports.generationEndsMs + limits.quietMs;
    beginMarks(reports, isNext ? reports.young : createMarks());
    reports.generationEndsMs = nowMs + limits.quietMs;
    if (reports.young.isEmpty && reports.old.isEmpty && reports.waiting.length === 0) keys.delete(key);
  }

  function beginMarks(reports: KeyReports<Item>, old: ReportMarks<Item>): void {
    reports.old = old;
    reports.young = createMarks();
    for (const { item } of reports.waiting) reports.young.add(item);
  }

  return {
    note(key, item) {
      const { young, old, waiting } = reportsOf(key);
      if (young.has(item) || old.has(item) || waitingCount >= limits.bufferMax) return;
      young.add(item);
      waiting.push({ item, notedAtMs: clock.monotonicMs() });
      waitingCount += 1;
    },
    isFlushed(key, withinMs) {
      const reports = keys.get(key);
      const oldest = reports?.underWay[0] ?? reports?.waiting[0];
      return oldest === undefined || clock.monotonicMs() - oldest.notedAtMs <= withinMs;
    },
    receiverIs(key, receiver) {
      const reports = keys.get(key);
      if (reports === undefined || reports.receiver === receiver) return;
      // What is under way may go to the receiver before, so it is not marked.
      if (reports.receiver !== null) beginMarks(reports, createMarks());
      reports.receiver = receiver;
    },
    flush() {
      // A defect in `onFault` is told to its caller and stops nothing after it.
      lastFlush = lastFlush.then(flushAll, flushAll);
      return lastFlush;
    },
  };
}

/** Marks by id, at most so many. */
export function createIdMarks<Item>(options: { idOf(item: Item): string; countMax: number }): ReportMarks<Item> {
  const { idOf, countMax } = options;
  const ids = new Set<string>();
  return {
    has: (item) => ids.has(idOf(item)),
    add: (item) => void (ids.size < countMax && ids.add(idOf(item))),
    delete: (item) => void ids.delete(idOf(item)),
    get isEmpty() {
      return ids.size === 0;
    },
  };
}
