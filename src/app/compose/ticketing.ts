import { catalogInternalCalls } from '#modules/catalog/contract.ts';
import { paymentsInternalCalls } from '#modules/payments/contract.ts';
import { queueInternalCalls } from '#modules/queue/contract.ts';
import { createRedisShield, createTicketing, type Ticketing, ticketKeysOf } from '#modules/ticketing/index.ts';
import type { ModuleContext } from './context.ts';

export function composeTicketing({
  shared,
  durable,
  client,
  optionalClient,
  config,
  engines,
}: ModuleContext): Ticketing {
  const { redis } = engines;
  return createTicketing({
    ...shared,
    ...durable(),
    catalog: client('catalog', catalogInternalCalls),
    queue: client('queue', queueInternalCalls),
    // Seats are sold and doors are run without it, too; old pins are then only counted.
    payments: optionalClient('payments', paymentsInternalCalls),
    // Memberships will say otherwise.
    tiers: { tierOf: async () => 'general' },
    shield: redis !== null && config.seatShield ? createRedisShield({ ...shared, redis }) : null,
    ticketKeys: ticketKeysOf(config.ticketSigningKeys),
  });
}
