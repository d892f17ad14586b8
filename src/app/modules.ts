import type { ModuleDescription } from '#platform/module.ts';
import { roleDefinitions } from './roles.ts';

/** Every module of the program, in the order of its roles. */
export const moduleDescriptions: readonly ModuleDescription[] = Object.values(roleDefinitions).map(
  (role) => role.description,
);

export const allTopics = moduleDescriptions.flatMap((module) => module.topics);

export const allConsumerGroups = moduleDescriptions.flatMap((module) =>
  module.consumers.map(({ topic, group }) => ({ topic: topic.name, group })),
);
