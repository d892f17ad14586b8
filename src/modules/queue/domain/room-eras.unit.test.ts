import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eraMax } from './place-order.ts';
import { type RoomEras, switchRoom } from './room-eras.ts';

const never: RoomEras = { era: 0, room: { on: false, era: 0, version: 0 } };

test('sequence and tier 1 never share an era, and whoever has the word is behind all that was before', () => {
  const step = fc.record({
    on: fc.boolean(),
    laterThan: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now = never;
      for (const { on, laterThan } of steps) {
        const then = switchRoom(now, { on, ...(laterThan !== undefined && { laterThan }) });
        if (then.status === 'no-era-left') throw new Error('there are hundreds');
        const { status, ...after } = then;
        expect(after.room.on).toBe(on);
        expect(after.era).not.toBe(after.room.on ? after.room.era : -1);
        const ofThatWord = on ? after.room.era : after.era;
        if (status === 'kept') expect(after).toEqual(now);
        else {
          expect(ofThatWord).toBeGreaterThan(Math.max(now.era, now.room.era));
          expect(after.room.version).toBe(now.room.version + 1);
        }
        if (on && laterThan !== undefined) expect(after.room.era).toBeGreaterThan(laterThan);
        now = after;
      }
    }),
  );
});

test('a switch that is said again changes nothing', () => {
  const on = { era: 0, room: { on: true, era: 1, version: 1 } };
  expect(switchRoom(never, { on: true })).toEqual({ status: 'switched', ...on });
  expect(switchRoom(on, { on: true })).toEqual({ status: 'kept', ...on });
  expect(switchRoom(on, { on: true, laterThan: 0 })).toEqual({ status: 'kept', ...on });
  expect(switchRoom(on, { on: true, laterThan: 1 })).toMatchObject({
    status: 'switched',
    room: { era: 2, version: 2 },
  });
  expect(switchRoom(never, { on: false })).toEqual({ status: 'kept', ...never });
});

test('from era 509 on no room is switched on, and one that is on is always switched off', () => {
  const of = (era: number, on: boolean, roomEra: number) => ({ era, room: { on, era: roomEra, version: 7 } });
  expect(switchRoom(of(508, false, 507), { on: true })).toMatchObject({ status: 'switched', room: { era: 509 } });
  expect(switchRoom(of(509, false, 507), { on: true })).toEqual({ status: 'no-era-left' });
  expect(switchRoom(of(510, false, 509), { on: true })).toEqual({ status: 'no-era-left' });
  expect(switchRoom(of(508, true, 509), { on: true, laterThan: 509 })).toEqual({ status: 'no-era-left' });
  expect(switchRoom(never, { on: true, laterThan: 511 })).toEqual({ status: 'no-era-left' });
  expect(switchRoom(of(508, true, 509), { on: false })).toMatchObject({ era: 510, room: { on: false } });
  for (const era of [510, 511]) {
    expect(switchRoom(of(era, true, 509), { on: false })).toMatchObject({ era: eraMax, room: { on: false } });
  }
});
