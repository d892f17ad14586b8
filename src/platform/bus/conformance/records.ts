import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { type Consumer, type ConsumerDeclaration, defineConsumer, defineTopic, type EventOf } from '../port.ts';

const countedTypes = {
  COUNTED: {
    version: 2,
    summary: 'A number of a key.',
    data: Type.Object(
      { n: Type.Integer(), note: Type.Optional(Type.String({ maxLength: 50 })) },
      { additionalProperties: false },
    ),
  },
};

export function aTopic(name = `topic-${randomUUID().slice(0, 8)}`, partitions = 3) {
  return defineTopic({ name, key: 'counter', partitions, retention: 'forever', types: countedTypes });
}

export type TestTopic = ReturnType<typeof aTopic>;
export type Counted = EventOf<TestTopic>;

export interface Effect {
  readonly key: string;
  readonly n: number;
  readonly event_id: string;
}

export function aGroup(): string {
  return `group-${randomUUID().slice(0, 8)}`;
}

type Declared = Partial<Omit<ConsumerDeclaration, 'topic' | 'group'>>;

export function aDeclaration(topic: TestTopic, group: string, declared: Declared = {}): ConsumerDeclaration<TestTopic> {
  return {
    topic,
    group,
    mode: 'batch',
    commit: 'manual',
    retry: { times: 2, backoffMs: 10 },
    deadLetter: `${topic.name}-dead`,
    ...declared,
  };
}

/** A consumer whose effect is a row for each event. */
export function recorder(
  topic: TestTopic,
  group: string,
  options: Declared & { before?: (event: Counted) => Promise<void> | void } = {},
): Consumer {
  const { before, ...declared } = options;
  return defineConsumer({
    declaration: aDeclaration(topic, group, declared),
    async handle(events, { tx }) {
      for (const event of events) {
        await before?.(event);
        await tx.query(
          'INSERT INTO urr.test_effects (consumer_group, topic, event_id, key, n) VALUES ($1, $2, $3, $4, $5)',
          [group, topic.name, event.id, event.key, event.data.n],
        );
      }
    },
  });
}

/** As `recorder`, with one statement for a whole batch. */
export function manyRecorder(topic: TestTopic, group: string): Consumer {
  return defineConsumer({
    declaration: aDeclaration(topic, group),
    async handle(events, { tx }) {
      await tx.query(
        `INSERT INTO urr.test_effects (consumer_group, topic, event_id, key, n)
         SELECT $1, $2, * FROM unnest($3::uuid[], $4::text[], $5::integer[])`,
        [group, topic.name, events.map(({ id }) => id), events.map(({ key }) => key), events.map(({ data }) => data.n)],
      );
    },
  });
}

/** Whether the numbers of each key are 1, 2, 3 … in the order of their effects. */
export function inOrderPerKey(effects: readonly Effect[]): boolean {
  const last = new Map<string, number>();
  for (const { key, n } of effects) {
    if (n !== (last.get(key) ?? 0) + 1) return false;
    last.set(key, n);
  }
  return true;
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
