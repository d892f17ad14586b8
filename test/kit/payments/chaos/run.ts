import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createTicketCounter } from '#test/kit/ticketing/counter.ts';
import { expectCountersToMatch } from '#test/kit/ticketing/counts.ts';
import { checkBooks } from '../check-books.ts';
import { ordersThatDiffer } from '../provider-books.ts';
import { createTill } from '../till.ts';
import { createTestTime } from './clock.ts';
import { type Counters, type Customer, createCustomers } from './customer.ts';
import { createFaultDesk } from './faults.ts';
import { type ChaosPlan, describeFault, planPaymentsChaos, roleNames } from './plan.ts';
import { untilQuiet } from './quiet.ts';
import { liesByKey, wronged } from './verify.ts';
import { makeWorld, type World } from './world.ts';

const customersAtOnce = 12;
const betweenFaultsMs = 1_500;
const saidMax = 12;
const lineMax = 400;
const seatsEach = 3;

/**
 * People buy, pay, cancel and are paid back while everything that can fail does, by the plan of the seed. Then all is mended, and when it
 * is quiet the books are read: ours, the provider's, and what each customer was told.
 */
export async function runPaymentsChaos(options: { purchases: number; isShort: boolean }): Promise<void> {
  const seed = testSeed();
  const plan = planPaymentsChaos({ seed, ...options });
  console.log(`payments chaos: seed ${seed} (URR_TEST_SEED=${seed} plays it again)`);
  const started = performance.now();
  const world = await makeWorld();
  const { roles, database, eventId, seatIds } = world;
  const time = createTestTime(database);
  const counters: Counters = {
    eventId,
    counter: createTicketCounter(eventId, () => roles.url),
    till: createTill(() => roles.url),
    seatsOf: (number) => seatIds.slice(number * seatsEach, (number + 1) * seatsEach),
    answers: new Map(),
    unclear: [],
  };
  const customers = createCustomers(counters);
  try {
    const faults = createFaultDesk(world, time);
    const everybody = await sell(plan, { counters, customers, commit: faults.commit });
    const sold = performance.now();
    await roles.untilReady();
    expect(await untilQuiet(database, time)).toEqual([]);
    for (const customer of everybody) await customers.lateBank(customer);
    expect(await untilQuiet(database, time)).toEqual([]);
    const quiet = performance.now();

    expect(await leftToPeople(world)).toEqual([]);
    expect(await checkBooks(database)).toMatchObject({ withPerson: 0 });
    expect((await ordersThatDiffer(database)).slice(0, saidMax)).toEqual([]);
    await expectCountersToMatch(database, eventId);
    expect((await wronged(database, everybody)).slice(0, saidMax)).toEqual([]);
    expect((await liesByKey(database, counters, everybody)).slice(0, saidMax)).toEqual([]);
    expect(await untilQuiet(database, time)).toEqual([]);
    await checkBooks(database);
    expect(await ordersThatDiffer(database)).toEqual([]);
    expect(await leftToPeople(world)).toEqual([]);
    expect(counters.unclear.slice(0, saidMax)).toEqual([]);
    expect(roles.deaths).toEqual([]);
    const { outcomes, line } = await summary(world, everybody);
    tell(
      `seed ${seed}: ${plan.purchases.length} purchases, ${plan.lanes.flat().length} faults; sold in ${seconds(sold - started)}, ` +
        `quiet after ${seconds(quiet - sold)}, all in ${seconds(performance.now() - started)}; ${line}; passed`,
    );
    for (const needed of ['captured', 'refunded', 'failed']) expect(outcomes).toContain(needed);
  } catch (error) {
    tell(`seed ${seed}: FAILED after ${seconds(performance.now() - started)}: ${String(error).slice(0, 300)}`);
    console.error(`its faults: ${plan.lanes.map((lane) => lane.map(describeFault).join('; ')).join('\nbeside: ')}`);
    console.error(`answers: ${JSON.stringify(Object.fromEntries([...counters.answers].sort()))}`);
    for (const name of roleNames) console.error(`${name} said at last:\n${lastWords(roles.logOf(name))}`);
    throw error;
  }
}

/** The purchases are spread over the faults: each comes when its share of them has begun. */
async function sell(
  { purchases, lanes }: ChaosPlan,
  {
    counters,
    customers,
    commit,
  }: {
    counters: Counters;
    customers: ReturnType<typeof createCustomers>;
    commit: ReturnType<typeof createFaultDesk>['commit'];
  },
): Promise<Customer[]> {
  const begun = lanes.map(() => 0);
  const share = () => Math.min(...lanes.map((lane, index) => (begun[index] ?? 0) / lane.length));
  const everybody = purchases.map((plan) => customers.come(plan));
  const playing = Promise.all(
    lanes.map(async (lane, index) => {
      for (const fault of lane) {
        begun[index] = (begun[index] ?? 0) + 1;
        await commit(fault);
        await delay(betweenFaultsMs);
      }
    }),
  );
  let next = 0;
  async function comeOneByOne(): Promise<void> {
    for (let customer = everybody[next++]; customer !== undefined; customer = everybody[next++]) {
      const { number } = customer.plan;
      await eventually(() => share() * purchases.length >= number, { withinMs: 1_200_000, what: 'the turn to come' });
      await customers
        .buy(customer)
        .catch((error: unknown) => void counters.unclear.push(`purchase ${number}: ${String(error)}`));
    }
  }
  await Promise.all([playing, ...Array.from({ length: customersAtOnce }, comeOneByOne)]);
  return everybody;
}

async function leftToPeople({ database }: World): Promise<unknown[]> {
  const { rows } = await database.query(
    `SELECT kind, detail FROM payments.manual WHERE resolved_at IS NULL
     UNION ALL SELECT 'refund', failure FROM payments.refunds WHERE status = 'manual'`,
  );
  return rows;
}

async function summary({ database }: World, everybody: readonly Customer[]) {
  const { rows } = await database.query<{ status: string; count: number }>(
    'SELECT status, count(*)::integer AS count FROM payments.payments GROUP BY status ORDER BY status',
  );
  const keys = everybody.flatMap(({ paid }) => paid).length;
  const line = `${keys} keys, payments: ${rows.map(({ status, count }) => `${count} ${status}`).join(', ')}`;
  return { outcomes: rows.map(({ status }) => status), line };
}

/** To the console and, where a file is named, to it. */
function tell(line: string): void {
  console.log(line);
  const file = process.env.URR_TEST_CHAOS_LOG;
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}

/** The last lines, each as far as it fits. */
function lastWords(log: string): string {
  const lines = log.trimEnd().split('\n').slice(-saidMax);
  return lines.map((line) => line.slice(0, lineMax)).join('\n');
}

const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
