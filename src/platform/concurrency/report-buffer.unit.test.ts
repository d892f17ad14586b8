import { expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { createIdMarks, createReportBuffer, type ReportLimits } from './report-buffer.ts';

interface Item {
  readonly id: string;
  readonly text?: string;
}

const limits: ReportLimits = { batchMax: 3, batchesMax: 2, bufferMax: 10, quietMs: 1_000, keptMs: 60_000 };
/** Ends when it is told to. */
function aHeldCall() {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<'sent'>();
  const receive = () => {
    begun.resolve();
    return ended.promise;
  };
  return { receive, begun: begun.promise, end: () => ended.resolve('sent') };
}

const idOf = ({ id }: Item) => id;

/** A receiver that takes what it is sent, unless it is told otherwise. */
function setUp(given: Partial<ReportLimits> = {}) {
  const clock = aClock();
  const sent: string[] = [];
  const faults: string[] = [];
  const receiver = { receive: async (): Promise<'sent' | 'later'> => 'sent' };
  const buffer = createReportBuffer<Item>({
    limits: { ...limits, ...given },
    clock,
    createMarks: () => createIdMarks({ idOf, countMax: 100 }),
    async send(key, items) {
      const outcome = await receiver.receive();
      if (outcome === 'sent') sent.push(`${key}: ${items.map(({ id, text = '' }) => id + text).join(' ')}`);
      return outcome;
    },
    onFault: (key, fault) => faults.push(`${key}: ${String(fault)}`),
  });
  const note = (key: string, ...ids: string[]) => ids.forEach((id) => void buffer.note(key, { id }));
  return { clock, sent, faults, receiver, buffer, note };
}

const manyIds = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

test('an item is reported once in a generation and the next, however often it is noted', async () => {
  const { clock, sent, buffer, note } = setUp();
  for (let step = 0; step < 20; step++) {
    note('k', 'a', 'a');
    await buffer.flush();
    clock.advance(250);
  }
  expect(sent).toEqual(['k: a', 'k: a', 'k: a']);
});

test('what is noted goes out by batches, the oldest first; what is left waits for the next flush', async () => {
  const { sent, buffer, note } = setUp();
  note('k', ...manyIds(8));
  note('other', 'a');
  await buffer.flush();
  expect(sent).toEqual(['k: 0 1 2', 'k: 3 4 5', 'other: a']);
  await buffer.flush();
  expect(sent.slice(3)).toEqual(['k: 6 7']);
});

test.each([
  ['refuses for now', async () => 'later' as const, []],
  ['fails', async () => Promise.reject(new Error('away')), ['k: Error: away']],
])('while the receiver %s, items wait, each once', async (_name, receive, told) => {
  const { clock, sent, faults, receiver, buffer, note } = setUp();
  const { receive: receiveAll } = receiver;
  receiver.receive = receive;
  note('k', ...manyIds(5));
  await buffer.flush();
  expect(faults).toEqual(told);
  clock.advance(10_000);
  note('k', '0');
  receiver.receive = receiveAll;
  await buffer.flush();
  await buffer.flush();
  expect(sent).toEqual(['k: 0 1 2', 'k: 3 4']);
});

test('what could not be sent for too long is dropped, and its next note counts as the first', async () => {
  const { clock, sent, receiver, buffer, note } = setUp({ quietMs: 100_000 });
  const { receive } = receiver;
  receiver.receive = async () => 'later';
  note('k', 'a');
  clock.advance(30_000);
  note('k', 'b');
  clock.advance(30_001);
  await buffer.flush();
  receiver.receive = receive;
  await buffer.flush();
  expect(sent).toEqual(['k: b']);
  note('k', 'a', 'b');
  await buffer.flush();
  expect(sent).toEqual(['k: b', 'k: a']);
});

test('the buffer is bounded over all keys; what found it full is reported with its next note', async () => {
  const { sent, buffer, note } = setUp({ bufferMax: 3 });
  note('k', 'a', 'b');
  note('other', 'c', 'd');
  await buffer.flush();
  note('other', 'c', 'd');
  await buffer.flush();
  expect(sent).toEqual(['k: a b', 'other: c', 'other: d']);
});

test('it is flushed unless something has waited for longer than asked, be it under way', async () => {
  const { clock, receiver, buffer, note } = setUp();
  expect(buffer.isFlushed('k', 500)).toBe(true);
  note('k', 'a');
  clock.advance(500);
  expect(buffer.isFlushed('k', 500)).toBe(true);
  const held = aHeldCall();
  receiver.receive = held.receive;
  const flushed = buffer.flush();
  await held.begun;
  clock.advance(1);
  expect(buffer.isFlushed('k', 500)).toBe(false);
  held.end();
  await flushed;
  expect(buffer.isFlushed('k', 500)).toBe(true);
});

test('another receiver is told everything anew, also what was under way to the one before', async () => {
  const { sent, receiver, buffer, note } = setUp();
  buffer.note('k', { id: 'a', text: '1' });
  buffer.receiverIs('k', 1);
  const held = aHeldCall();
  receiver.receive = held.receive;
  const flushed = buffer.flush();
  await held.begun;
  buffer.receiverIs('k', 2);
  buffer.note('k', { id: 'a', text: '2' });
  held.end();
  await flushed;
  await buffer.flush();
  expect(sent).toEqual(['k: a1', 'k: a2']);
  buffer.receiverIs('k', 2);
  note('k', 'a');
  await buffer.flush();
  expect(sent).toHaveLength(2);
});

test('a flush that broke loses nothing and stops none after it', async () => {
  const { sent, faults, receiver, buffer, note } = setUp();
  const { receive } = receiver;
  receiver.receive = async () => Promise.reject(new Error('away'));
  faults.push = () => {
    throw new Error('no log');
  };
  note('k', 'a');
  await expect(buffer.flush()).rejects.toThrow('no log');
  receiver.receive = receive;
  note('k', 'b');
  await buffer.flush();
  expect(sent).toEqual(['k: a b']);
});

test('two flushes at a time send nothing twice', async () => {
  const { sent, buffer, note } = setUp();
  note('k', 'a', 'b');
  await Promise.all([buffer.flush(), buffer.flush()]);
  expect(sent).toEqual(['k: a b']);
});

test('marks by id forget what is beyond their number', () => {
  const marks = createIdMarks({ idOf, countMax: 1 });
  expect(marks.isEmpty).toBe(true);
  marks.add({ id: 'a' });
  marks.add({ id: 'b' });
  expect([marks.has({ id: 'a' }), marks.has({ id: 'b' }), marks.isEmpty]).toEqual([true, false, false]);
  marks.delete({ id: 'a' });
  expect(marks.isEmpty).toBe(true);
});
