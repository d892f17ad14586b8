import { aLayout, anArtist, anEvent, aVenue } from '#test/kit/builders/catalog.ts';
import { aClient } from '#test/kit/client.ts';

/** Publishes a show of its own on a running urr with demonstration accounts, whose sale opens after so long. */
export async function publishShow(baseUrl: string, title: string, opensInMs: number): Promise<string> {
  const seller = await aClient(baseUrl).as('seller');
  const artist = await seller.createArtist({ body: anArtist() });
  const venue = await seller.createVenue({ body: aVenue() });
  const layout = await seller.createLayout({ body: aLayout(venue.id) });
  const places = { artistId: artist.id, venueId: venue.id, layoutId: layout.id };
  const { now } = await seller.getTime();
  const saleOpensAt = new Date(Date.parse(now) + opensInMs).toISOString();
  const event = await seller.createEvent({
    body: anEvent(places, Date.parse(now), { title, titleEn: null, saleOpensAt }),
  });
  await seller.publishEvent({ params: { eventId: event.id } });
  return event.id;
}
