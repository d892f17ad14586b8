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
const planOf = (offer: string) =>
  createSeatPlan({
    offer,
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
  const server = { seats, places: 100, open, offer: 'offer 0' };
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
    /** Only the prices: the seats stay. */
    reprice(xid: number) {
      const isLocked = [...open].some(([other, { rows }]) => other !== xid && rows.some(isRepriced));
      if (isLocked) return;
      open.get(xid)?.rows.push({
        ...{ id: nextId++, xid, event_id: 'event', act: 'repriced', reservation_id: null, reservation: null },
        ...{ seat_nos: null, seat_fences: null, seat_steps: null, seat_state: null, held_until_ms: null },
        ...{ ticket_type_ids: null, left_changes: null },
      });
    },
    end(xid: number, isCommitted: boolean) {
      const mine = open.get(xid);
      open.delete(xid);
      if (mine === undefined || !isCommitted) return;
      ledger.push(...mine.rows);
      const repriced = mine.rows.findLast(isRepriced);
      if (repriced !== undefined) server.offer = `offer ${repriced.id}`;
      for (const [seatNo, seat] of mine.seats) seats[seatNo] = seat;
      server.places += mine.places;
    },
    whole(): SeatMapRows {
      return {
        builtOffer: server.offer,
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

const isRepriced = ({ act }: LedgerRow) => act === 'repriced';

const tx = fc.nat(5);
const which = fc.nat(1);
const anyAct = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ act: 'begin' as const }) },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ act: fc.constant('write' as const), tx, seatNo: fc.nat(seatCount - 1) },
      state: fc.constantFrom<SeatState[]>(0, 1, 2, 3),
      places: fc.integer({ min: -3, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('reprice' as const), tx }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('end' as const), tx, commit: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('read' as const), which, early: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('follow' as const), which }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('begin again' as const), which }) },
);

/** The map of one process, fed as the reader of the ledger feeds it. */
function aProcess({ server, whole, read }: ReturnType<typeof aServer>) {
  const time = { now: () => 0, heard: () => undefined };
  const map = createLiveMap({
    ...{ eventId: 'event', plan: planOf(server.offer), rows: whole(), time },
    refresh: async () => undefined,
  });
  const beginAgain = () => map.begin(planOf(server.offer), whole());
  return {
    map,
    beginAgain,
    feed(early: boolean) {
      if (map.mustBeginAgain) beginAgain();
      const { rows, xmin } = read(map.readTo(), early);
      map.take(rows, xmin);
      if (early && map.mustBeginAgain) beginAgain();
    },
  };
}

test('in whatever order transactions commit and are read, the maps of two processes end as the rows, and so does who follows now one and now the other', () => {
  const anyLoad = fc.tuple(fc.nat(20), fc.nat(60));
  fc.assert(
    fc.property(fc.array(anyAct, { minLength: 20, maxLength: 80, size: 'max' }), anyLoad, (acts, loadAt) => {
      const own = aServer();
      const { server } = own;
      const processes: (ReturnType<typeof aProcess> | undefined)[] = [undefined, undefined];
      let page: { version: number; looks: number[]; offer: string } | null = null;
      const load = (n: number) => {
        processes[n] ??= aProcess(own);
      };
      const follow = (n: number) => {
        const map = processes[n]?.map;
        if (map === undefined) return;
        const whole = () => ({ version: map.version(), looks: [...map.looks()], offer: map.plan.offer });
        page ??= whole();
        const change = map.changesSince(page.version);
        if (change.resync) {
          page = whole();
          return;
        }
        for (const [seatNo, look] of change.seats) page.looks[seatNo] = look;
        page.version = change.version;
      };
      for (const [n, act] of acts.entries()) {
        for (const each of [0, 1]) if (loadAt[each] === n) load(each);
        const xids = [...server.open.keys()];
        if (act.act === 'begin' && xids.length < 5) own.begin();
        else if (act.act === 'write') own.write(xids[act.tx] ?? -1, act.seatNo, act.state, act.places);
        else if (act.act === 'reprice') own.reprice(xids[act.tx] ?? -1);
        else if (act.act === 'end') own.end(xids[act.tx] ?? -1, act.commit);
        else if (act.act === 'read') processes[act.which]?.feed(act.early);
        else if (act.act === 'follow') follow(act.which);
        else if (act.act === 'begin again') processes[act.which]?.beginAgain();
      }
      for (const xid of [...server.open.keys()]) own.end(xid, xid % 2 === 0);
      const looks = server.seats.map(({ state }) => (state === 3 ? 2 : state === 0 ? 0 : 1));
      for (const each of [0, 1]) {
        load(each);
        // A second time: what was built anew is read with the next reading.
        for (let times = 0; times < 2; times++) processes[each]?.feed(false);
        const map = processes[each]?.map;
        expect([...(map?.looks() ?? [])]).toEqual(looks);
        expect(map?.leftOf(ticketTypeId)).toBe(Math.max(0, server.places));
        expect(map?.left().grades[0]?.left).toBe(looks.filter((look) => look === 0).length);
        expect(map?.plan.offer).toBe(server.offer);
      }
      follow(acts.length % 2);
      expect(page).toMatchObject({ looks, offer: server.offer });
    }),
    { numRuns: 5_000 },
  );
});
