import { expect, it } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { anAuthServer, password } from '../testing/an-auth-server.ts';

const attemptsCount = 10_000;
const { call, signedIn, hashed } = await anAuthServer({
  config: { hashing: { concurrentMax: 3, waitingMax: 64, waitMaxMs: 5_000 } },
});

it('ten thousand attempts at once are answered properly, cost little, and leave the door open', async () => {
  await signedIn('mina@example.com');
  const before = hashed.count;
  const attempts = Array.from({ length: attemptsCount }, (_, n) =>
    call('POST', '/api/auth/login', {
      body: { email: n % 2 === 0 ? 'mina@example.com' : `person${n}@example.com`, password: 'wrong password' },
      ip: `198.51.100.${n % 250}`,
    }),
  );
  const answers = new Map<number, number>();
  for (const response of await Promise.all(attempts)) {
    answers.set(response.statusCode, (answers.get(response.statusCode) ?? 0) + 1);
    if (response.statusCode !== 401) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  }
  // How many are looked at before their patience ends, if any, depends on the machine.
  const [wrong = 0, refused = 0] = [answers.get(401), answers.get(503)];
  expect(wrong + refused).toBe(attemptsCount);
  expect(hashed.count - before).toBeGreaterThanOrEqual(wrong);
  expect(hashed.count - before).toBeLessThan(attemptsCount / 10);
  const signIn = () => call('POST', '/api/auth/login', { body: { email: 'mina@example.com', password } });
  await eventually(async () => (await signIn()).statusCode === 200, { withinMs: 60_000, what: 'the door to be open' });
});
