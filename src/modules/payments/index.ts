import { bindHandlers } from '#platform/http/contract.ts';
import type { Job, ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { createReservationsConsumer, reservationsDeclaration } from './consumers/reservations.ts';
import { paymentEvents, paymentRoutes, paymentsInternalCalls } from './contract.ts';
import { paymentErrors } from './errors.ts';
import { createChecks } from './jobs/checks.ts';
import { createManualWatch } from './jobs/manual-watch.ts';
import { createNightly } from './jobs/nightly.ts';
import { createRefundsJob } from './jobs/refunds.ts';
import type { PaymentsDeps } from './ports.ts';
import { createSandboxCallbacks } from './providers/sandbox/index.ts';
import { createAfterHandlers } from './routes/after-handlers.ts';
import { createPayHandlers } from './routes/pay-handlers.ts';
import { createCancel } from './service/cancel.ts';
import { createCaptures } from './service/captures.ts';
import { createConfirm } from './service/confirm.ts';
import { createHints, type Hints } from './service/hints.ts';
import { createInternal } from './service/internal.ts';
import { createManualList } from './service/manual-list.ts';
import { createOrders } from './service/orders.ts';
import { createOutcomes } from './service/outcomes.ts';
import { createPayables } from './service/payables.ts';
import { type ReconcileReport, reconcileDay } from './service/reconcile.ts';

export const paymentsDescription = {
  name: 'payments',
  summary: 'Payments, refunds, providers; money and tickets always agree.',
  routes: paymentRoutes,
  internalCalls: paymentsInternalCalls,
  errors: paymentErrors.table,
  topics: [paymentEvents],
  consumers: [reservationsDeclaration],
  migrations: new URL('./migrations/', import.meta.url),
} satisfies ModuleDescription;

export interface Payments extends ModuleInstance {
  /** What a provider in this process tells of itself. */
  readonly hear: Hints['hear'];
  /** Compares one day with the provider's list. */
  reconcile(day: string): Promise<ReconcileReport[]>;
}

/** Each concern makes its own handlers, consumers and jobs; here they are only put together. */
export function createPayments(deps: PaymentsDeps): Payments {
  const { providers } = deps;
  const byName = new Map(providers.map((provider) => [provider.name as string, provider]));
  const providerOf = (name: string) => byName.get(name) ?? null;
  const payables = createPayables(deps);
  const manual = createManualList(deps);
  const outcomes = createOutcomes({ ...deps, payables, manual });
  const captures = createCaptures({ ...deps, providerOf, outcomes });
  const hints = createHints({ ...deps, providerOf, outcomes, manual });
  const orders = createOrders({ ...deps, provider: providers[0], payables });
  const confirm = createConfirm({ ...deps, payable: providers[0].name, payables, outcomes, captures });
  return {
    hear: hints.hear,
    async reconcile(day) {
      const reports = [];
      for (const provider of providers) reports.push(await reconcileDay({ ...deps, hints, manual }, { provider, day }));
      return reports;
    },
    handlers: bindHandlers(paymentRoutes, {
      ...createPayHandlers({ ...deps, providerOf, orders, confirm }),
      ...createAfterHandlers({ ...deps, hints, cancel: createCancel(deps) }),
    }),
    internal: createInternal(deps),
    consumers: [createReservationsConsumer({ manual })],
    jobs: [
      createChecks({ ...deps, providerOf, outcomes, captures, payables, manual }),
      createRefundsJob({ ...deps, providerOf, hints, manual }),
      hints.job,
      createManualWatch(deps),
      createNightly({ ...deps, hints, manual }),
      ...(deps.sandbox === null ? [] : [callbacksOf(deps, hints)]),
    ],
    stop: () => captures.stop(),
  };
}

/** The sandbox's webhooks do not travel: they are heard here, as if they had come by HTTP. */
function callbacksOf({ database }: PaymentsDeps, { hear }: Hints): Job {
  return createSandboxCallbacks({
    database,
    async deliver(body) {
      if (!(await hear('sandbox', body))) throw new Error('a webhook of the sandbox cannot be read');
    },
  });
}

export { createSandboxProvider } from './providers/sandbox/index.ts';
export { startFakeToss } from './providers/toss/fake/server.ts';
export { createTossProvider } from './providers/toss/index.ts';
export { checkMoney, type MoneyReport } from './service/check-money.ts';
export { seoulDay } from './service/reconcile.ts';
