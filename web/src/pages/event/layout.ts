/** Shared by the page and its skeleton, so that nothing moves when the event arrives. */
export const eventColumns =
  'mt-3 grid gap-6 md:mt-5 md:grid-cols-[minmax(0,20rem)_minmax(0,1fr)] md:items-start md:gap-12';
export const eventPoster = 'aspect-[5/2] w-full rounded-card border border-line md:sticky md:top-24 md:aspect-[3/4]';
