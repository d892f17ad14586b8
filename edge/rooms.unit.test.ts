import { describe, expect, it } from 'vitest';
import { indexRooms, noRooms, parseRooms, type RoomRule, roomsInForce } from './rooms.ts';

const id = '0195a000-0000-7000-8000-00000000000a';
const rule: RoomRule = { eventId: id, mode: 'site', era: 3, failMode: 'open' };
const closed: RoomRule = { ...rule, eventId: '0195a000-0000-7000-8000-00000000000b', failMode: 'closed' };
const whole: RoomRule = { ...closed, eventId: '*' };

describe('rooms in force', () => {
  const document = { asOfMs: 0, rooms: [rule, closed, whole] };
  const ids = (unconfirmedMs: number) => {
    const { byEvent, wholeSite } = roomsInForce({ document, unconfirmedMs });
    return [...byEvent.keys(), ...(wholeSite === null ? [] : ['*'])];
  };

  it('are those of the document, also while nobody confirms it', () => {
    expect(ids(0)).toEqual([id, closed.eventId, '*']);
    expect(ids(599_999)).toEqual([id, closed.eventId, '*']);
  });

  it('are the closed ones after ten minutes without a word', () => {
    expect(ids(600_000)).toEqual([closed.eventId, '*']);
    expect(ids(86_400_000)).toEqual([closed.eventId, '*']);
  });

  it('are none where there never was a document', () => {
    expect(roomsInForce(null)).toBe(noRooms);
    expect(noRooms.isEmpty).toBe(true);
  });
});

describe('a document of rooms', () => {
  it('is read as it was written', () => {
    const document = { asOfMs: 5, rooms: [rule, { ...closed, mode: 'gate', gate: { any: 1 } }] };
    expect(parseRooms(JSON.parse(JSON.stringify(document)))).toEqual(document);
  });

  it.each([
    null,
    [],
    'rooms',
    {},
    { asOfMs: 5 },
    { rooms: [] },
    { asOfMs: '5', rooms: [] },
    { asOfMs: 5, rooms: [null] },
    ...[
      { eventId: 'x' },
      { eventId: id.toUpperCase() },
      { eventId: 7 },
      { mode: 'door' },
      { failMode: 'ajar' },
      { era: 1.5 },
    ].map((wrong) => ({ asOfMs: 5, rooms: [rule, { ...rule, ...wrong }] })),
  ])('is none: %j', (value) => {
    expect(parseRooms(value)).toBeNull();
  });

  it('is none with more rooms than a process should hold', () => {
    const of = (count: number) => parseRooms({ asOfMs: 5, rooms: Array<RoomRule>(count).fill(rule) });
    expect(of(10_000)?.rooms).toHaveLength(10_000);
    expect(of(10_001)).toBeNull();
  });

  it('keeps rooms of foreign sites apart, which no path of this one names', () => {
    expect(indexRooms([{ ...rule, mode: 'gate' }]).isEmpty).toBe(true);
  });
});
