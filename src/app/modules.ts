import { authDescription } from '#modules/auth/index.ts';
import { catalogDescription } from '#modules/catalog/index.ts';
import { gatewayDescription } from '#modules/gateway/index.ts';
import { queueDescription, queueHotDescription } from '#modules/queue/index.ts';
import type { ModuleDescription } from '#platform/module.ts';
import type { RoleName } from './roles.ts';

/** Every module of the program, by the role that runs it. */
export const modulesByRole: Readonly<Record<RoleName, ModuleDescription>> = {
  gateway: gatewayDescription,
  auth: authDescription,
  catalog: catalogDescription,
  queue: queueDescription,
  'queue-hot': queueHotDescription,
};

export const moduleDescriptions: readonly ModuleDescription[] = Object.values(modulesByRole);

export const allTopics = moduleDescriptions.flatMap((module) => module.topics);

export const allConsumerGroups = moduleDescriptions.flatMap((module) =>
  module.consumers.map(({ topic, group }) => ({ topic: topic.name, group })),
);
