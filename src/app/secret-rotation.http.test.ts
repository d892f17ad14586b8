import { describe, expect, test } from 'vitest';
import { createWaitingTickets } from '#modules/queue/service/waiting-tickets.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { aClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { jsonCall, refusalOf } from '#test/kit/stage.ts';

/** What the guide says: the settings of every process, one after the other. Processes of neighbouring steps run side by side. */
const steps = ['old', 'old,new', 'new,old', 'new'] as const;
type Step = (typeof steps)[number];
const sideBySide = steps.slice(1).flatMap((later, n): [Step, Step][] => {
  const earlier = steps[n] ?? 'old';
  return [
    [earlier, later],
    [later, earlier],
  ];
});

/** The secret of a purpose at a step: `old,new` → `old-…,new-…`. */
function secretsAt(step: Step, secret: string): string[] {
  return step.split(',').map((age) => `${age}-${secret}`);
}

describe('while secrets are rotated, what one process signs counts with the next', () => {
  const clock = aClock();
  const secret = testSecrets.URR_TICKET_SECRET;
  const jwt = (typ: string) => (step: Step) => {
    const kind = createJwtKind<{ sub: string }>({ typ, secrets: secretsAt(step, secret), ttlSeconds: 600, clock });
    return { sign: () => kind.sign({ sub: 'x' }).token, isGood: (token: string) => kind.verify(token).ok };
  };
  const kinds: Record<string, (step: Step) => { sign(): string; isGood(signed: string): boolean }> = {
    'an access token': jwt('at+jwt'),
    'an entry token': jwt('entry+jwt'),
    'a tier-1 token': jwt('vwr+jwt'),
    'a known browser': jwt('device+jwt'),
    'a waiting ticket'(step) {
      const tickets = createWaitingTickets({ secrets: secretsAt(step, secret) });
      const ticket = { eventId: 'e', userId: 'u', order: 1, epoch: 1, takenAtMs: 1, predicted: null };
      return { sign: () => tickets.seal(ticket), isGood: (text) => tickets.open(text)?.userId === 'u' };
    },
    'an internal call'(step) {
      const signature = createInternalSignature({ secrets: secretsAt(step, secret), clock, roles: ['auth'] });
      const call = { role: 'auth', method: 'GET', path: '/api/x', body: null, user: null, slots: [] };
      return {
        sign: () => JSON.stringify(signature.sign(call)),
        isGood: (signed) => {
          const headers = JSON.parse(signed) as Record<string, string>;
          return signature.verify({ method: call.method, url: call.path, headers }) !== null;
        },
      };
    },
  };

  test.each(Object.entries(kinds))('%s', (_name, at) => {
    for (const [one, other] of sideBySide) {
      expect([one, other, at(other).isGood(at(one).sign())]).toEqual([one, other, true]);
    }
    // Why the old one stays first until everybody knows the new one, and why it goes last.
    expect(at('old').isGood(at('new,old').sign())).toBe(false);
    expect(at('new').isGood(at('old,new').sign())).toBe(false);
  });
});

describe('a gateway and an auth role of neighbouring steps', async () => {
  const { url: URR_DATABASE_URL } = await aDatabase();
  const body = { email: 'rotating@urr.test', password: 'long enough' };
  const env = (step: Step) => ({
    URR_DATABASE_URL,
    ...Object.fromEntries(
      Object.entries(testSecrets).map(([name, secret]) => [name, secretsAt(step, secret).join(',')]),
    ),
  });
  const roles = new Map<Step, TestApp>();
  for (const step of steps) roles.set(step, await startTestApp({ roles: ['auth'], env: env(step) }));
  await roles.get('old')?.urr.modules.auth?.service.register({ ...body, name: 'Rotating' });

  test.each(sideBySide)('gateway %s, auth %s: signing in works, and so does what it gives', async (mine, theirs) => {
    const URR_AUTH_URL = roles.get(theirs)?.url ?? '';
    const gateway = await startTestApp({ roles: ['gateway'], env: { ...env(mine), URR_AUTH_URL } });
    const send = createSendRaw(gateway.url);
    const login = await send(jsonCall({ path: '/api/auth/login', body }));
    expect(refusalOf(login)).toBe('200');
    const { accessToken } = JSON.parse(login.text) as { accessToken: string };
    // The gateway reads the token of the role, and the role believes what the gateway signs about it.
    const me = await send({ path: '/api/auth/me', headers: { authorization: `Bearer ${accessToken}` } });
    expect([mine, theirs, refusalOf(me)]).toEqual([mine, theirs, '200']);
    await gateway.stop();
  });

  test('with the new secret first at once, as it was done before, the session is refused', async () => {
    const URR_AUTH_URL = roles.get('new,old')?.url ?? '';
    const gateway = await startTestApp({ roles: ['gateway'], env: { ...env('old'), URR_AUTH_URL } });
    const send = createSendRaw(gateway.url);
    const { text } = await send(jsonCall({ path: '/api/auth/login', body }));
    const { accessToken } = JSON.parse(text) as { accessToken: string };
    const me = await send({ path: '/api/auth/me', headers: { authorization: `Bearer ${accessToken}` } });
    expect(refusalOf(me)).toBe('401 UNAUTHENTICATED');
  });
});
