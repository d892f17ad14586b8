import { paymentsAlone } from '#app/compose/payments.ts';
import { seoulDay } from '#modules/payments/index.ts';
import { type Command, exitCodes, UsageProblem } from './command.ts';
import { withDatabase } from './with-database.ts';

const dayMs = 24 * 60 * 60_000;
const dayForm = /^\d{4}-\d{2}-\d{2}$/;

export const reconcile: Command = {
  name: 'reconcile',
  summary: "Compare a day's payments and refunds with the provider's own list, both ways.",
  usage: 'reconcile [--day YYYY-MM-DD]',
  help: `
Reads the provider's list of a day (in Seoul) and ours. What only the provider knows is asked for and booked, or given back;
what only we know is put on the list for a person (GET /api/admin/payments/manual). Nothing is dropped, and repeating it is harmless.
A running urr does it every night for the day before. The exit code is 1 if anything differed.

  --day YYYY-MM-DD   which day; yesterday without it`,
  options: { day: { type: 'string' } },
  async run(input) {
    const given = input.values.day;
    const day = typeof given === 'string' ? given : seoulDay(Date.now() - dayMs);
    if (!dayForm.test(day) || Number.isNaN(Date.parse(`${day}T00:00:00+09:00`)))
      throw new UsageProblem(`${day} is not a day like 2026-11-18`);
    return withDatabase(input, async (context) => {
      const reports = await paymentsAlone(context).reconcile(day);
      for (const { provider, theirs, ours, takenIn, onlyOurs } of reports)
        input.print(
          `${provider} ${day}: ${theirs} movements at the provider, ${ours} here; ${takenIn} only there, ${onlyOurs} only here`,
        );
      const differs = reports.some(({ takenIn, onlyOurs }) => takenIn + onlyOurs > 0);
      return differs ? exitCodes.failed : exitCodes.ok;
    });
  },
};
