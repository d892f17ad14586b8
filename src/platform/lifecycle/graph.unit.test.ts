import { expect, onTestFinished, test, vi } from 'vitest';
import { createPartGraph, type Part, StartAbandoned, startOrder } from './graph.ts';

function aPart(
  name: string,
  needs: string[] = [],
  log: string[] = [],
  faults: { start?: Error; stop?: 'hang' | Error } = {},
): Part {
  return {
    name,
    needs,
    async start() {
      if (faults.start) throw faults.start;
      log.push(`start ${name}`);
    },
    async stop() {
      log.push(`stop ${name}`);
      if (faults.stop === 'hang') await new Promise(() => {});
      if (faults.stop instanceof Error) throw faults.stop;
    },
  };
}

test('parts start after what they need and stop in reverse', async () => {
  const log: string[] = [];
  const graph = createPartGraph(
    [aPart('http', ['bus'], log), aPart('bus', ['postgres'], log), aPart('postgres', [], log)],
    {
      stopLimitMs: 1_000,
    },
  );
  await graph.start();
  await graph.stop();
  expect(log).toEqual(['start postgres', 'start bus', 'start http', 'stop http', 'stop bus', 'stop postgres']);
});

test('a part that cannot start stops what was started before it', async () => {
  const log: string[] = [];
  const graph = createPartGraph(
    [aPart('postgres', [], log), aPart('bus', ['postgres'], log, { start: new Error('no broker') })],
    {
      stopLimitMs: 1_000,
    },
  );
  await expect(graph.start()).rejects.toThrow('no broker');
  expect(log).toEqual(['start postgres', 'stop postgres']);
});

test('a part that hangs or fails while stopping does not keep the others running', async () => {
  const log: string[] = [];
  const graph = createPartGraph(
    [
      aPart('postgres', [], log),
      aPart('bus', [], log, { stop: 'hang' }),
      aPart('http', [], log, { stop: new Error('stuck') }),
    ],
    { stopLimitMs: 20 },
  );
  await graph.start();
  const problems = await graph.stop();
  expect(problems.map((problem) => problem.part)).toEqual(['http', 'bus']);
  expect(log.slice(-3)).toEqual(['stop http', 'stop bus', 'stop postgres']);
});

test('the limit is one for all parts together, however many of them hang', async () => {
  const hanging = Array.from({ length: 6 }, (_, n) => aPart(`part ${n}`, [], [], { stop: 'hang' }));
  const graph = createPartGraph(hanging, { stopLimitMs: 500 });
  await graph.start();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let stopped = 0;
  void graph.stop().then((problems) => {
    stopped = problems.length;
  });
  // 500 ms and five last chances of 50 ms, where one limit after the other would be 3 s.
  await vi.advanceTimersByTimeAsync(740);
  expect(stopped).toBe(0);
  await vi.advanceTimersByTimeAsync(10);
  expect(stopped).toBe(6);
});

test('a circle and a missing need are refused by name', () => {
  expect(() => startOrder([aPart('a', ['b']), aPart('b', ['a'])])).toThrow('a → b → a');
  expect(() => startOrder([aPart('a', ['b'])])).toThrow('a needs b');
});

test('a start that is given up stops what was started, whatever a part waits for', async () => {
  const log: string[] = [];
  const stopping = new AbortController();
  const waiting: Part = { ...aPart('bus', ['postgres'], log), start: () => new Promise(() => {}) };
  const graph = createPartGraph([aPart('postgres', [], log), waiting, aPart('http', ['bus'], log)], {
    stopLimitMs: 1_000,
  });
  const started = graph.start(stopping.signal);
  await vi.waitFor(() => expect(log).toEqual(['start postgres']));
  stopping.abort();
  await expect(started).rejects.toThrow(StartAbandoned);
  expect(log).toEqual(['start postgres', 'stop postgres']);
});

test('a part that comes up just as its start is given up is stopped, too', async () => {
  const log: string[] = [];
  const stopping = new AbortController();
  const up = Promise.withResolvers<void>();
  const slow: Part = { ...aPart('bus', [], log), start: () => up.promise };
  const started = createPartGraph([slow], { stopLimitMs: 1_000 }).start(stopping.signal);
  stopping.abort();
  up.resolve();
  await expect(started).rejects.toThrow(StartAbandoned);
  expect(log).toEqual(['stop bus']);
});
