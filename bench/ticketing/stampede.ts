import { createSendRaw } from '#test/kit/raw-http.ts';
import type { BenchReport } from '../report.ts';
import { aCall } from './callers.ts';
import type { TicketingStage } from './stage.ts';

const callers = 500;
export const stampedeShape = { sections: 2, rows: 10, seats: 20 };
const seatCount = stampedeShape.sections * stampedeShape.rows * stampedeShape.seats;

/** More people than seats ask for the best one at once. Nobody is refused while a seat is left. */
export async function measureStampede(options: {
  stage: TicketingStage;
  report: BenchReport;
  eventIds: readonly string[];
}): Promise<void> {
  const { stage, report, eventIds } = options;
  const send = createSendRaw(stage.own.url, { connectionsMax: callers });
  const left = [...eventIds];
  await report.measure({
    name: `best available: ${callers} at once for ${seatCount} seats, refused only at sell-out`,
    unit: 'answers',
    rounds: eventIds.length - 1,
    warmUps: 1,
    subject: {
      label: 'urr',
      async run() {
        const eventId = left.pop() ?? '';
        const body = { eventId, count: 1, together: true };
        const ask = () => aCall({ method: 'POST', path: '/api/seats/best-available', eventId, body });
        const calls = Array.from({ length: callers }, ask);
        const startedMs = performance.now();
        const answers = await Promise.all(calls.map(send));
        const seconds = (performance.now() - startedMs) / 1_000;
        const granted = answers.filter(({ status }) => status === 201).length;
        const refused = answers.filter(({ status, text }) => status === 409 && text.includes('"NOTHING_FITS"')).length;
        if (granted !== seatCount || granted + refused !== callers)
          throw new Error(`${granted} granted, ${refused} refused for want of seats, of ${callers} for ${seatCount}`);
        return callers / seconds;
      },
    },
  });
}
