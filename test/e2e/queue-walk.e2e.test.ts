import { test } from 'vitest';
import { describeWith } from '#test/kit/engines/needs.ts';
import { walkACrowd } from '#test/kit/queue/great-walk.ts';

/** The short version of test/chaos/queue-walk.chaos.test.ts. */
const users = 1_000;
const hangGuardMs = 600_000;

describeWith('redis', 'a crowd, a lost store and a killed process', () => {
  test(
    `${users} users enter at once: everyone is admitted in order or goes by their own act`,
    {
      timeout: hangGuardMs,
    },
    () => walkACrowd(users),
  );
});
