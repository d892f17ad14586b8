import type { Artist } from '../storage/artists.ts';
import type { LayoutSummary } from '../storage/layouts.ts';
import type { Venue } from '../storage/venues.ts';

/** What everybody sees: all but whose it is. Its seller sees that too. */

export function artistShown({ ownerId: _, ...artist }: Artist) {
  return artist;
}

export function venueShown({ ownerId: _, ...venue }: Venue) {
  return venue;
}

export function layoutShown({ ownerId: _, ...layout }: LayoutSummary) {
  return { ...layout, seatsByGrade: [...layout.seatsByGrade], standingAreas: [...layout.standingAreas] };
}

export function artistOwned(artist: Artist) {
  return { ...artistShown(artist), sellerId: artist.ownerId };
}

export function venueOwned(venue: Venue) {
  return { ...venueShown(venue), sellerId: venue.ownerId };
}

export function layoutOwned(layout: LayoutSummary) {
  return { ...layoutShown(layout), sellerId: layout.ownerId };
}
