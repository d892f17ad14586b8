import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testSeed } from '#test/kit/seed.ts';
import { type RefundAmounts, refundOf, refundTerms } from '../domain/refund-terms.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';

const database = await aTicketingDatabase();
const hour = 3_600_000_000;
const day = 24 * hour;
/** Midnight in Seoul, far from any other. */
const start = Date.parse('2027-01-01T00:00:00+09:00') * 1_000;

/** Around midnights rather than anywhere. */
const aTime = fc
  .tuple(fc.nat(25), fc.constantFrom(0, 0, 9, 12, 19, 23), fc.constantFrom(-1, 0, 1, 1_000, hour / 2))
  .map(([days, hours, micros]) => start + days * day + hours * hour + micros);
const aTicket = fc.record({
  priceKrw: fc.oneof(fc.constantFrom(0, 1, 99, 50_000, 30_000_000), fc.nat(2_000_000)),
  feeKrw: fc.constantFrom(0, 1_000, 2_000, 3_000),
  termsId: fc.constantFrom(1, 1, 1, 0),
  bookedAt: aTime,
  boughtFor: fc.option(aTime),
});

test('the database and the model give back the same, line by line', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aTicket, { minLength: 1, maxLength: 8 }),
      aTime,
      aTime,
      fc.boolean(),
      async (...drawn) => {
        const [tickets, showsNow, at, inFull] = drawn;
        const { rows } = await database.query<RefundAmounts & { readonly n: number }>(
          `WITH drawn AS (SELECT * FROM jsonb_to_recordset($1)
             AS one ("priceKrw" integer, "feeKrw" integer, "termsId" smallint, "bookedAt" bigint, "boughtFor" bigint, n integer)),
           tickets AS (
             SELECT array_agg(jsonb_populate_record(NULL::ticketing.tickets, jsonb_build_object(
               'id', lpad(n::text, 32, '0'), 'price_krw', "priceKrw", 'fee_krw', "feeKrw", 'refund_terms', "termsId",
               'issued_at', to_timestamp(0) + "bookedAt" * interval '1 microsecond',
               'shows_at', to_timestamp(0) + "boughtFor" * interval '1 microsecond'))) AS list FROM drawn)
         SELECT rule, days_before AS "daysBefore", cancellation_fee_krw AS "cancellationFeeKrw", fee_kept_krw AS "feeKeptKrw",
           refund_krw AS "refundKrw"
         FROM tickets, ticketing.refund_lines(list, to_timestamp(0) + $2 * interval '1 microsecond', $3,
           to_timestamp(0) + $4 * interval '1 microsecond') AS line ORDER BY line.ticket_id`,
          [JSON.stringify(tickets.map((one, n) => ({ ...one, n }))), showsNow, inFull, at],
        );
        const model = tickets.map(({ boughtFor, ...ticket }) =>
          refundOf({ ...ticket, showsAt: Math.max(boughtFor ?? 0, showsNow) }, at, { inFull }),
        );
        expect(rows).toEqual(model);
        for (const [n, { cancellationFeeKrw, feeKeptKrw, refundKrw }] of rows.entries()) {
          const { priceKrw = 0, feeKrw = 0 } = tickets[n] ?? {};
          expect(cancellationFeeKrw + feeKeptKrw + refundKrw).toBe(priceKrw + feeKrw);
          expect(Math.min(cancellationFeeKrw, feeKeptKrw, refundKrw)).toBeGreaterThanOrEqual(0);
        }
      },
    ),
    { seed: testSeed(), numRuns: 500 },
  );
});

test('the terms in the database are those of the model', async () => {
  const { rows } = await database.query(
    `SELECT terms_id AS "termsId", days_before AS days, percents_kept AS percents, rules, extract(epoch FROM full_within)::integer / 3600 AS
       hours, full_until_days AS "fullUntilDays", keeps_fee AS "keepsFee" FROM ticketing.refund_terms ORDER BY 1`,
  );
  expect(rows).toEqual(
    [...refundTerms].map(([termsId, { steps, fullWithinHours, fullUntilDays, keepsFee }]) => ({
      ...{
        termsId,
        days: steps.map(({ daysBefore }) => daysBefore),
        percents: steps.map(({ percentKept }) => percentKept),
      },
      ...{ rules: steps.map(({ rule }) => rule), hours: fullWithinHours, fullUntilDays, keepsFee },
    })),
  );
});
