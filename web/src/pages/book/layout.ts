/** Shared by the page and its skeleton. */
export const columns = 'mt-4 grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:items-start lg:gap-8';
