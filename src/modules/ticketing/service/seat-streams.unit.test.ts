import { expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { aClock } from '#test/kit/clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { createSeatPlan } from '../domain/seat-plan.ts';
import { createSnapshot } from '../domain/snapshot.ts';
import { createLiveMap } from './live-map.ts';
import { createMapMetrics } from './map-metrics.ts';
import { createSeatStreams } from './seat-streams.ts';

const seatNos = Array.from({ length: 5_000 }, (_, seatNo) => seatNo);

function setUp() {
  const clock = aClock();
  const along = seatNos.map(() => 0);
  const rows = [{ label: '1', labels: seatNos.map(String), grades: along, x: seatNos, y: along }];
  const document = {
    ...{ grades: [{ grade: 'R', priceKrw: 1 }], sections: [{ id: 'A', rows }] },
    ...{ stage: { x: 0, y: 0 }, ticketTypes: [] },
  };
  const map = createLiveMap({
    eventId: 'event',
    plan: createSeatPlan({ offer: 'an offer', layoutId: 'a layout', document }),
    rows: {
      ...{ builtOffer: 'an offer', snapshot: createSnapshot('10:10:'), nowMs: 0 },
      ...{ seats: [], places: new Map(), reservations: [] },
    },
    time: { now: clock.now, heard: () => undefined },
    refresh: async () => undefined,
  });
  const streams = createSeatStreams({ clock, logger: silentLogger, metrics: createMapMetrics(createMetrics()) });
  streams.follow(map);
  let xid = 10;
  /** One reading in which these seats were sold. */
  const sell = (...sold: number[]) => {
    xid += 1;
    const fences = sold.map(() => xid);
    map.take(
      [
        {
          ...{ id: xid, xid: xid - 1, event_id: 'event', act: 'confirmed', reservation_id: null, reservation: null },
          ...{ seat_nos: sold, seat_fences: fences, seat_steps: fences, seat_state: 3, held_until_ms: null },
          ...{ ticket_type_ids: null, left_changes: null },
        },
      ],
      xid,
    );
  };
  /** `full`: its reader takes nothing until `drain`. */
  function aReader({ userId = `${Math.random()}`, since = null as number | null } = {}) {
    const reader = {
      texts: [] as string[],
      isFull: false,
      end: 'open',
      drain: () => {},
      leave: () => {},
    };
    const socket = {
      write: (text: string) => reader.texts.push(text) > 0 && !reader.isFull,
      onDrain: (listener: () => void) => {
        reader.drain = listener;
      },
      end: () => {
        reader.end = 'ended';
      },
      destroy: () => {
        reader.end = 'destroyed';
      },
    };
    reader.leave = streams.add({ map, userId, since, socket });
    return reader;
  }
  return { clock, map, streams, sell, aReader };
}

const eventsOf = (texts: readonly string[]) => texts.join('').match(/^event: .*$/gm);
const seatsOf = (text = '') => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}').seats as [number, number][];
const soon = (what: string, attempt: () => boolean) => eventually(attempt, { withinMs: 30_000, what });

test('5,000 streams are told a change by one and the same text, and others get a turn meanwhile', async () => {
  const { streams, sell, aReader } = setUp();
  const readers = seatNos.map(() => aReader());
  expect(streams.open).toBe(5_000);
  let turns = 0;
  const turn = setInterval(() => void turns++, 0);
  sell(3, 4);
  await soon('everybody to be told', () => readers.every(({ texts }) => texts.length === 2));
  clearInterval(turn);
  expect(new Set(readers.map(({ texts }) => texts[1])).size).toBe(1);
  expect(seatsOf(readers[0]?.texts[1])).toEqual([
    [3, 2],
    [4, 2],
  ]);
  expect(turns).toBeGreaterThan(0);
  for (const reader of readers) reader.leave();
  expect(streams.open).toBe(0);
});

test('a slow reader gets what it missed when it has caught up, or one RESYNC if that is too much', async () => {
  const { sell, aReader } = setUp();
  const [slow, slower] = [aReader(), aReader()];
  for (const reader of [slow, slower]) reader.isFull = true;
  sell(1);
  await soon('the first change', () => slow.texts.length === 2 && slower.texts.length === 2);
  sell(2);
  sell(3);
  slow.isFull = false;
  slow.drain();
  expect(slow.texts).toHaveLength(3);
  expect(slow.texts[2]?.match(/^id: /gm)).toHaveLength(2);
  sell(...seatNos.slice(100, 2_200));
  slower.isFull = false;
  slower.drain();
  expect(eventsOf(slower.texts)).toEqual(['event: SEATS', 'event: SEATS', 'event: RESYNC']);
});

test('who takes nothing for 10 s is dropped, who is quiet hears that we are there, and nobody stays longer than 10 min', async () => {
  const { clock, streams, sell, aReader } = setUp();
  const [stuck, quiet] = [aReader(), aReader()];
  stuck.isFull = true;
  sell(1);
  await soon('the change', () => stuck.texts.length === 2 && quiet.texts.length === 2);
  clock.advance(9_999);
  streams.tidy();
  expect(stuck.end).toBe('open');
  clock.advance(1);
  streams.tidy();
  expect([stuck.end, quiet.end, streams.open]).toEqual(['destroyed', 'open', 1]);
  clock.advance(5_000);
  streams.tidy();
  expect(quiet.texts.at(-1)).toBe(':\n\n');
  clock.advance(600_000);
  streams.tidy();
  expect([quiet.end, streams.open]).toEqual(['ended', 0]);
});

test('a seventh stream of one user ends the first', () => {
  const { aReader } = setUp();
  const readers = seatNos.slice(0, 7).map(() => aReader({ userId: 'ann' }));
  expect(readers.map(({ end }) => end)).toEqual(['ended', ...Array(6).fill('open')]);
});

test('a stream resumes with one message of all that was missed', () => {
  const { map, sell, aReader } = setUp();
  const since = map.version();
  sell(1);
  sell(2);
  expect(seatsOf(aReader({ since }).texts[0])).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(seatsOf(aReader({ since: map.version() }).texts[0])).toEqual([]);
  expect(eventsOf(aReader({ since: since - 1 }).texts)).toEqual(['event: RESYNC']);
});
