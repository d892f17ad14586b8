/** Resolves when the work has ended, well or not, or when the time is up. The work goes on. */
export async function until(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  await Promise.race([work.then(nothing, nothing), time]);
  clearTimeout(timer);
}

function nothing(): void {}
