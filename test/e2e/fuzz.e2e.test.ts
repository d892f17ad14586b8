import fc, { type Arbitrary } from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { anOidcProvider } from '#modules/auth/testing/an-oidc-provider.ts';
import { startTestApp } from '#test/kit/app.ts';
import { fittingCalls, unfittingCalls } from '#test/kit/fuzz/calls.ts';
import { createJudge } from '#test/kit/fuzz/judge.ts';
import { fuzzOperations } from '#test/kit/fuzz/operations.ts';
import { aFuzzWorld, seedFor } from '#test/kit/fuzz/world.ts';
import { createSendRaw, type RawCall } from '#test/kit/raw-http.ts';
import { testSeed } from '#test/kit/seed.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';

/**
 * Calls every operation of the OpenAPI document with what it allows and with what it does not, as every kind of caller.
 * No answer may be a 5xx, be missing, or be one that the document does not know.
 *
 * To look further: `URR_TEST_SEED=7 FUZZ_RUNS=2000`. To see a failure again: the same seed and `-t <operation>`.
 */
const seed = testSeed();
const runs = Number(process.env.FUZZ_RUNS ?? 160);
/** Each sign-in hashes a password, which is slow on purpose. */
const loginRunsMax = 25;
/** Where few calls in a hundred are allowed at all, a round may have none of them; ten rounds have some. */
const roundsMax = 10;
/** One after the other is slow and finds no races; too many at once are told to come back later. */
const atOnce = 4;

const { issuer, clientId, clientSecret } = await anOidcProvider();
const app = await startTestApp({ env: { URR_OIDC_PROVIDERS: `fake|${issuer}|${clientId}|${clientSecret}` } });
const context = await aFuzzWorld(app, { copies: Math.max(12, runs / 8), sessions: 150 + 2 * runs });
const send = createSendRaw(app.url);

afterAll(async () => {
  // Whatever was asked, no seat was promised twice and no place was lost.
  if (app.urr.engines.database !== null) await checkLedger(app.urr.engines.database);
});

/** The callers here have no place in a queue. */
const alwaysRefused = new Set(['streamQueue']);

describe.each(fuzzOperations())('$id', (operation) => {
  const judge = createJudge(operation);
  const numRuns = operation.rate === 'login' ? Math.min(runs, loginRunsMax) : runs;

  async function fuzz(calls: Arbitrary<RawCall>, round = 0): Promise<number[]> {
    const statuses: number[] = [];
    const property = fc.asyncProperty(fc.array(calls, { minLength: atOnce, maxLength: atOnce }), async (batch) => {
      const answers = await Promise.all(batch.map(send));
      const faults = answers.flatMap((answer, n) => {
        statuses.push(answer.status);
        return judge(answer).map((fault) => `${batch[n]?.method} ${batch[n]?.path.slice(0, 300)}: ${fault}`);
      });
      if (faults.length > 0) throw new Error(faults.join('\n'));
    });
    await fc.assert(property, { seed: seedFor(operation.id, seed + round), numRuns: Math.ceil(numRuns / atOnce) });
    return statuses;
  }

  test('answers what it allows as it says', async () => {
    const calls = fittingCalls(operation, context);
    const wasLetIn = async (round: number) =>
      (await fuzz(calls, round)).some((status) => operation.answers.has(status)) || alwaysRefused.has(operation.id);
    // A run that saw nothing but refusals would have tested the door and not what is behind it, so it goes on until one is let in.
    let letIn = false;
    for (let round = 0; round < roundsMax && !letIn; round++) letIn = await wasLetIn(round);
    expect(letIn).toBe(true);
  });

  test('refuses what it does not allow', async () => {
    const statuses = await fuzz(unfittingCalls(operation, context));
    const takesInput = operation.refusals.get(400)?.includes('VALIDATION_FAILED') ?? false;
    if (takesInput) expect(statuses).toContain(400);
  });
});
