/** Does the work for every item, at most `workers` at a time. Rejects with the first fault; what has begun goes on. */
export async function inParallel<Item>(
  items: readonly Item[],
  workers: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(workers, items.length) }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
