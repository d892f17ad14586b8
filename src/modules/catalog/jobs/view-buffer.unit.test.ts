import { expect, test } from 'vitest';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import { aRecordingBus } from '../testing/recording-bus.ts';
import { createViewBuffer } from './view-buffer.ts';

function setUp() {
  const clock = aClock();
  const bus = aRecordingBus();
  const lines: { lost?: number }[] = [];
  const logger = createLogger({ level: 'warn', destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const ids = createIds({ clock, random: systemRandom });
  return { bus, lines, ids, clock, views: createViewBuffer({ bus, clock, logger }) };
}

test('views of one event travel as one message', async () => {
  const { bus, views, ids, clock } = setUp();
  const [one, other] = [ids.next(), ids.next()];
  for (const id of [one, one, other, one]) views.record(id);
  await views.flush();
  expect(bus.said.map(({ type, key, data }) => [type, key, data])).toEqual([
    ['EVENT_VIEWED', one, { eventId: one, count: 3, at: new Date(clock.now()).toISOString() }],
    ['EVENT_VIEWED', other, { eventId: other, count: 1, at: new Date(clock.now()).toISOString() }],
  ]);
});

test('what was sent is not sent again, and nothing to send is no message', async () => {
  const { bus, views, ids } = setUp();
  views.record(ids.next());
  await views.flush();
  await views.flush();
  expect(bus.said).toHaveLength(1);
});

test('views that the broker does not take are dropped and told', async () => {
  const { bus, views, ids, lines } = setUp();
  bus.away = true;
  const id = ids.next();
  views.record(id);
  views.record(id);
  await views.flush();
  expect(lines).toEqual([expect.objectContaining({ lost: 2 })]);
  bus.away = false;
  await views.flush();
  expect(bus.said).toEqual([]);
});

test('the buffer is bounded, and keeps counting the events it knows', async () => {
  const { bus, views, ids, lines } = setUp();
  const known = ids.next();
  views.record(known);
  for (let i = 0; i < 10_005; i++) views.record(ids.next());
  views.record(known);
  await views.flush();
  expect(bus.said).toHaveLength(10_000);
  expect(bus.said[0]?.data.count).toBe(2);
  expect(lines).toEqual([expect.objectContaining({ lost: 6 })]);
});
