import { paymentEvents } from '#modules/payments/contract.ts';
import type { ModuleDescription } from '#platform/module.ts';
import { roleDefinitions } from './roles.ts';

/**
 * Modules of which only the contract is there: others consume their topics already, so these are made, documented and kept
 * compatible. An entry goes when its role comes.
 */
const announced: readonly ModuleDescription[] = [
  {
    name: 'payments',
    summary: 'Payments and refunds. Not there yet; what it will tell is settled.',
    routes: {},
    internalCalls: {},
    errors: {},
    topics: [paymentEvents],
    consumers: [],
    migrations: null,
  },
];

/** Every module of the program, in the order of its roles. */
export const moduleDescriptions: readonly ModuleDescription[] = [
  ...Object.values(roleDefinitions).map((role) => role.description),
  ...announced,
];

export const allTopics = moduleDescriptions.flatMap((module) => module.topics);

export const allConsumerGroups = moduleDescriptions.flatMap((module) =>
  module.consumers.map(({ topic, group }) => ({ topic: topic.name, group })),
);
