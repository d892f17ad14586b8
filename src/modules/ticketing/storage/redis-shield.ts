import type { Clock } from '#platform/clock.ts';
import type { Redis } from '#platform/redis/port.ts';
import { createCircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import { describeThrown } from '#platform/telemetry/thrown.ts';
import type { SeatShield } from '../ports.ts';
import { dropSeats, noteSeats, shieldedSeats } from '../scripts/scripts.generated.ts';

/** What the database has said is believed for so long, and never longer for being said again. */
const usualEntryMs = 3_000;
/** A buyer waits for Redis no longer than this; the database answers without it. */
const usualPatienceMs = 50;
/** After a failure Redis is left alone for so long. */
const bypassMs = 1_000;
/** Seats in one script, in which the server does nothing else. A batch of holds has 64 · 20 at most. */
const seatsMax = 2_000;

/**
 * A cache in Redis of whose seats are. It is asked before the database and told after it; nobody depends on it. One seat is
 * one key, and the keys of an event share a hash tag, so that one script may look at them all on a Cluster.
 */
export function createRedisShield(deps: {
  redis: Redis;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  patienceMs?: number;
  entryMs?: number;
}): SeatShield {
  const { redis, clock, logger, metrics, patienceMs = usualPatienceMs, entryMs = usualEntryMs } = deps;
  const lookups = metrics.counter(
    'urr_seat_shield_lookups_total',
    'Batches of holds for which the seat shield was asked: `answered`, `failed` (no answer in time), `bypassed` (not asked after a failure).',
    ['outcome'],
  );
  const breaker = createCircuitBreaker({
    failuresToOpen: 1,
    openMs: bypassMs,
    clock,
    onChange: (state) => logger.debug({ state }, 'the seat shield changed'),
  });

  /** Null: no answer, for whatever reason. */
  async function ask<Answer>(call: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await withTimeout(call(), patienceMs, () => new Error(`no answer in ${patienceMs} ms`));
      breaker.succeeded();
      return answer;
    } catch (error) {
      breaker.failed();
      logger.debug({ reason: describeThrown(error).reason }, 'the seat shield is bypassed for a second');
      return null;
    }
  }

  /** Nobody waits for it, and nothing is lost with it but a second's refusals. */
  function tell<Seat>(seats: readonly Seat[], call: (some: readonly Seat[]) => Promise<unknown>): void {
    for (let first = 0; first < seats.length; first += seatsMax) {
      if (!breaker.allow()) return;
      void ask(() => call(seats.slice(first, first + seatsMax)));
    }
  }

  /** A hold that has lapsed is free, so its entry does not outlive it. */
  const livesMs = (heldForMs: number | null) => Math.max(1, Math.min(entryMs, Math.trunc(heldForMs ?? entryMs)));

  return {
    async taken(eventId, requests) {
      const seatNos = [...new Set(requests.flatMap((request) => request.seatNos))].slice(0, seatsMax);
      if (seatNos.length === 0) return requests.map(() => []);
      if (!breaker.allow()) {
        lookups.labels('bypassed').inc();
        return requests.map(() => []);
      }
      const owners = await ask(() => shieldedSeats(redis, { seats: seatNos.map(keyOf(eventId)) }, { entryMs }));
      lookups.labels(owners === null ? 'failed' : 'answered').inc();
      if (owners === null) return requests.map(() => []);
      const ownerOf = new Map(seatNos.map((seatNo, n) => [seatNo, owners[n] ?? '']));
      return requests.map(({ userId, seatNos: wanted }) =>
        wanted.filter((seatNo) => ![undefined, '', userId].includes(ownerOf.get(seatNo))),
      );
    },

    note(eventId, seats) {
      tell(seats, (some) =>
        noteSeats(
          redis,
          { seats: some.map(({ seatNo }) => keyOf(eventId)(seatNo)) },
          { entryMs, entries: some.map(({ fence, userId, heldForMs }) => `${fence} ${userId} ${livesMs(heldForMs)}`) },
        ),
      );
    },

    drop(eventId, seats) {
      tell(seats, (some) =>
        dropSeats(
          redis,
          { seats: some.map(({ seatNo }) => keyOf(eventId)(seatNo)) },
          { fences: some.map(({ fence }) => String(fence)) },
        ),
      );
    },
  };
}

const keyOf = (eventId: string) => (seatNo: number) => `{${eventId}}:seat-shield:${seatNo}`;
