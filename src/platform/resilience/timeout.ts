/** Rejects with `onTimeout()` when the promise has not settled in time. The work itself goes on; its result is dropped. */
export function withTimeout<Result>(work: Promise<Result>, timeoutMs: number, onTimeout: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), timeoutMs);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
