/**
 * What this release can do. The event page reads `booking`: while it is off, an open sale says that booking is to come
 * and offers no link; switched on, its button leads to `/queue/{eventId}`.
 */
export const features: { readonly booking: boolean } = { booking: false };
