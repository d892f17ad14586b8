/** How long one slice may keep the loop; what is between two `yield`s comes on top. */
const sliceMs = 8;

/**
 * Runs long work a slice at a time: it yields often, and everybody else gets a turn whenever a slice is over. A plain
 * function that has to look at 100,000 things would let every other request of the process wait for it.
 */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  let sliceEndsMs = performance.now() + sliceMs;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEndsMs) continue;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    sliceEndsMs = performance.now() + sliceMs;
  }
}
