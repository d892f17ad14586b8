import { expect, it } from 'vitest';
import { anAuthServer, password } from '../testing/an-auth-server.ts';

const { call, signedIn, hashed } = await anAuthServer({
  config: { hashing: { concurrentMax: 3, waitingMax: 64, waitMaxMs: 5_000 } },
});

it('ten thousand attempts at once are answered properly, cost little, and leave the door open', async () => {
  await signedIn('mina@example.com');
  const before = hashed.count;
  const attempts = Array.from({ length: 10_000 }, (_, n) =>
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
  expect([...answers.keys()].sort()).toEqual([401, 503]);
  expect(hashed.count - before).toBe(answers.get(401));
  expect((await call('POST', '/api/auth/login', { body: { email: 'mina@example.com', password } })).statusCode).toBe(
    200,
  );
});
