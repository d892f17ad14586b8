/** Shared by the page and its skeleton, so that nothing moves when the order arrives. */
export const columns =
  'mt-4 grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:grid-rows-[auto_1fr] lg:items-start lg:gap-x-8 lg:gap-y-5';
export const formColumn = 'min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1';
export const sideColumn = 'min-w-0 lg:col-start-2';
/** The card that every other step of paying is printed on. */
export const slip =
  'relative mx-auto mt-6 max-w-2xl overflow-hidden rounded-card border border-line bg-surface shadow-lift';
export const textLink =
  'inline-flex min-h-11 items-center font-bold text-[0.9375rem] text-ink-soft underline underline-offset-4 hover:text-ink';
