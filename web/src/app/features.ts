/**
 * What this release can do. While `seats` is off, whoever's turn it is goes on to the event page, which shows the time that
 * is left; switched on, to `/events/{eventId}/seats`.
 */
export const features: { readonly seats: boolean } = { seats: false };
