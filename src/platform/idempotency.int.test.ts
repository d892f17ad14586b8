import { afterAll, expect, test } from 'vitest';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { isFault, platformErrors } from './errors.ts';
import { type IdempotencyScope, purgeIdempotencyKeys, runIdempotent } from './idempotency.ts';
import { createDatabase } from './postgres/pool.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 8 });
afterAll(() => database.close());
await database.query('CREATE TABLE orders (id integer GENERATED ALWAYS AS IDENTITY, item text)');

let keys = 0;
function aScope(changes: Partial<IdempotencyScope> = {}): IdempotencyScope {
  keys += 1;
  return {
    userId: 'user-1',
    method: 'POST',
    route: '/api/orders',
    key: `key-${keys}`,
    body: { item: 'seat' },
    ...changes,
  };
}

const order = (scope: IdempotencyScope, during: () => Promise<void> = async () => {}) =>
  runIdempotent(database, scope, async (tx) => {
    const { rows } = await tx.query<{ id: number }>('INSERT INTO orders (item) VALUES ($1) RETURNING id', [scope.key]);
    await during();
    return { status: 201, body: { orderId: rows[0]?.id } };
  });

const ordersOf = async (scope: IdempotencyScope) =>
  (await database.query('SELECT id FROM orders WHERE item = $1', [scope.key])).rowCount;

test('a repeat gets the stored answer and has no second effect', async () => {
  const scope = aScope();
  const first = await order(scope);
  const again = await order({ ...scope, body: { item: 'seat' } });
  expect(again).toEqual({ ...first, replayed: true });
  expect(await ordersOf(scope)).toBe(1);
});

test('the same key with another body is refused', async () => {
  const scope = aScope();
  await order(scope);
  await expect(order({ ...scope, body: { item: 'other' } })).rejects.toSatisfy((e) =>
    isFault(e, 'IDEMPOTENCY_MISMATCH'),
  );
});

test("another user's, route's or method's equal key is another key", async () => {
  const scope = aScope();
  await order(scope);
  expect((await order({ ...scope, userId: 'user-2' })).replayed).toBe(false);
  expect((await order({ ...scope, route: '/api/others' })).replayed).toBe(false);
  expect((await order({ ...scope, method: 'PUT' })).replayed).toBe(false);
});

test('of twenty at once one has the effect and the others are told to wait or get its answer', async () => {
  const scope = aScope();
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => order(scope, () => new Promise((resolve) => setTimeout(resolve, 30)))),
  );
  for (const result of results) {
    if (result.status === 'rejected') expect(isFault(result.reason, 'IDEMPOTENCY_IN_FLIGHT')).toBe(true);
  }
  expect(results.filter((result) => result.status === 'fulfilled' && !result.value.replayed)).toHaveLength(1);
  expect(await ordersOf(scope)).toBe(1);
});

test('a refusal is not stored: the same key may be tried again', async () => {
  const scope = aScope();
  const refuse = async () => {
    throw platformErrors.fault('CONFLICT');
  };
  await expect(order(scope, refuse)).rejects.toSatisfy((e) => isFault(e, 'CONFLICT'));
  expect(await ordersOf(scope)).toBe(0);
  expect((await order(scope)).replayed).toBe(false);
});

test('old keys are forgotten in batches', async () => {
  await order(aScope({ userId: 'old' }));
  await order(aScope({ userId: 'old' }));
  await setDatabaseClock(database, new Date(Date.now() + 3 * 86_400_000));
  expect(await purgeIdempotencyKeys(database, { olderThanHours: 48, batch: 1 })).toBe(1);
  expect(await purgeIdempotencyKeys(database, { olderThanHours: 48, batch: 1_000 })).toBeGreaterThan(0);
  expect(await purgeIdempotencyKeys(database, { olderThanHours: 48, batch: 10 })).toBe(0);
});
