import type { RouteHandler } from '#platform/http/contract.ts';
import type { Ids } from '#platform/ids.ts';
import { ticketingErrors } from '../errors.ts';
import type { BestAvailable } from '../service/best-available.ts';
import { holdRequestBase, invalid, sendVerdict } from './hold-answer.ts';
import { seatContracts } from './seat-contracts.ts';

type Handler = RouteHandler<typeof seatContracts.reserveBestAvailable>;

export function createBestAvailableHandler(deps: { bestAvailable: BestAvailable; ids: Ids }): {
  reserveBestAvailable: Handler;
} {
  const { bestAvailable, ids } = deps;
  return {
    async reserveBestAvailable(request, reply) {
      const base = holdRequestBase({ contract: seatContracts.reserveBestAvailable, request, reply, ids });
      const { eventId: _, replaces = null, ...wish } = request.body;
      const verdict = await bestAvailable.reserve({ ...base, wish, replaces });
      if (verdict.status === 'unknown-wish') throw invalid(verdict.field, `is no ${verdict.field} of this event`);
      if (verdict.status === 'nothing-fits')
        throw ticketingErrors.fault('NOTHING_FITS', { extensions: { wouldFit: verdict.wouldFit } });
      return sendVerdict(verdict, reply, { seatIdOf: String, field: 'eventId' });
    },
  };
}
