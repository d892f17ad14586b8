import { createSeatPicker } from '#modules/ticketing/domain/best-available.ts';
import type { PlanDocument } from '#modules/ticketing/domain/seat-plan.ts';
import { checkLedger } from '#modules/ticketing/index.ts';
import type { BenchReport } from '../report.ts';
import type { TicketingStage } from './stage.ts';

const picks = 1_000;

/** Choosing, without anything around it: the first choice looks at every seat, the next ones at what has changed. */
export async function measurePicks(options: {
  stage: TicketingStage;
  report: BenchReport;
  eventId: string;
}): Promise<void> {
  const { stage, report, eventId } = options;
  const { rows } = await stage.database.query<{ plan: PlanDocument }>(
    'SELECT plan FROM ticketing.plans WHERE event_id = $1',
    [eventId],
  );
  const [built] = rows;
  if (built === undefined) throw new Error(`${eventId} has no plan`);
  const picker = createSeatPicker({ document: built.plan });
  const wish = { count: 2, together: true };
  const pick = () => {
    const startedMs = performance.now();
    const seatNos = picker.pick(wish);
    const tookMs = performance.now() - startedMs;
    for (const seatNo of seatNos ?? []) picker.setFree(seatNo, false);
    return tookMs;
  };
  const name = `the best two seats together of ${picker.freeCount.toLocaleString('en-US')}`;
  report.weigh({ name, subject: 'first choice', value: pick() / 1_000, unit: 's' });
  let totalMs = 0;
  for (let n = 0; n < picks; n++) totalMs += pick();
  report.weigh({ name, subject: `each of the next ${picks}`, value: (totalMs / picks) * 1_000, unit: 'µs' });
}

/** Checks the ledger of these events; the time is that of the first. */
export async function measureCheck(options: {
  stage: TicketingStage;
  report: BenchReport;
  eventIds: readonly string[];
}): Promise<void> {
  const { stage, report, eventIds } = options;
  for (const [n, eventId] of eventIds.entries()) {
    const startedMs = performance.now();
    const verdict = await checkLedger(stage.database, { eventId });
    const seconds = (performance.now() - startedMs) / 1_000;
    if (verdict.status !== 'checked' || verdict.report.contradiction !== null)
      throw new Error(`the ledger of ${eventId}: ${JSON.stringify(verdict)}`);
    if (n > 0) continue;
    const { seats, reservations } = verdict.report.checked;
    report.weigh({
      name: `check-ledger of ${seats.toLocaleString('en-US')} seats`,
      subject: `${reservations.toLocaleString('en-US')} reservations`,
      value: seconds,
      unit: 's',
    });
  }
}
