import { assert } from '../assert.ts';

/**
 * Calls that arrive together go out together: a round trip, or a transaction, costs more than a decision in it. Calls of one
 * key that are made in one turn of the event loop are one batch, in their order, and so are those that come while a batch is
 * under way; a full batch waits for nobody. So a lone call goes out at once.
 */
export interface Batcher<Call, Result> {
  /** The call's own result. Rejects with its own fault, with that of its batch, or with `overloaded()`. */
  call(key: string, call: Call): Promise<Result>;
  /** Refuses new calls; ends when those that were made before are answered. */
  stop(): Promise<void>;
}

/** Of one process. Beyond `callsMax` and `waitMaxMs` a call gets the fault `overloaded()` and was surely not sent. */
export interface BatchLimits {
  /** Calls in one batch. */
  readonly batchMax: number;
  /** Batches of one key under way at a time. */
  readonly batchesMax: number;
  /** Calls of all keys that wait or are under way. */
  readonly callsMax: number;
  /** How long a call waits until it is sent. How long a batch takes is for `run` to limit. */
  readonly waitMaxMs: number;
}

interface Pending<Call, Result> {
  readonly call: Call;
  readonly madeAtMs: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The calls of one key. While there are none, the key is not remembered. */
interface Line<Call, Result> {
  readonly key: string;
  waiting: Pending<Call, Result>[];
  batchesUnderWay: number;
  isScheduled: boolean;
  /** Runs while a call waits for a batch before its own. */
  waitLimit: NodeJS.Timeout | null;
}

export function createBatcher<Call, Result>(options: {
  limits: BatchLimits;
  /** A result for each call, in their order; an Error among them rejects that call alone. What it throws is the fault of all. */
  run(key: string, calls: readonly Call[]): Promise<readonly (Result | Error)[]>;
  overloaded(): Error;
  /** Whether a call can be in one batch with the one at its head; always, if absent. */
  canJoin?(head: Call, call: Call): boolean;
  /** True for a fault that the calls behind would meet one batch after the other: they get it at once, and are not sent. */
  isOutage?(fault: unknown): boolean;
}): Batcher<Call, Result> {
  const { limits, run, overloaded, canJoin = () => true, isOutage = () => false } = options;
  const lines = new Map<string, Line<Call, Result>>();
  const idle = Promise.withResolvers<void>();
  let callCount = 0;
  let isStopping = false;

  function lineOf(key: string): Line<Call, Result> {
    const known = lines.get(key);
    if (known !== undefined) return known;
    const line: Line<Call, Result> = { key, waiting: [], batchesUnderWay: 0, isScheduled: false, waitLimit: null };
    lines.set(key, line);
    return line;
  }

  function schedule(line: Line<Call, Result>): void {
    if (line.isScheduled) return;
    const isFull = line.waiting.length >= limits.batchMax;
    if (line.batchesUnderWay >= limits.batchesMax || (line.batchesUnderWay > 0 && !isFull)) {
      line.waitLimit ??= setTimeout(refuseLate, limits.waitMaxMs, line).unref();
      return;
    }
    line.isScheduled = true;
    // After everything that this turn has read from its sockets, and before it waits for more.
    setImmediate(flush, line);
  }

  function flush(line: Line<Call, Result>): void {
    line.isScheduled = false;
    while (line.waiting.length > 0 && line.batchesUnderWay < limits.batchesMax) {
      const batch = takeBatch(line.waiting);
      line.waiting = line.waiting.slice(batch.length);
      line.batchesUnderWay += 1;
      // Settles every call of the batch and never rejects.
      void send(line, batch);
    }
    if (line.waiting.length > 0) schedule(line);
  }

  /** The first ones that can share a batch. */
  function takeBatch(waiting: readonly Pending<Call, Result>[]): Pending<Call, Result>[] {
    const [head] = waiting;
    const end = waiting.findIndex(
      ({ call }, n) => n === limits.batchMax || (head !== undefined && !canJoin(head.call, call)),
    );
    return waiting.slice(0, end === -1 ? waiting.length : end);
  }

  async function send(line: Line<Call, Result>, batch: readonly Pending<Call, Result>[]): Promise<void> {
    try {
      const calls = batch.map(({ call }) => call);
      const results = await run(line.key, calls);
      assert(results.length === batch.length, `${results.length} results for ${batch.length} calls`);
      settle(batch, (pending, n) => {
        // As many as there are calls.
        const result = results[n] as Result | Error;
        if (result instanceof Error) pending.reject(result);
        else pending.resolve(result);
      });
    } catch (error) {
      settle(batch, ({ reject }) => reject(error));
      if (isOutage(error)) settle(line.waiting.splice(0), ({ reject }) => reject(error));
    }
    line.batchesUnderWay -= 1;
    if (line.waiting.length > 0) schedule(line);
    else forgetIdle(line);
  }

  function refuseLate(line: Line<Call, Result>): void {
    line.waitLimit = null;
    const nowMs = performance.now();
    const inTime = line.waiting.findIndex(({ madeAtMs }) => nowMs - madeAtMs < limits.waitMaxMs);
    const late = line.waiting.splice(0, inTime === -1 ? line.waiting.length : inTime);
    settle(late, ({ reject }) => reject(overloaded()));
    const [oldest] = line.waiting;
    if (oldest === undefined) return;
    line.waitLimit = setTimeout(refuseLate, oldest.madeAtMs + limits.waitMaxMs - nowMs, line).unref();
  }

  function settle(
    calls: readonly Pending<Call, Result>[],
    each: (pending: Pending<Call, Result>, n: number) => void,
  ): void {
    callCount -= calls.length;
    calls.forEach(each);
    if (isStopping && callCount === 0) idle.resolve();
  }

  function forgetIdle(line: Line<Call, Result>): void {
    if (line.batchesUnderWay > 0) return;
    if (line.waitLimit !== null) clearTimeout(line.waitLimit);
    lines.delete(line.key);
  }

  return {
    call: (key, call) =>
      new Promise((resolve, reject) => {
        if (isStopping || callCount >= limits.callsMax) {
          reject(overloaded());
          return;
        }
        callCount += 1;
        const line = lineOf(key);
        line.waiting.push({ call, madeAtMs: performance.now(), resolve, reject });
        schedule(line);
      }),
    stop() {
      isStopping = true;
      if (callCount === 0) idle.resolve();
      return idle.promise;
    },
  };
}
