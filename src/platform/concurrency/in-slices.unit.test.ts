import { expect, test } from 'vitest';
import { inSlices } from './in-slices.ts';

test('what is done in slices is done to its end, and others get turns in between', async () => {
  let steps = 0;
  let turns = 0;
  let isDone = false;
  const tick = () => {
    turns += 1;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  // Until others had three turns, however fast or slow this machine is.
  const result = await inSlices(
    (function* () {
      while (turns < 3) {
        steps += 1;
        yield;
      }
      return 'done';
    })(),
  );
  isDone = true;
  expect(result).toBe('done');
  expect(steps).toBeGreaterThan(turns);
});

test('what fails in a slice fails for the one who waits', async () => {
  const failing = (function* (): Generator<void, string> {
    yield;
    throw new Error('no');
  })();
  await expect(inSlices(failing)).rejects.toThrow('no');
});
