/** What a load saw: how often each status came, and every answer that a caller could not have understood. */
export interface LoadReport {
  readonly statuses: ReadonlyMap<number, number>;
  /** Refused connections, broken answers, 503 without Retry-After: each with what it was. */
  readonly unclear: readonly string[];
}

export interface Load {
  stop(): Promise<LoadReport>;
}

/** Sends requests over and over from `callers` callers, until stopped. Bounded by its number of requests. */
export function startLoad(options: {
  callers: number;
  requestsMax: number;
  send: (number: number) => Promise<Response>;
}): Load {
  const statuses = new Map<number, number>();
  const unclear: string[] = [];
  let stopped = false;
  let sent = 0;

  async function callAgainAndAgain(): Promise<void> {
    while (!stopped && sent < options.requestsMax) {
      sent += 1;
      try {
        const response = await options.send(sent);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        const body = await response.text();
        const waits = response.headers.get('retry-after');
        if ((response.status === 503 || response.status === 429) && !(Number(waits) >= 1)) {
          unclear.push(`${response.status} without Retry-After: ${body}`);
        }
        if (response.status >= 500 && response.status !== 503) unclear.push(`${response.status}: ${body}`);
      } catch (error) {
        unclear.push(String(error));
      }
    }
  }

  const callers = Array.from({ length: options.callers }, callAgainAndAgain);
  return {
    async stop() {
      stopped = true;
      await Promise.all(callers);
      return { statuses, unclear };
    },
  };
}
