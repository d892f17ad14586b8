import { retryAfterMinDefault } from '#platform/bus/letters.ts';
import type { ModuleDescription } from '#platform/module.ts';
import { fieldsOf } from './fields.ts';
import { notice } from './generated-file.ts';
import { code, table } from './markdown.ts';

/** docs/reference/events.json: what consumers elsewhere may rely on, and what a change is compared with. */
export interface EventsDocument {
  readonly topics: readonly EventsTopic[];
}

export interface EventsTopic {
  readonly name: string;
  readonly module: string;
  readonly key: string;
  readonly partitions: number;
  readonly retention: 'forever' | { readonly hours: number };
  readonly types: Readonly<
    Record<string, { readonly version: number; readonly summary: string; readonly data: object }>
  >;
}

type Modules = readonly Pick<ModuleDescription, 'name' | 'topics' | 'consumers'>[];

export function eventsDocument(modules: Modules): EventsDocument {
  const topics = modules
    .flatMap((module) => module.topics.map((topic) => ({ module: module.name, ...topic })))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, module, key, partitions, retention, types }) => ({
      name,
      module,
      key,
      partitions,
      retention,
      types,
    }));
  // Schemas come as live objects; readers get plain JSON.
  return JSON.parse(JSON.stringify({ topics })) as EventsDocument;
}

/** docs/reference/events.md */
export function renderEvents(modules: Modules): string {
  const parts = eventsDocument(modules).topics.map((topic) => {
    const consumers = modules.flatMap((module) =>
      module.consumers
        .filter((consumer) => consumer.topic.name === topic.name)
        .map((consumer) => [
          code(consumer.group),
          module.name,
          consumer.mode,
          consumer.commit,
          `${consumer.retry.times} × ${consumer.retry.backoffMs} ms`,
          consumer.deadLetter === null ? 'none' : code(consumer.deadLetter),
          ...(consumer.deadLetter === null
            ? ['skipped', 'never']
            : [consumer.onPoison ?? 'pass', `${(consumer.retryAfterMin ?? retryAfterMinDefault).join(', ')} min`]),
        ]),
    );
    const types = Object.entries(topic.types).map(([type, { version, summary, data }]) => {
      const fields = table(['field', 'form'], fieldsOf(data));
      return `### ${type} (version ${version})\n\n${summary}\n\n${fields}\n`;
    });
    const retention = topic.retention === 'forever' ? 'for ever' : `${topic.retention.hours} hours`;
    const consumed =
      consumers.length === 0
        ? 'Nobody in this program consumes it yet.'
        : table(
            ['group', 'module', 'mode', 'commit', 'retry', 'dead letter', 'on poison', 'letters tried after'],
            consumers,
          );
    return `## ${topic.name}

Published by ${topic.module}, keyed by \`${topic.key}\`, ${topic.partitions} partitions, kept ${retention}.

${consumed}

${types.join('\n')}`;
  });
  return `${notice}

# Events

Every event travels as \`{ id, type, version, occurredAt, key, sagaId?, data }\`. \`id\` is what a consumer deduplicates by,
order is kept per \`key\`. The fields of \`data\` are listed per type (\`?\`: may be missing; \`[]\`: of each item); their whole
schemas are in [events.json](events.json). A change that old consumers could not read raises the version.

${parts.join('\n')}`;
}
