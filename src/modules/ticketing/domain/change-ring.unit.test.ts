import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChangeRing, mergeSeats, versionOf } from './change-ring.ts';
import type { SeatLookNumber } from './seat.ts';

const limits = { setsMax: 3, seatsMax: 100, seatsPerSetMax: 4 };
const seats = (...seatNos: number[]) => seatNos.map((seatNo) => [seatNo, 1] as const);

test('a reader gets everything after the version that it knows, and nothing else', () => {
  const ring = createChangeRing(limits, 10);
  ring.append({ upTo: 12, seats: seats(1) });
  ring.append({ upTo: 15, seats: seats(2) });
  const since = (upTo: number) =>
    ring.since(versionOf(upTo), 20)?.flatMap((set) => set.seats.map(([seatNo]) => seatNo)) ?? null;
  expect([9, 10, 11, 12, 14, 15, 20, 21].map(since)).toEqual([null, [1, 2], [1, 2], [2], [2], [], [], null]);
});

test('one that is too far behind, or for whom something is missing, has to read the map again', () => {
  const ring = createChangeRing(limits, 10);
  for (const upTo of [11, 12, 13, 14]) ring.append({ upTo, seats: seats(upTo) });
  expect(ring.since(versionOf(10), 14)).toBeNull();
  expect(ring.since(versionOf(11), 14)).toHaveLength(3);
  expect([ring.afterSerial(0), ring.afterSerial(1)?.length, ring.afterSerial(4)]).toEqual([null, 3, []]);
});

test('too many changes at once are no set: everybody reads the map, which is smaller', () => {
  const ring = createChangeRing(limits, 10);
  expect(ring.append({ upTo: 12, seats: seats(1, 2, 3, 4, 5) })).toBeNull();
  expect([ring.version, ring.since(versionOf(10), 12), ring.since(versionOf(12), 12), ring.afterSerial(0)]).toEqual([
    ...[versionOf(12), null, [], null],
  ]);
});

test('after the server has crashed, versions go on from where they were', () => {
  const ring = createChangeRing(limits, 100);
  ring.begin(90);
  const begun = versionOf(100, 1);
  expect([ring.version, ring.since(versionOf(100), 95)]).toEqual([begun, null]);
  ring.append({ upTo: 95, seats: seats(1) });
  expect([ring.version, ring.since(begun, 96)?.length]).toEqual([begun, 1]);
});

test('a map that begins again where it was is read by everybody, and its version claims no later transaction', () => {
  const [here, elsewhere] = [createChangeRing(limits, 100), createChangeRing(limits, 100)];
  here.append({ upTo: 100, seats: seats(1) });
  const before = here.version;
  here.begin(100);
  expect(here.since(before, 100)).toBeNull();
  // The transaction 100 ends, and what it wrote is told elsewhere to somebody who read the map here.
  elsewhere.append({ upTo: 101, seats: seats(2) });
  expect(elsewhere.since(here.version, 101)).toHaveLength(1);
});

test('anyone who applies what the ring says has what somebody has who heard everything', () => {
  const step = fc.record({
    by: fc.integer({ min: -1, max: 3 }),
    seats: fc.array(fc.tuple(fc.nat(5), fc.nat(3)), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), fc.nat(), (changes, from) => {
      const ring = createChangeRing({ setsMax: 4, seatsMax: 8, seatsPerSetMax: 2 }, 50);
      const all = new Map<number, number>();
      let upTo = 50;
      const known: { version: number; serial: number; looks: Map<number, number> }[] = [];
      const note = () => known.push({ version: ring.version, serial: ring.serial, looks: new Map(all) });
      note();
      for (const { by, seats: given } of changes) {
        const changed = given as [number, SeatLookNumber][];
        for (const [seatNo, look] of changed) all.set(seatNo, look);
        upTo += by;
        ring.append({ upTo, seats: changed });
        note();
      }
      const reader = known[from % known.length] ?? { version: 0, serial: 0, looks: new Map() };
      for (const sets of [ring.since(reader.version, upTo), ring.afterSerial(reader.serial)]) {
        if (sets === null) continue;
        expect(new Map([...reader.looks, ...mergeSeats(sets)])).toEqual(all);
      }
      // Somebody who has just read the map is never sent to read it again, unless one version had more sets than are kept.
      expect(ring.afterSerial(ring.serial)).toEqual([]);
    }),
  );
});
