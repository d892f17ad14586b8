import type { ModuleDescription, ModuleInstance } from '#platform/module.ts';

/**
 * A module says in its description what it consumes, and its instance consumes it. Where they differ, the reference and `urr bus`
 * would be wrong, or messages would be kept for a group that nobody runs.
 */
export function assertConsumersDescribed(
  { name, consumers }: Pick<ModuleDescription, 'name' | 'consumers'>,
  instance: Pick<ModuleInstance, 'consumers'>,
): void {
  const described = consumers.map(({ group }) => group).sort();
  const run = instance.consumers.map(({ declaration }) => declaration.group).sort();
  if (described.join() === run.join()) return;
  throw new Error(
    `the module ${name} describes the consumer groups [${described.join(', ')}] and runs [${run.join(', ')}]; name the same in both places of its index.ts`,
  );
}
