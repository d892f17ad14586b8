/** Shared by the page and its skeleton, so that nothing moves when the seats arrive. */
export const columns = 'mt-4 grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] lg:items-start lg:gap-8';
