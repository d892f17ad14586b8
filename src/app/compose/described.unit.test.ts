import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { type ConsumerDeclaration, defineConsumer, defineTopic } from '#platform/bus/port.ts';
import { assertConsumersDescribed } from './described.ts';

const topic = defineTopic({
  name: 'films',
  key: 'filmId',
  retention: 'forever',
  types: { FILM_SHOWN: { version: 1, summary: 'It was shown.', data: Type.Object({}) } },
});
const [seats, stats] = ['seats', 'stats'].map(
  (group): ConsumerDeclaration => ({
    ...{ topic, group, mode: 'single', commit: 'manual', retry: { times: 0, backoffMs: 0 }, deadLetter: null },
  }),
) as [ConsumerDeclaration, ConsumerDeclaration];
const running = (...declarations: ConsumerDeclaration[]) => ({
  consumers: declarations.map((declaration) => defineConsumer({ declaration, handle: async () => {} })),
});

it('a module consumes what its description says', () => {
  expect(() => assertConsumersDescribed({ name: 'x', consumers: [seats, stats] }, running(stats, seats))).not.toThrow();
});

it.each([
  ['runs a consumer that it does not describe', [seats], [seats, stats]],
  ['describes a consumer that it does not run', [seats, stats], [seats]],
])('a module that %s does not start', (_, described, run) => {
  expect(() => assertConsumersDescribed({ name: 'x', consumers: described }, running(...run))).toThrow(
    /the module x describes the consumer groups/,
  );
});
