import { Type } from 'typebox';
import { type Consumer, type ConsumerDeclaration, defineConsumer, defineTopic } from '#platform/bus/port.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';

export const ids = createIds({ clock: systemClock, random: systemRandom });

export function aTopic(name: string) {
  return defineTopic({
    name: `${name}-${ids.next()}`,
    key: 'buyer',
    retention: 'forever',
    types: {
      SEAT_TAKEN: {
        version: 1,
        summary: 'What a reservation event looks like in size.',
        data: Type.Object({
          seatId: Type.String(),
          eventId: Type.String(),
          grade: Type.String(),
          priceKrw: Type.Integer(),
        }),
      },
    },
  });
}

export type BenchTopic = ReturnType<typeof aTopic>;

export function anEvent(number: number) {
  const data = {
    seatId: `A-${number}`,
    eventId: '01890000-0000-7000-8000-000000000001',
    grade: 'VIP',
    priceKrw: 165_000,
  };
  return { type: 'SEAT_TAKEN' as const, key: `buyer-${number % 500}`, data };
}

/** A consumer whose effect is an upsert per key. Tells the events after they were committed. */
export function counter(
  topic: BenchTopic,
  declared: Pick<ConsumerDeclaration, 'mode' | 'batchSizeMax'>,
  done: (events: readonly { readonly data: { readonly seatId: string } }[]) => void,
): Consumer {
  const group = topic.name;
  return defineConsumer({
    declaration: {
      ...declared,
      topic,
      group,
      commit: 'manual',
      retry: { times: 3, backoffMs: 100 },
      deadLetter: null,
    },
    async handle(events, { tx }) {
      const counts = new Map<string, number>();
      for (const { key } of events) counts.set(key, (counts.get(key) ?? 0) + 1);
      await tx.query(
        `INSERT INTO urr.bench_effects (consumer_group, key, count) SELECT $1, key, count FROM unnest($2::text[], $3::integer[]) AS e (key, count)
         ON CONFLICT (consumer_group, key) DO UPDATE SET count = bench_effects.count + excluded.count`,
        [group, [...counts.keys()], [...counts.values()]],
      );
      tx.afterCommit(() => done(events));
    },
  });
}
