import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLiveLine } from './live-line.ts';
import { aStream } from './testing/a-stream.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-12-01T11:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

function aLine() {
  const news: string[] = [];
  const stream = aStream();
  const line = createLiveLine({
    stream: stream.open,
    now: () => Date.now(),
    random: () => 0,
    onRank: ({ position }) => void news.push(`rank ${position}`),
    onTurn: () => void news.push('turn'),
    onOver: () => void news.push('over'),
    onLive: () => void news.push('live'),
    onLost: (how) => void news.push(how),
  });
  return { line, stream, news };
}

/** Opens it and lets it say a first word. */
function aLiveLine() {
  const parts = aLine();
  parts.line.open();
  parts.stream.rank(9);
  return parts;
}

describe('a live line', () => {
  test('is live from the first word, not from the connection', () => {
    const { line, stream, news } = aLine();
    line.open();
    line.open();
    expect([stream.count(), line.isLive()]).toEqual([1, false]);
    stream.rank(9);
    stream.turn();
    expect(line.isLive()).toBe(true);
    expect(news).toEqual(['live', 'rank 9', 'turn']);
  });

  test('is hung up where the place may be over, and connects again only when it is opened', async () => {
    const { line, stream, news } = aLiveLine();
    stream.over();
    expect([line.isLive(), stream.closed()]).toEqual([false, 1]);
    await pass(600);
    expect([stream.count(), news]).toEqual([1, ['live', 'rank 9', 'over']]);
    line.open();
    expect(stream.count()).toBe(2);
  });

  test('leaves a broken connection to the browser, and is live again with its next word', async () => {
    const { line, stream, news } = aLiveLine();
    stream.drop();
    expect(line.isLive()).toBe(false);
    await pass(10);
    stream.rank(8);
    expect(line.isLive()).toBe(true);
    expect(stream.count()).toBe(1);
    expect(news).toEqual(['live', 'rank 9', 'dropped', 'live', 'rank 8']);
  });

  test('gives up one that says nothing, after a connection or in between, and tries another after a pause', async () => {
    const mute = aLine();
    mute.line.open();
    await pass(20);
    expect([mute.stream.closed(), mute.news]).toEqual([1, []]);
    await pass(5);
    expect(mute.stream.count()).toBe(2);

    const silent = aLiveLine();
    await pass(34);
    expect(silent.line.isLive()).toBe(true);
    await pass(1);
    expect(silent.news).toEqual(['live', 'rank 9', 'over']);
    await pass(5);
    expect(silent.stream.count()).toBe(2);
  });

  test('what keeps failing is tried ever more seldom, up to five minutes', async () => {
    const { line, stream } = aLine();
    line.open();
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      const before = stream.count();
      stream.refuse();
      await pass(seconds - 1);
      expect(stream.count()).toBe(before);
      await pass(1);
      expect(stream.count()).toBe(before + 1);
    }
  });

  test('one that lived for a minute is not held responsible for what failed before', async () => {
    const { line, stream } = aLine();
    line.open();
    stream.refuse();
    await pass(5);
    stream.refuse();
    await pass(10);
    for (const position of [9, 8, 7]) {
      stream.rank(position);
      await pass(30);
    }
    stream.refuse();
    await pass(5);
    expect(stream.count()).toBe(4);
  });

  test('is given a rest where streams are broken off again and again', async () => {
    const { stream, news } = aLiveLine();
    for (const position of [8, 7]) {
      stream.drop();
      await pass(2);
      stream.rank(position);
      await pass(2);
    }
    stream.drop();
    expect(news.at(-1)).toBe('over');
    expect(stream.closed()).toBe(1);
  });

  test('connects at once on waking, unless there was a word just now or it is connecting anyway', async () => {
    const live = aLiveLine();
    live.line.wake();
    expect(live.stream.count()).toBe(1);
    // The machine slept: its clock has gone on, its timers have not.
    vi.setSystemTime(Date.now() + 3_600_000);
    live.line.wake();
    expect([live.stream.count(), live.stream.closed()]).toEqual([2, 1]);
    live.line.wake();
    expect(live.stream.count()).toBe(2);
    live.stream.drop();
    live.line.wake();
    expect(live.stream.count()).toBe(3);
    live.stream.refuse();
    live.line.wake();
    expect(live.stream.count()).toBe(4);
  });

  test('connects anew when the network is another one, whatever it heard just now', () => {
    const { line, stream } = aLiveLine();
    line.reconnect();
    expect([stream.count(), stream.closed(), line.isLive()]).toEqual([2, 1, false]);
    line.close();
    line.reconnect();
    expect(stream.count()).toBe(2);
  });

  test('is silent once it is closed, and a former stream is not listened to', async () => {
    const { line, stream, news } = aLiveLine();
    line.close();
    stream.rank(1);
    stream.drop();
    stream.refuse();
    line.wake();
    await pass(3_600);
    expect(news).toEqual(['live', 'rank 9']);
    expect([stream.count(), stream.closed()]).toEqual([1, 1]);
  });
});
