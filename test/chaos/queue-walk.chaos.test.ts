import { test } from 'vitest';
import { describeWith } from '#test/kit/engines/needs.ts';
import { walkACrowd } from '#test/kit/queue/great-walk.ts';

const users = Number(process.env.URR_TEST_QUEUE_USERS ?? 5_000);
const hangGuardMs = 1_800_000;

describeWith('redis', 'a great crowd, a lost store and a killed process', () => {
  test(
    `${users} users enter at once: everyone is admitted in order or goes by their own act`,
    {
      timeout: hangGuardMs,
    },
    () => walkACrowd(users),
  );
});
