import { describe, expect, it } from 'vitest';
import { assert } from '#platform/assert.ts';
import { aClock } from '#test/kit/clock.ts';
import type { QueueStore } from '../../ports.ts';
import { createMemoryStore } from '../memory-store.ts';
import { present, type StoreFactory } from './harness.ts';
import { checkLaws, compareStores } from './properties.ts';

/** Until the fault is found, which ends the run: the rarest is by one run in some hundreds. */
const once = { runs: 20_000, shortest: false };

/** The store in memory with a fault in it. */
function faulty(fault: (store: QueueStore) => Partial<QueueStore>): StoreFactory {
  return {
    async create() {
      const store = createMemoryStore({ clock: aClock() });
      return { store: { ...store, ...fault(store) }, wipe: async () => store.wipe() };
    },
  };
}

const sound = faulty(() => ({}));

const faults: Record<string, { fault: (store: QueueStore) => Partial<QueueStore>; complaint: RegExp }> = {
  'forgets tickets': {
    fault: (store) => ({ enter: ({ ticketOrder: _, ...call }) => store.enter(call) }),
    complaint: /did not give the place back|did not count/,
  },
  'leaves anyone who waits at the later of two places': {
    fault: (store) => ({
      async enter({ ticketOrder, ...call }) {
        const trace = await store.trace(call);
        const isPlaced = trace.status === 'ok' && (trace.place === 'waiting' || trace.place === 'parked');
        return store.enter(isPlaced || ticketOrder === undefined ? call : { ...call, ticketOrder });
      },
    }),
    complaint: /did not count/,
  },
  'takes a ticket twice': {
    fault: (store) => ({
      async enter(call) {
        const answer = await store.enter(call);
        if (answer.status !== 'none' || !answer.spent || call.ticketOrder === undefined) return answer;
        return { status: 'waiting', order: call.ticketOrder, position: 1, epoch: answer.epoch, fresh: true };
      },
    }),
    // In a rush the place that was over stands in the way of a slot given after it, which another law sees first.
    complaint: /gave the place again|past one who has just entered/,
  },
  'passes heads who are present': {
    fault: (store) => ({ admit: (call) => store.admit({ ...call, absentMs: 1 }) }),
    // Also soon after a pause of the flushes, which another law may see first.
    complaint: /was passed though present|parked after a pause of the flushes/,
  },
  'forgets with a loss that a place was given back': {
    fault: (store) => ({ begin: (call) => store.begin({ ...call, returned: [] }) }),
    complaint: /was given back twice/,
  },
  'does not miss those who flush': {
    fault: (store) => ({ snapshot: ({ flusher: _, ...call }) => store.snapshot(call) }),
    complaint: /parked after a pause of the flushes/,
  },
  'admits one too many': {
    fault: (store) => ({
      async admit(call) {
        const { eventId, nowMs = 0 } = call;
        const snapshot = await store.snapshot({ eventId, nowMs });
        if (snapshot.status === 'lost') return snapshot;
        const { threshold } = snapshot.settings;
        await store.configure({ eventId, changes: { threshold: threshold + 1 } });
        const answer = present(await store.admit(call));
        await store.configure({ eventId, changes: { threshold } });
        return { ...answer, threshold };
      },
    }),
    complaint: /in slots, \d+ allowed/,
  },
  'extends a slot when it is looked at': {
    fault: (store) => ({
      async trace(call) {
        const trace = await store.trace(call);
        if (trace.status === 'lost' || trace.slot === null) return trace;
        return { ...trace, slot: { ...trace.slot, endsAtMs: (call.nowMs ?? 0) + 600_000 } };
      },
    }),
    complaint: /was extended/,
  },
  'ends a place by a sign of life': {
    fault: (store) => ({
      async touch(call) {
        const [userId] = call.userIds;
        if (userId !== undefined) await store.leave({ ...call, userId });
        return store.touch(call);
      },
    }),
    complaint: /(touch|tick) (ended|made)|was over/,
  },
  'clears those who have come since': {
    fault: (store) => ({
      async clear({ upTo, ...call }) {
        const answer = await store.clear(call);
        return 'cleared' in answer && upTo !== undefined ? { ...answer, upTo } : answer;
      },
    }),
    complaint: /was cleared, beyond|are said to be left/,
  },
  'counts positions from nought': {
    fault: (store) => ({
      async trace(call) {
        const trace = await store.trace(call);
        if (trace.status === 'lost' || trace.position === null) return trace;
        return { ...trace, position: trace.position - 1 };
      },
    }),
    complaint: /is at position 0, not 1/,
  },
};

describe('the laws notice a store that', () => {
  it.each(Object.entries(faults))('%s', async (_, { fault, complaint }) => {
    const failure = await failureOf(checkLaws({ subject: faulty(fault), ...once }));
    expect(failure.reason).toMatch(complaint);
  });
});

describe('two stores in lock-step', () => {
  it('that are the same answer alike', async () => {
    await compareStores({ model: sound, subject: sound, runs: 60 });
  });

  it('that differ only when several enter in one turn are told apart', async () => {
    const subject = faulty((store) => {
      let entering = 0;
      return {
        async enter(call) {
          entering += 1;
          const late = entering > 2;
          const answer = await store.enter(call);
          entering -= 1;
          return late && answer.status === 'waiting' ? { ...answer, position: answer.position + 1 } : answer;
        },
      };
    });
    const failure = await failureOf(compareStores({ model: sound, subject, ...once }));
    expect(failure.reason).toMatch(/the stores differ in rush\n/);
  });

  it('that differ in one answer are told apart, and the printed seed and path play just that again', async () => {
    const subject = faulty((store) => ({
      async forget(call) {
        const answer = await store.forget(call);
        return 'forgotten' in answer && answer.forgotten === 2 ? { forgotten: 1 } : answer;
      },
    }));
    const failure = await failureOf(compareStores({ model: sound, subject, ...once }));
    expect(failure.reason).toMatch(
      /the stores differ in forget\nexpected { forgotten: 2 }\nbut got {2}{ forgotten: 1 }/,
    );
    const seed = Number(failure.message.match(/seed: (-?\d+)/)?.[1]);
    const path = failure.message.match(/path: "([^"]+)"/)?.[1];
    assert(path !== undefined, 'the path is printed');
    const again = await failureOf(compareStores({ model: sound, subject, ...once, seed, path }));
    expect(counterexample(again.message)).toBe(counterexample(failure.message));
  });
});

async function failureOf(run: Promise<unknown>): Promise<{ message: string; reason: string }> {
  const failure = await run.then(
    () => null,
    (error: unknown) => error,
  );
  assert(failure instanceof Error, 'the run was to fail');
  return { message: failure.message, reason: String(failure.cause) };
}

function counterexample(message: string): string | undefined {
  return message.match(/Counterexample: (.*)/)?.[1];
}
