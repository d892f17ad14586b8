import { type TSchema, Type } from 'typebox';
import { expect, test } from 'vitest';
import { breakingChanges, type EventsSnapshot, type TopicSnapshot } from './compatibility.ts';

function snapshot(data: TSchema, version = 1, topic: Partial<TopicSnapshot> = {}): EventsSnapshot {
  const types = { SEAT_TAKEN: { version, data } };
  return JSON.parse(
    JSON.stringify({ topics: [{ name: 'seat-events', key: 'seatId', partitions: 3, types, ...topic }] }),
  ) as EventsSnapshot;
}

const seat = { seatId: Type.String({ maxLength: 36 }), grade: Type.Union([Type.Literal('VIP'), Type.Literal('R')]) };
const before = snapshot(Type.Object({ ...seat, note: Type.Optional(Type.String()) }));
const changed = (data: TSchema, version = 1) => breakingChanges(before, snapshot(data, version));

test('the same schemas break nothing', () => {
  expect(breakingChanges(before, before)).toEqual([]);
});

test('a further optional field, a further type and a further topic break nothing', () => {
  const after = snapshot(
    Type.Object({ ...seat, note: Type.Optional(Type.String()), row: Type.Optional(Type.Integer()) }),
  );
  const [topic] = after.topics;
  const types = { ...topic?.types, SEAT_FREED: { version: 1, data: {} } };
  const more = {
    topics: [
      { name: 'seat-events', key: 'seatId', partitions: 3, types },
      { name: 'other', key: 'id', partitions: 3, types: {} },
    ],
  };
  expect(breakingChanges(before, more)).toEqual([]);
});

test('a removed field breaks old consumers', () => {
  expect(changed(Type.Object(seat))).toEqual(['seat-events SEAT_TAKEN data.note: the field was removed']);
});

test('a newly required field breaks the reading of kept messages', () => {
  const problems = changed(Type.Object({ ...seat, note: Type.Optional(Type.String()), row: Type.Integer() }));
  expect(problems).toEqual(['seat-events SEAT_TAKEN data.row: is newly required, and kept messages may lack it']);
  expect(changed(Type.Object({ ...seat, note: Type.String() }))).toHaveLength(1);
});

test('a required field that becomes optional breaks old consumers', () => {
  const after = Type.Object({ ...seat, seatId: Type.Optional(seat.seatId), note: Type.Optional(Type.String()) });
  expect(changed(after)).toEqual(['seat-events SEAT_TAKEN data.seatId: was required and is optional']);
});

test('another type of a field breaks', () => {
  const problems = changed(Type.Object({ ...seat, seatId: Type.Integer(), note: Type.Optional(Type.String()) }));
  expect(problems).toEqual(['seat-events SEAT_TAKEN data.seatId: was string and is integer']);
});

test('a narrowed limit breaks and a widened one does not', () => {
  const withLength = (maxLength: number) =>
    changed(Type.Object({ ...seat, seatId: Type.String({ maxLength }), note: Type.Optional(Type.String()) }));
  expect(withLength(20)).toEqual(['seat-events SEAT_TAKEN data.seatId: maxLength was 36 and is 20']);
  expect(withLength(50)).toEqual([]);
  const newlyLimited = changed(Type.Object({ ...seat, note: Type.Optional(Type.String({ format: 'uuid' })) }));
  expect(newlyLimited).toEqual(['seat-events SEAT_TAKEN data.note: format was free and is uuid']);
});

test('a value that goes from a union breaks, and so does one that comes', () => {
  const grades = (...names: string[]) =>
    changed(
      Type.Object({
        ...seat,
        grade: Type.Union(names.map((name) => Type.Literal(name))),
        note: Type.Optional(Type.String()),
      }),
    );
  expect(grades('VIP', 'R')).toEqual([]);
  expect(grades('R', 'VIP')).toEqual([]);
  expect(grades('VIP')).toEqual([expect.stringContaining('"R" is no longer allowed')]);
  expect(grades('VIP', 'R', 'S')).toEqual([expect.stringContaining('"S" is new')]);
});

test('an enum is compared like a union of literals', () => {
  const asEnum = { type: 'string', enum: ['VIP', 'R'] } as unknown as TSchema;
  expect(changed(Type.Object({ ...seat, grade: asEnum, note: Type.Optional(Type.String()) }))).toEqual([]);
});

test('changes inside lists and objects are found', () => {
  const list = (inner: TSchema) => snapshot(Type.Object({ seats: Type.Array(Type.Object({ at: inner })) }));
  expect(breakingChanges(list(Type.String()), list(Type.Number()))).toEqual([
    'seat-events SEAT_TAKEN data.seats[].at: was string and is number',
  ]);
});

test('a removed type and a removed topic break', () => {
  expect(breakingChanges(before, snapshot(Type.Object({}), 1, { types: {} }))).toEqual([
    'seat-events SEAT_TAKEN: the type was removed',
  ]);
  expect(breakingChanges(before, { topics: [] })).toEqual(['seat-events: the topic was removed']);
});

test('another key and another number of partitions break the order', () => {
  const same = snapshot(Type.Object({}));
  expect(breakingChanges(same, snapshot(Type.Object({}), 1, { key: 'row' }))).toEqual([
    'seat-events: the key was seatId and is row',
  ]);
  expect(breakingChanges(same, snapshot(Type.Object({}), 1, { partitions: 6 }))).toEqual([
    'seat-events: had 3 partitions and has 6',
  ]);
});

test('a new version may change anything, and a version never goes back', () => {
  expect(changed(Type.Object({ entirely: Type.String() }), 2)).toEqual([]);
  expect(breakingChanges(snapshot(Type.Object({}), 2), snapshot(Type.Object({}), 1))).toEqual([
    'seat-events SEAT_TAKEN: the version went back from 2 to 1',
  ]);
});
