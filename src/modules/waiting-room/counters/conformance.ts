import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assert } from '#platform/assert.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import type { BeginCall, Counters } from '../ports.ts';

export interface CountersUnderTest {
  readonly counters: Counters;
  /** Loses everything, as FLUSHALL does. */
  wipe(): Promise<void>;
  close?(): Promise<void>;
}

const ids = createIds({ clock: systemClock, random: systemRandom });
const startMs = 2_000_000_000_000;
const leaseMs = 2_000;

/** What all counters must do, whatever they are made of. Run by one test file per adapter. */
export function describeCounters(name: string, factory: { create(): Promise<CountersUnderTest> }): void {
  describe(name, () => {
    let subject: CountersUnderTest | null = null;
    beforeAll(async () => {
      subject = await factory.create();
    });
    afterAll(async () => {
      await subject?.close?.();
    });

    function under(): CountersUnderTest {
      assert(subject !== null, 'the counters are made before the first test');
      return subject;
    }

    /** A room of its own, with the time kept for it. */
    async function open(changes: Partial<BeginCall> = {}) {
      const { counters } = under();
      const begin = {
        eventId: ids.next(),
        epoch: 1,
        first: 0,
        bound: 1_000_000,
        lineOffset: 0,
        serving: 0,
        ...changes,
      };
      await counters.begin(begin);
      const { eventId, epoch } = begin;
      let nowMs = startMs;
      const line = {
        eventId,
        wait(ms: number) {
          nowMs += ms;
        },
        assign: (count: number) => counters.assign({ eventId, epoch, count }),
        serve: (by: number) => counters.serve({ eventId, epoch, by }),
        advance: (ratePerSecond: number, owner = 'one') =>
          counters.advance({ eventId, epoch, ratePerSecond, owner, leaseMs, nowMs }),
        read: () => counters.read({ eventId, epoch }),
        async serving(): Promise<number> {
          const read = await line.read();
          assert(read.status === 'ok', `the counters are ${read.status}`);
          return read.serving;
        },
      };
      return line;
    }

    test('200 that come at once get numbers that are unique and have no gaps', async () => {
      const line = await open();
      const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => line.assign(1 + (n % 3))));
      const numbers = answers.flatMap((answer) => {
        assert(answer.status === 'ok', `the counters are ${answer.status}`);
        return Array.from({ length: answer.granted }, (_, n) => answer.first + n);
      });
      const expected = Array.from({ length: numbers.length }, (_, n) => n + 1);
      expect(numbers.toSorted((a, b) => a - b)).toEqual(expected);
      expect(numbers.length).toBe(answers.reduce((sum, _, n) => sum + 1 + (n % 3), 0));
    });

    test('no number is given beyond the bound, and a raised bound lets them go on', async () => {
      const line = await open({ first: 10, bound: 13 });
      expect(await line.assign(2)).toEqual({ status: 'ok', first: 11, granted: 2, refused: [] });
      expect(await line.assign(5)).toMatchObject({ first: 13, granted: 1 });
      expect(await line.assign(5)).toMatchObject({ first: 14, granted: 0 });
      const { counters } = under();
      await counters.raiseBound({ eventId: line.eventId, epoch: 1, bound: 12 });
      expect(await line.assign(1)).toMatchObject({ granted: 0 });
      await counters.raiseBound({ eventId: line.eventId, epoch: 1, bound: 20 });
      expect(await line.assign(9)).toMatchObject({ first: 14, granted: 7 });
      for (const bound of [30, 25]) await counters.raiseBound({ eventId: line.eventId, epoch: 1, bound });
      expect(await line.read()).toMatchObject({ bound: 30 });
    });

    test('a proof is good for one number, until it is forgotten after three minutes', async () => {
      const line = await open();
      const { counters } = under();
      const take = (proofs: string[], nowMs = startMs) =>
        counters.assign({ eventId: line.eventId, epoch: 1, count: proofs.length, proofs, nowMs });
      expect(await take(['one', 'two', 'one'])).toEqual({ status: 'ok', first: 1, granted: 2, refused: [2] });
      expect(await take(['two', '', 'three'], startMs + 179_999)).toEqual({
        ...{ status: 'ok', first: 3, granted: 2, refused: [0] },
      });
      expect(await take(['one', 'three'], startMs + 180_000)).toMatchObject({ granted: 1, refused: [1] });
      const [, ...many] = await Promise.all(Array.from({ length: 20 }, () => take(['shared'])));
      expect(many.filter((answer) => answer.status === 'ok' && answer.granted === 1).length).toBeLessThanOrEqual(1);
    });

    test('a proof that got no number, because the bound was reached, is not used', async () => {
      const line = await open({ bound: 1 });
      const { counters } = under();
      const { eventId } = line;
      const take = (proofs: string[]) =>
        counters.assign({ eventId, epoch: 1, count: proofs.length, proofs, nowMs: startMs });
      expect(await take(['one', 'two'])).toEqual({ status: 'ok', first: 1, granted: 1, refused: [] });
      await counters.raiseBound({ eventId, epoch: 1, bound: 10 });
      expect(await take(['two', 'one'])).toEqual({ status: 'ok', first: 2, granted: 1, refused: [1] });
    });

    test('four that advance, one of them gone: the line keeps the rate and never passes its end', async () => {
      const line = await open();
      await line.assign(40);
      const owners = ['one', 'two', 'three', 'four'];
      await Promise.all(owners.map((owner) => line.advance(10, owner)));
      for (let step = 0; step < 100; step++) {
        line.wait(100);
        // After two seconds the one that led is gone.
        const alive = step < 20 ? owners : owners.filter((owner) => owner !== 'one');
        await Promise.all(alive.map((owner) => line.advance(10, owner)));
        const served = await line.serving();
        expect(served).toBeLessThanOrEqual(40);
        // Never faster than the rate, and what is lost while the lease runs out is made up for.
        expect(served).toBeLessThanOrEqual(step + 1);
        if (step >= 45) expect(served).toBe(40);
      }
    });

    test('one has the lease, and the next one takes over when it has run out', async () => {
      const line = await open();
      await line.assign(1_000);
      expect(await line.advance(10, 'one')).toMatchObject({ status: 'ok', serving: 0 });
      line.wait(leaseMs - 1);
      expect(await line.advance(10, 'two')).toEqual({ status: 'held' });
      line.wait(1);
      expect(await line.advance(10, 'two')).toMatchObject({ status: 'ok', serving: 20 });
      expect(await line.advance(10, 'one')).toEqual({ status: 'held' });
    });

    test('a lease from before the clock was set back keeps nobody waiting', async () => {
      const line = await open();
      await line.assign(1_000);
      await line.advance(10, 'one');
      line.wait(-3_600_000);
      expect(await line.advance(10, 'two')).toMatchObject({ status: 'ok', serving: 0 });
      line.wait(1_000);
      expect(await line.advance(10, 'two')).toMatchObject({ status: 'ok', serving: 10 });
    });

    test('what stood still for long is not made up for in one rush, and an empty line saves nothing up', async () => {
      const line = await open();
      await line.assign(10);
      await line.advance(5);
      line.wait(60_000);
      expect(await line.advance(5)).toMatchObject({ serving: 10 });
      for (let step = 0; step < 20; step++) {
        line.wait(1_000);
        await line.advance(5);
      }
      await line.assign(100);
      expect(await line.advance(5)).toMatchObject({ serving: 11 });
      line.wait(600_000);
      expect(await line.advance(5)).toMatchObject({ serving: 21 });
    });

    test('a line that is to stand still serves nobody, whatever was saved up before anyone came', async () => {
      const line = await open();
      await line.advance(10);
      line.wait(1_000);
      await line.advance(10);
      await line.assign(5);
      line.wait(1_000);
      expect(await line.advance(0)).toMatchObject({ serving: 0 });
      line.wait(1_000);
      expect(await line.advance(0)).toMatchObject({ serving: 0 });
      line.wait(100);
      expect(await line.advance(10)).toMatchObject({ serving: 1 });
    });

    test('slow rates come in whole people, in the course of time', async () => {
      const line = await open();
      await line.assign(100);
      await line.advance(0.5);
      const seen: number[] = [];
      for (let step = 0; step < 8; step++) {
        line.wait(500);
        await line.advance(0.5);
        seen.push(await line.serving());
      }
      expect(seen).toEqual([0, 0, 0, 1, 1, 1, 1, 2]);
    });

    test('an operator serves so many at once, never past the last number', async () => {
      const line = await open({ first: 100, lineOffset: -60, serving: 30 });
      await line.assign(10);
      expect(await line.serve(15)).toEqual({ status: 'ok', given: 110, bound: 1_000_000, serving: 45 });
      expect(await line.serve(1_000)).toMatchObject({ serving: 50 });
      expect(await line.serve(1)).toMatchObject({ serving: 50 });
    });

    test('what was lost says so, and goes on behind the bound in the next epoch', async () => {
      const { counters, wipe } = under();
      const line = await open({ bound: 500 });
      await line.assign(7);
      await wipe();
      const { eventId } = line;
      expect(await line.assign(1)).toEqual({ status: 'lost' });
      expect(await line.read()).toEqual({ status: 'lost' });
      expect(await line.serve(1)).toEqual({ status: 'lost' });
      expect(await line.advance(5)).toEqual({ status: 'lost' });
      await counters.begin({ eventId, epoch: 2, first: 500, bound: 1_000, lineOffset: -493, serving: 3 });
      expect(await counters.assign({ eventId, epoch: 2, count: 2 })).toMatchObject({ first: 501, granted: 2 });
      const superseded = { status: 'superseded', epoch: 2, bound: 1_000 };
      expect(await line.assign(1)).toEqual(superseded);
      expect(await line.read()).toEqual(superseded);
      expect(await line.serve(1)).toEqual(superseded);
      expect(await line.advance(1)).toEqual(superseded);
      expect(await counters.read({ eventId, epoch: 2 })).toEqual({
        status: 'ok',
        given: 502,
        bound: 1_000,
        serving: 3,
      });
      expect(await counters.read({ eventId, epoch: 3 })).toEqual({ status: 'lost' });
    });

    test('an epoch that was begun is not begun again, nor is one before it', async () => {
      const { counters } = under();
      const line = await open({ epoch: 4 });
      await line.assign(3);
      const again = { eventId: line.eventId, first: 0, bound: 10, lineOffset: 0, serving: 0 };
      await counters.begin({ ...again, epoch: 4 });
      await counters.begin({ ...again, epoch: 3 });
      expect(await line.assign(1)).toMatchObject({ first: 4, granted: 1 });
      await counters.raiseBound({ eventId: line.eventId, epoch: 3, bound: 9_000_000 });
      expect(await line.read()).toMatchObject({ bound: 1_000_000 });
    });

    test('in any order of steps: numbers are unique, within the bound, and the line is served in order to its end', async () => {
      const step = fc.oneof(
        fc.record({ kind: fc.constant('assign' as const), count: fc.integer({ min: 1, max: 20 }) }),
        fc.record({ kind: fc.constant('serve' as const), count: fc.integer({ min: 1, max: 20 }) }),
        fc.record({ kind: fc.constant('advance' as const), count: fc.integer({ min: 0, max: 50 }) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const line = await open({ bound: 100 });
          let [given, served] = [0, 0];
          for (const { kind, count } of steps) {
            line.wait(200);
            if (kind === 'assign') {
              const answer = await line.assign(count);
              expect(answer).toMatchObject({ status: 'ok', first: given + 1, granted: Math.min(count, 100 - given) });
              given += Math.min(count, 100 - given);
            } else {
              const answer = kind === 'serve' ? await line.serve(count) : await line.advance(count);
              assert(answer.status === 'ok', `the counters are ${answer.status}`);
              expect(answer.given).toBe(given);
              expect(answer.serving).toBeGreaterThanOrEqual(served);
              expect(answer.serving).toBeLessThanOrEqual(given);
              served = answer.serving;
            }
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}
