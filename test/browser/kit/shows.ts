import { aLayout, anArtist, anEvent, aVenue } from '#test/kit/builders/catalog.ts';
import { aClient } from '#test/kit/client.ts';
import { eventually } from '#test/kit/faults.ts';
import { within } from './browser.ts';

/** Publishes a show whose sale is open, with seats of two grades or with standing areas only, and waits until it is sold. */
export async function publishSale(
  baseUrl: string,
  { prices = { VIP: 165_000, R: 143_000 }, standing = [] }: SaleShape = {},
): Promise<string> {
  const seller = await aClient(baseUrl).as('seller');
  const artist = await seller.createArtist({ body: anArtist() });
  const venue = await seller.createVenue({ body: aVenue() });
  const isStanding = standing.length > 0;
  const layout = await seller.createLayout({
    body: aLayout(venue.id, { standing, ...(isStanding && { sections: 0 }) }),
  });
  const places = { artistId: artist.id, venueId: venue.id, layoutId: layout.id };
  const now = Date.parse((await seller.getTime()).now);
  const event = await seller.createEvent({
    body: anEvent(places, now, {
      saleOpensAt: new Date(now - hourMs).toISOString(),
      prices: isStanding ? [] : Object.entries(prices).map(([grade, priceKrw]) => ({ grade, priceKrw })),
      standingPrices: standing.map((_, index) => ({ areaId: `Z${index + 1}`, priceKrw: 77_000 })),
    }),
  });
  await seller.publishEvent({ params: { eventId: event.id } });
  await eventually(async () => (await seller.listEventTickets({ params: { eventId: event.id } })).ready, {
    withinMs: within.timeout,
    what: 'the seats to be built',
  });
  return event.id;
}

export interface SaleShape {
  readonly prices?: Readonly<Record<'VIP' | 'R', number>>;
  /** Capacities of standing areas, instead of seats. */
  readonly standing?: readonly number[];
}

const hourMs = 3_600_000;

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
