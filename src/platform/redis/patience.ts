/**
 * A short gap (a first connection, a reconnection, a slot on the move) is waited out within the call's own limit. A server
 * that has been away for longer than one call may take is away: calls to it are refused at once, so that they do not pile up.
 */
export interface Patience {
  /** A call could not be sent to this server. Resolves when another try is worth it; false: give up. */
  nextTry(server: string, deadlineMs: number): Promise<boolean>;
  /** This server has answered. */
  answered(server: string): void;
  /** Some connection is ready: anyone who waits tries again now. */
  wake(): void;
}

/** Replies like CLUSTERDOWN pass without an event, so there is a look from time to time. */
const lookEveryMs = 50;
/** In limits of a call: longer than the pauses of what asks regularly, so that this is refused at once as well. */
const apartLimits = 10;
/** Addresses of servers that went and never came back are forgotten in the end. */
const outagesMax = 1_000;

export function createPatience({ limitMs }: { limitMs: number }): Patience {
  const outages = new Map<string, { sinceMs: number; lastMs: number }>();
  let pause: { readonly over: Promise<void>; readonly end: () => void } | null = null;

  /** Since when this server has been away. Failures that lie far apart are two gaps, not one outage. */
  function beganMs(server: string, nowMs: number): number {
    const known = outages.get(server);
    const sinceMs = known !== undefined && nowMs - known.lastMs <= apartLimits * limitMs ? known.sinceMs : nowMs;
    if (known === undefined && outages.size >= outagesMax) outages.clear();
    outages.set(server, { sinceMs, lastMs: nowMs });
    return sinceMs;
  }

  /** One timer for all who wait. */
  function untilNextLook(): Promise<void> {
    if (pause !== null) return pause.over;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(end, lookEveryMs);
    function end(): void {
      clearTimeout(timer);
      pause = null;
      resolve();
    }
    pause = { over: promise, end };
    return promise;
  }

  return {
    async nextTry(server, deadlineMs) {
      const nowMs = performance.now();
      const patientUntilMs = Math.min(deadlineMs, beganMs(server, nowMs) + limitMs);
      if (nowMs >= patientUntilMs) return false;
      await untilNextLook();
      return performance.now() < deadlineMs;
    },
    answered(server) {
      if (outages.size > 0) outages.delete(server);
    },
    wake: () => pause?.end(),
  };
}
