import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SeatState } from '../domain/seat.ts';
import { createSeatPlan } from '../domain/seat-plan.ts';
import { createSnapshot } from '../domain/snapshot.ts';
import type { LedgerRow } from '../storage/ledger.ts';
import type { SeatMapRows } from '../storage/seat-map-rows.ts';
import { createLiveMap } from './live-map.ts';

const seatCount = 4;
const ticketTypeId = 'standing';
const four = [0, 1, 2, 3];
const plan = createSeatPlan({
  offer: 'an offer',
  layoutId: 'a layout',
  document: {
    grades: [{ grade: 'R', priceKrw: 1 }],
    sections: [
      { id: 'A', rows: [{ label: '1', labels: four.map(String), grades: four.map(() => 0), x: four, y: four }] },
    ],
    stage: { x: 0, y: 0 },
    ticketTypes: [{ ticketTypeId, areaId: 'Z', name: 'Z', nameEn: null, capacity: 100, priceKrw: 1 }],
  },
});

interface Seat {
  readonly state: SeatState;
  readonly fence: number;
  readonly step: number;
}

/** As much of PostgreSQL as matters here: rows, row locks, transaction ids, snapshots. */
function aServer() {
  const seats: Seat[] = four.map(() => ({ state: 0, fence: 0, step: 0 }));
  const ledger: LedgerRow[] = [];
  const open = new Map<number, { rows: LedgerRow[]; seats: Map<number, Seat>; places: number }>();
  const server = { seats, places: 100, open };
  let nextXid = 50;
  let nextId = 1;
  const xmin = () => Math.min(nextXid, ...open.keys());

  return {
    server,
    begin: () => void open.set(nextXid++, { rows: [], seats: new Map(), places: 0 }),
    /** Nothing happens where somebody else has the row locked. */
    write(xid: number, seatNo: number, state: SeatState, places: number) {
      const mine = open.get(xid);
      const isLocked = [...open].some(([other, { seats: locked }]) => other !== xid && locked.has(seatNo));
      const known = mine?.seats.get(seatNo) ?? seats[seatNo];
      if (mine === undefined || known === undefined || isLocked) return;
      const isGrant = state === 1;
      const next = { state, fence: known.fence + (isGrant ? 1 : 0), step: isGrant ? 0 : known.step + 1 };
      mine.seats.set(seatNo, next);
      mine.places += places;
      mine.rows.push({
        ...{ id: nextId++, xid, event_id: 'event', act: 'held', reservation_id: null, reservation: null },
        ...{ seat_nos: [seatNo], seat_fences: [next.fence], seat_steps: [next.step], seat_state: state },
        ...{ held_until_ms: state === 1 ? 1_000 : null, ticket_type_ids: [ticketTypeId], left_changes: [places] },
      });
    },
    end(xid: number, isCommitted: boolean) {
      const mine = open.get(xid);
      open.delete(xid);
      if (mine === undefined || !isCommitted) return;
      ledger.push(...mine.rows);
      for (const [seatNo, seat] of mine.seats) seats[seatNo] = seat;
      server.places += mine.places;
    },
    whole(): SeatMapRows {
      return {
        builtOffer: 'an offer',
        snapshot: createSnapshot(`${xmin()}:${nextXid}:${[...open.keys()].join(',')}`),
        nowMs: 0,
        seats: seats.map((seat, seatNo) => ({ seatNo, ...seat, heldUntilMs: seat.state === 1 ? 1_000 : null })),
        places: new Map([[ticketTypeId, server.places]]),
        reservations: [],
      };
    },
    read(from: number, early: boolean) {
      const rows = ledger.filter(({ xid }) => xid >= from && (early || xid < xmin()));
      return { rows: rows.sort((a, b) => a.xid - b.xid || a.id - b.id), xmin: xmin() };
    },
  };
}

const anyAct = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ act: 'begin' as const }) },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('write' as const),
      tx: fc.nat(5),
      seatNo: fc.nat(seatCount - 1),
      state: fc.constantFrom<SeatState[]>(0, 1, 2, 3),
      places: fc.integer({ min: -3, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('end' as const), tx: fc.nat(5), commit: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('read' as const), early: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ act: 'begin again' as const }) },
);

test('in whatever order transactions commit and are read, the map ends as the rows, and so does who follows its changes', () => {
  fc.assert(
    fc.property(fc.array(anyAct, { minLength: 20, maxLength: 80, size: 'max' }), fc.nat(20), (acts, loadAt) => {
      const { server, begin, write, end, whole, read } = aServer();
      let map: ReturnType<typeof createLiveMap> | null = null;
      let page = { version: 0, looks: [] as number[] };
      const load = () => {
        const time = { now: () => 0, heard: () => undefined };
        map = createLiveMap({ eventId: 'event', plan, rows: whole(), time, refresh: async () => undefined });
        page = { version: map.version(), looks: [...map.looks()] };
      };
      const follow = () => {
        if (map === null) return;
        const change = map.changesSince(page.version);
        const looks = change.resync ? [...map.looks()] : page.looks;
        for (const [seatNo, look] of change.seats) looks[seatNo] = look;
        expect(change.version).toBeGreaterThanOrEqual(page.version);
        page = { version: change.version, looks };
      };
      const feed = (early: boolean) => {
        if (map === null) return;
        const { rows, xmin } = read(map.readTo(), early);
        map.take(rows, xmin);
        follow();
      };
      for (const [n, act] of acts.entries()) {
        if (n === loadAt) load();
        const xids = [...server.open.keys()];
        if (act.act === 'begin' && xids.length < 5) begin();
        else if (act.act === 'write') write(xids[act.tx] ?? -1, act.seatNo, act.state, act.places);
        else if (act.act === 'end') end(xids[act.tx] ?? -1, act.commit);
        else if (act.act === 'read') feed(act.early);
        else if (act.act === 'begin again') {
          (map as ReturnType<typeof createLiveMap> | null)?.begin(plan, whole());
          follow();
        }
      }
      if (map === null) load();
      for (const xid of [...server.open.keys()]) end(xid, xid % 2 === 0);
      feed(false);
      const looks = server.seats.map(({ state }) => (state === 3 ? 2 : state === 0 ? 0 : 1));
      const done = map as unknown as ReturnType<typeof createLiveMap>;
      expect([...done.looks()]).toEqual(looks);
      expect(done.leftOf(ticketTypeId)).toBe(Math.max(0, server.places));
      expect(done.left().grades[0]?.left).toBe(looks.filter((look) => look === 0).length);
      expect(page.looks).toEqual(looks);
    }),
    { numRuns: 1_000 },
  );
});
