import { createPayments, createSandboxProvider, createTossProvider, type Payments } from '#modules/payments/index.ts';
import { ticketingInternalCalls } from '#modules/ticketing/contract.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import { systemClock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import { createInternalClient } from '#platform/http/internal-client.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import type { UrrConfig } from '../config.ts';
import type { ModuleContext } from './context.ts';

/** The gateway waits for as long as a role elsewhere may take; the answer has to be there before. */
const answerMarginMs = 1_000;
const ticketsWithinMs = 2_000;

export function composePayments({ shared, durable, client, config }: ModuleContext): Payments {
  const ticketing = client('ticketing', ticketingInternalCalls);
  if (config.mode === 'production' && config.tossSecretKey === null)
    shared.logger.warn('payments are played by the sandbox: tickets are given for no money (URR_PAYMENT_SANDBOX)');
  return createPayments({ ...shared, ...durable(), ticketing, ...settingsOf(config, durable().database) });
}

/** For a command: nothing else runs in this process, and what it asks to be sent is sent by those that do. */
export function paymentsAlone({
  config,
  database,
  logger,
}: {
  config: UrrConfig;
  database: Database;
  logger: Logger;
}): Payments {
  const clock = systemClock;
  return createPayments({
    ...{ clock, random: systemRandom, ids: createIds({ clock, random: systemRandom }), logger, database },
    metrics: createMetrics(),
    audit: postgresAuditLog,
    bus: { wakeRelays: () => {} },
    ticketing: createInternalClient(ticketingInternalCalls, async () => {
      throw platformErrors.fault('ROLE_UNAVAILABLE');
    }),
    ...settingsOf(config, database),
  });
}

function settingsOf(config: UrrConfig, database: Database) {
  const sandbox = createSandboxProvider({ database });
  const toss = tossOf(config);
  return {
    // Of what was paid through the sandbox before, it still knows; only orders of the first can be paid.
    providers: toss === null ? ([sandbox] as const) : ([toss, sandbox] as const),
    sandbox: toss === null ? sandbox : null,
    config: {
      answerWithinMs: Math.max(500, config.remoteTimeoutMs - answerMarginMs),
      ticketsWithinMs,
      depositMs: config.depositMinutes * 60_000,
      refundsPerSecond: config.refundsPerSecond,
    },
  };
}

function tossOf({ tossSecretKey: secretKey, tossClientKey: clientKey, tossUrl: url, tossSdkUrl: sdkUrl }: UrrConfig) {
  if (secretKey === null || clientKey === null) return null;
  return createTossProvider({ secretKey, clientKey, url, sdkUrl, clock: systemClock });
}
