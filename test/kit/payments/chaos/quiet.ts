import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '#platform/postgres/database.ts';
import type { TestTime } from './clock.ts';

/** Something that is not at its end yet. */
interface Unfinished {
  readonly what: string;
  readonly count: number;
  /** How long until somebody looks at it by itself; not above 0: at once; null: it follows from something else. */
  readonly dueInMs: number | null;
}

const quietMaxMs = 900_000;
/** Before a day has passed, after which payments ask a person. */
const aheadMaxMs = 12 * 3_600_000;
const lookEveryMs = 250;
/** Jobs run every second: what has not changed for longer waits for a time that has not come. */
const standsStillMs = 1_500;
/** Something is due and does not happen: it may wait for what is not due. */
const stuckMs = 15_000;
/** Nothing is due, nothing will be, and yet something is left. */
const lostMs = 180_000;
/** Looks that find nothing, one after the other. */
const looksQuiet = 4;

const unfinished = `
  SELECT what, count(*)::integer AS count, (extract(epoch FROM min(due) - urr.now()) * 1000)::float8 AS "dueInMs" FROM (
    SELECT 'payments ' || status AS what, next_check_at AS due FROM payments.payments
      WHERE status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit') OR captured_krw > 0 AND NOT is_settled
    UNION ALL SELECT 'refunds ' || status, next_try_at FROM payments.refunds WHERE status NOT IN ('done', 'manual')
    UNION ALL SELECT 'webhooks to follow up', due_at FROM payments.hints
    UNION ALL SELECT 'webhooks to be called', due_at FROM payments.sandbox_callbacks
    UNION ALL SELECT 'reservations ' || status, CASE status WHEN 'pending' THEN expires_at END FROM ticketing.reservations
      WHERE status IN ('pending', 'paying', 'waiting_for_deposit')
    UNION ALL SELECT 'refunds that tickets wait for', NULL FROM ticketing.reservations WHERE payment_status = 'refund_requested'
    UNION ALL SELECT 'messages to be sent', created_at FROM urr.outbox WHERE published_at IS NULL
    UNION ALL SELECT 'messages to be heard', urr.now() FROM chaos.told JOIN (VALUES ('payment-events', 'ticketing-payments'),
        ('reservation-events', 'payments-reservations'), ('reservation-events', 'ticketing-end-slots')) AS heard (topic, consumer_group)
        USING (topic)
      WHERE NOT EXISTS (SELECT FROM urr.inbox AS i WHERE i.consumer_group = heard.consumer_group AND i.topic = told.topic
        AND i.event_id = told.event_id)
    UNION ALL SELECT 'letters', due_at FROM urr.bus_letters
  ) AS one GROUP BY what ORDER BY what`;

/**
 * Waits until nothing is left to do. Where all that is left waits for a time, the clock is put forward to it. Answers what was left
 * when the time was over: nothing, if all is well.
 */
export async function untilQuiet(database: Queryable, time: TestTime): Promise<Unfinished[]> {
  const deadline = performance.now() + quietMaxMs;
  let seen = '';
  let seenAt = performance.now();
  let quiet = 0;
  let left: Unfinished[] = [];
  while (performance.now() < deadline && time.aheadMs() < aheadMaxMs) {
    left = await look(database);
    quiet = left.length === 0 ? quiet + 1 : 0;
    if (quiet === looksQuiet) return [];
    const now = left.map(({ what, count }) => `${what}: ${count}`).join(', ');
    if (now !== seen) [seen, seenAt] = [now, performance.now()];
    const dues = left.flatMap(({ dueInMs }) => (dueInMs === null ? [] : [dueInMs]));
    const nextMs = Math.min(...dues.filter((dueInMs) => dueInMs > 0));
    if (left.length > 0 && dues.length === 0 && performance.now() - seenAt > lostMs) return left;
    const patienceMs = dues.some((dueInMs) => dueInMs <= 0) ? stuckMs : standsStillMs;
    if (Number.isFinite(nextMs) && performance.now() - seenAt > patienceMs) {
      await time.putForward(Math.ceil(nextMs) + 1);
      seenAt = performance.now();
    }
    await delay(lookEveryMs);
  }
  return left;
}

async function look(database: Queryable): Promise<Unfinished[]> {
  try {
    return (await database.query<Unfinished>(unfinished)).rows;
  } catch (error) {
    return [{ what: String(error), count: 1, dueInMs: null }];
  }
}
