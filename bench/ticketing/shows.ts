import type { Database } from '#platform/postgres/database.ts';
import { aLayout, anArtist, anEvent, aVenue, type LayoutShape } from '#test/kit/builders/catalog.ts';
import { eventually } from '#test/kit/faults.ts';
import { aSignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';
import { hasSeats } from '#test/kit/ticketing/counts.ts';

/** Makes events through the seller API, as sellers do. */
export interface Shows {
  /** So many events on sale in one hall, built. Ids of the events. */
  onSale(shape: LayoutShape, count: number): Promise<string[]>;
}

const hourMs = 3_600_000;
const buildWithinMs = 120_000;

export function createShows({ url, database }: { url: string; database: Database }): Shows {
  const send = createSendRaw(url, { connectionsMax: 1 });
  const { accessToken } = aSignedIn('seller');
  const make = async (path: string, body?: unknown) => {
    const answer = await send({
      method: 'POST',
      path: `/api/seller/${path}`,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return (JSON.parse(answer.text) as { id: string }).id;
  };
  return {
    async onSale(shape, count) {
      const artistId = await make('artists', anArtist());
      const venueId = await make('venues', aVenue());
      const layoutId = await make('layouts', aLayout(venueId, shape));
      const saleOpensAt = new Date(Date.now() - hourMs).toISOString();
      const hasNoSeats = shape.sections === 0;
      const prices = {
        ...(hasNoSeats && { prices: [] }),
        standingPrices: (shape.standing ?? []).map((_, n) => ({ areaId: `Z${n + 1}`, priceKrw: 70_000 })),
      };
      const eventIds: string[] = [];
      for (let n = 0; n < count; n++) {
        const event = anEvent({ artistId, venueId, layoutId }, Date.now(), { saleOpensAt, ...prices });
        const eventId = await make('events', event);
        await make(`events/${eventId}/publish`);
        eventIds.push(eventId);
      }
      for (const eventId of eventIds)
        await eventually(() => hasSeats(database, eventId), { withinMs: buildWithinMs, what: `seats of ${eventId}` });
      return eventIds;
    },
  };
}
