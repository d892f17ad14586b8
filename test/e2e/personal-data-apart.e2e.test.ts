import { beforeAll, expect, test } from 'vitest';
import { aHold } from '#modules/ticketing/testing/a-hold.ts';
import { aSale } from '#modules/ticketing/testing/a-sale.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClient, type TestClient } from '#test/kit/client.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { freePorts } from '#test/kit/engines/ports.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { eventually } from '#test/kit/faults.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';

describeWith('redis', 'personal data, with roles apart', async () => {
  /** auth, the gateway, catalog with the queue, ticketing and payments on ports of their own: they meet by HTTP only. */
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax: 4 });
  atEnd(() => database.close());
  const password = 'a-password-for-tests';
  let front: TestApp;
  let ticketing: TestApp;
  let startTicketing: () => Promise<TestApp>;

  beforeAll(async () => {
    const [auth = 0, catalog = 0, tickets = 0, payments = 0] = await freePorts(4);
    const at = (port: number) => `http://127.0.0.1:${port}`;
    const env = {
      URR_DATABASE_URL: url,
      URR_REDIS_URL: (await sharedEngine('redis')).url,
      ...{ URR_AUTH_URL: at(auth), URR_CATALOG_URL: at(catalog), URR_QUEUE_URL: at(catalog) },
      ...{ URR_TICKETING_URL: at(tickets), URR_PAYMENTS_URL: at(payments) },
    };
    const start = (roles: Parameters<typeof startTestApp>[0] & object, port: number) =>
      startTestApp({ ...roles, env: { ...env, URR_PORT: String(port) } });
    await start({ roles: ['auth'] }, auth);
    await start({ roles: ['catalog', 'queue'] }, catalog);
    startTicketing = () => start({ roles: ['ticketing'] }, tickets);
    ticketing = await startTicketing();
    await start({ roles: ['payments'] }, payments);
    front = await start({ roles: ['gateway'] }, 0);
  });

  async function aBuyer(name: string): Promise<{ buyer: TestClient; userId: string; email: string }> {
    const buyer = aClient(front.url);
    const email = `${name}@urr.test`;
    const { user } = await buyer.register({ body: { email, password, name } });
    await buyer.signIn(email, password);
    return { buyer, userId: user.id, email };
  }

  const erasureOf = async (userId: string) =>
    (
      await database.query<{ erasedIn: string[]; done: boolean; passed: boolean }>(
        `SELECT erased_in AS "erasedIn", done_at IS NOT NULL AS done, next_try_at = access_ends_at AS passed
         FROM auth.erasures WHERE user_id = $1`,
        [userId],
      )
    ).rows[0];

  /** Sixteen minutes, for this account. */
  const endAccess = (userId: string) =>
    database.query('UPDATE auth.erasures SET access_ends_at = urr.now(), next_try_at = urr.now() WHERE user_id = $1', [
      userId,
    ]);

  test('an account is shown and erased across processes, with a role away in the middle, and the ledger agrees', async () => {
    const { buyer, userId, email } = await aBuyer('leaver');
    const sale = await aSale(database, { priceKrw: 50_000 });
    const { id: referenceId } = await aHold(database, sale, { userId, seatNos: [0, 1], feeKrw: 0 });
    const { orderId } = await buyer.preparePayment({
      body: { paymentType: 'reservation', referenceId, method: 'card' },
    });
    await buyer.processPayment({ body: { orderId, card: { number: '4242424242424242' } } });
    const tickets = await eventually(
      async () => {
        const { items } = await buyer.listMyTickets();
        return items.length === 2 && items;
      },
      { withinMs: 60_000, what: 'the tickets' },
    );
    const exported = (await buyer.exportMe()) as { data: Record<string, Record<string, unknown[]>> };
    expect(exported.data.ticketing?.tickets).toHaveLength(2);
    expect(exported.data.payments?.orders).toMatchObject([{ orderId }]);
    await expect(buyer.deleteMe({ body: { password } })).rejects.toMatchObject({
      ...{ status: 409, code: 'ACCOUNT_IN_USE', document: { reasons: ['tickets_to_come'] } },
    });

    // One after the other: part of a booking, then the rest.
    for (const { id } of tickets)
      await buyer.cancelReservation({ params: { reservationId: referenceId }, body: { ticketIds: [id] } });
    const isRefunded = async () => (await buyer.getOrder({ params: { orderId } })).payment?.status === 'refunded';
    await eventually(isRefunded, { withinMs: 60_000, what: 'the money to go back' });
    await eventually(
      async () => (await buyer.getReservation({ params: { reservationId: referenceId } })).paymentStatus === 'refunded',
      { withinMs: 60_000, what: 'ticketing to hear of it' },
    );

    await ticketing.stop();
    await expect(buyer.exportMe()).rejects.toMatchObject({ status: 503, code: 'ROLE_UNAVAILABLE' });
    await expect(buyer.deleteMe({ body: { password } })).rejects.toMatchObject({
      status: 503,
      code: 'ROLE_UNAVAILABLE',
    });
    expect((await buyer.getMe()).user.email).toBe(email);
    ticketing = await startTicketing();

    const accepted = await eventually(() => buyer.deleteMe({ body: { password } }), {
      ...{ withinMs: 30_000, what: 'ticketing to be back' },
    });
    expect(accepted.acceptedAt < accepted.accessEndsAt).toBe(true);
    await ticketing.stop();
    await expect(aClient(front.url).signIn(email, password)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await endAccess(userId);
    await eventually(
      async () => {
        const { rows } = await database.query(
          'SELECT FROM auth.erasures WHERE user_id = $1 AND tries > 0 AND done_at IS NULL',
          [userId],
        );
        return rows.length === 1;
      },
      { withinMs: 60_000, what: 'a try without ticketing' },
    );
    ticketing = await startTicketing();
    await endAccess(userId);
    await eventually(async () => (await erasureOf(userId))?.done === true, {
      ...{ withinMs: 120_000, what: 'the rest to be erased' },
    });
    expect((await erasureOf(userId))?.erasedIn.sort()).toEqual(['catalog', 'payments', 'queue', 'ticketing']);
    const { user } = await aClient(front.url).register({ body: { email, password, name: 'anew' } });
    expect(user.id).not.toBe(userId);
    await checkLedger(database);
  });

  test('an access token from before the erasure opens no account and pays for nothing', async () => {
    const { buyer, userId } = await aBuyer('old-token');
    const { accessToken } = await aClient(front.url).login({ body: { email: 'old-token@urr.test', password } });
    const old = (path: string, body?: unknown) =>
      fetch(front.url + path, {
        ...{
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    await buyer.deleteMe({ body: { password } });
    await eventually(async () => (await erasureOf(userId))?.passed === true, {
      withinMs: 60_000,
      what: 'the first pass',
    });
    expect((await old('/api/auth/me')).status).toBe(401);
    expect((await old('/api/auth/me/export')).status).toBe(401);
    const sale = await aSale(database, { priceKrw: 50_000 });
    const { id: referenceId } = await aHold(database, sale, { userId, seatNos: [0] });
    expect(
      (await old('/api/payments/prepare', { paymentType: 'reservation', referenceId, method: 'card' })).status,
    ).toBe(404);
  });
});
