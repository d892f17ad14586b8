import { describe, expect, test } from 'vitest';
import type { LedgerAct, ReservationRow, ReservationStep, SeatStep, TicketStep } from './ledger-model.ts';
import { createPlacesReplay } from './replay-places.ts';
import { replayReservation } from './replay-reservation.ts';
import { replaySeat } from './replay-seat.ts';
import { replayTicket } from './replay-ticket.ts';
import type { ReservationStatus } from './reservation.ts';
import { seatState } from './seat.ts';

const { available, held, paying, sold, blocked } = seatState;
const second = 1_000_000;
const [ann, ben] = ['ann', 'ben'];
let nextRow = 0;

describe('a seat', () => {
  const step = (act: LedgerAct, fence: number, no: number, more: Partial<SeatStep>): SeatStep => ({
    ...{ id: ++nextRow, act, fence, step: no, at: 100 * second, build: 1, state: available, heldUntil: null },
    reservationId: ann,
    ...more,
  });
  const hold = (fence: number, more: Partial<SeatStep> = {}) =>
    step('held', fence, 0, { state: held, heldUntil: 200 * second, ...more });
  const pinned = (fence: number, no: number) => step('pinned', fence, no, { state: paying });
  const problem = (...steps: SeatStep[]) => replaySeat({ seatNo: 7, steps, row: null }, { builds: 1, seatCount: 0 });

  test('may be held, paid for, sold, cancelled, held by nobody and returned', () => {
    const cancelled = step('cancelled', 1, 3, { state: held, heldUntil: 300 * second });
    const returned = step('returned', 1, 4, { at: 300 * second, reservationId: null });
    const confirmed = step('confirmed', 1, 2, { state: sold });
    expect(problem(hold(1), pinned(1, 1), confirmed, cancelled, returned, hold(2))).toBe(null);
  });

  test('is taken over at the moment its hold ends, and not before', () => {
    const takeOver = (at: number) => hold(2, { reservationId: ben, at, heldUntil: at + second });
    expect(problem(hold(1), takeOver(200 * second))).toBe(null);
    expect(problem(hold(1), takeOver(200 * second - 1))).toMatch(
      /needs a free seat .*held until .* by reservation ann/,
    );
  });

  test.each<[string, SeatStep[], RegExp]>([
    ['skips a fence', [hold(2)], /has fence 2 step 0 where fence 1 step 0 was due/],
    ['skips a step', [hold(1), pinned(1, 2)], /has fence 1 step 2 where fence 1 step 1 was due/],
    ['raises the fence without a grant', [hold(1), pinned(2, 0)], /where fence 1 step 1 was due/],
    ['is pinned for another', [hold(1), { ...pinned(1, 1), reservationId: ben }], /needs its own hold/],
    ['is pinned too late', [hold(1), { ...pinned(1, 1), at: 200 * second }], /needs its own hold that has not lapsed/],
    ['is sold while it is free', [step('confirmed', 0, 1, { state: sold })], /needs its own seat in payment/],
    ['is expired before its time', [hold(1), step('expired', 1, 1, {})], /needs its own hold that has lapsed/],
    [
      'is released after it was sold',
      [hold(1), step('confirmed', 1, 1, { state: sold }), step('released', 1, 2, {})],
      /needs its own seat, held/,
    ],
    ['is freed by somebody else', [hold(1), step('released', 1, 1, { reservationId: ben })], /needs its own seat/],
    ['is blocked while it is held', [hold(1), step('blocked', 1, 1, { state: blocked })], /needs a free seat/],
    ['is held while it is blocked', [step('blocked', 0, 1, { state: blocked }), hold(1)], /needs a free seat/],
    ['ends in a state that the act does not lead to', [hold(1, { state: sold })], /leaves the seat in state 3/],
    ['is held until a time that has passed', [hold(1, { heldUntil: 100 * second })], /which is not ahead/],
    ['moves by an act that moves none', [step('checked_in', 0, 1, {})], /this act moves none/],
    ['moves before it was built', [hold(1, { build: 0 })], /before any seat was built/],
  ])('that %s is found', (_, steps, words) => {
    expect(problem(...steps)).toMatch(words);
  });

  test('begins anew when the seats are built again, unless somebody has it', () => {
    const again = hold(1, { build: 2, at: 150 * second });
    expect(problem(hold(1), step('released', 1, 1, {}), again)).toBe(null);
    expect(problem(hold(1), again)).toMatch(/built again while seat 7 was held/);
  });
});

describe('a reservation', () => {
  const step = (act: LedgerAct, version: number, status: ReservationStatus, more: Partial<ReservationStep> = {}) => ({
    ...{ id: ++nextRow, act, version, status, at: 100 * second, heldUntil: null, userId: ann },
    ...{ seatNos: null, seatFences: null, seatState: null, ticketTypeIds: ['t'], leftChanges: [-2] },
    ...{ ticketIds: null, ticketState: null, cause: {} },
    ...(act !== 'held' && { ticketTypeIds: null, leftChanges: null }),
    ...more,
  });
  const hold = step('held', 1, 'pending', { heldUntil: 400 * second, cause: { lines: 'two' } });
  const row: ReservationRow = {
    status: 'pending',
    paymentStatus: 'none',
    ...{ version: 1, userId: ann, expiresAt: 400 * second, seatNos: [] },
    lines: { seats: [], items: [{ ticketTypeId: 't', areaId: 'F', quantity: 2, priceKrw: 0, feeKrw: 0 }] },
    ...{ linesFingerprint: 'two', fence: 0, feeKrw: 0, totalKrw: 0, ticketCount: 2 },
    ...{ ownSeats: 0, liveSeatTickets: 0, liveTicketTypes: [], ticketRefundsKrw: 0, cancellationRefundsKrw: 0 },
    ...{ attemptId: null, attempts: 0, orderId: null, paidKrw: 0, refundedKrw: 0, refundRequested: false },
  };
  const problem = (...steps: ReservationStep[]) => replayReservation({ reservationId: 'r', steps, row }, 100 * second);

  test('that stands as it was granted is fine', () => {
    expect(problem(hold)).toBe(null);
  });

  test.each<[string, ReservationStep[], RegExp]>([
    [
      'is confirmed after it was released',
      [hold, step('released', 2, 'released'), step('confirmed', 3, 'confirmed')],
      /from released to confirmed/,
    ],
    ['begins in the middle', [step('pinned', 1, 'paying')], /cannot be the first/],
    ['skips a version', [hold, step('pinned', 3, 'paying')], /version 3 where version 2 was due/],
    ['has a version twice', [hold, hold], /version 1 where version 2 was due/],
    ['expires before its time', [hold, step('expired', 2, 'expired')], /ends it before/],
    [
      'is held beyond ten minutes',
      [hold, step('extended', 2, 'pending', { heldUntil: 701 * second })],
      /is the latest/,
    ],
    [
      'moves a seat that it was not granted',
      [hold, step('released', 2, 'released', { seatNos: [1], seatFences: [1] })],
      /was not granted/,
    ],
    [
      'gives back more than it took',
      [hold, step('released', 2, 'released', { ticketTypeIds: ['t'], leftChanges: [3] })],
      /gives back more/,
    ],
    [
      'is confirmed by an attempt that has it not pinned',
      [
        hold,
        step('pinned', 2, 'paying', { cause: { attemptId: 'a' } }),
        step('confirmed', 3, 'confirmed', { cause: { attemptId: 'b', paidKrw: 0 } }),
      ],
      /is by attempt b, and attempt a has it pinned/,
    ],
    [
      'is confirmed for another sum',
      [
        hold,
        step('pinned', 2, 'paying', { cause: { attemptId: 'a' } }),
        step('confirmed', 3, 'confirmed', { cause: { attemptId: 'a', paidKrw: 1 } }),
      ],
      /is for 1 won where 0 were to be paid/,
    ],
    [
      'is confirmed although it was given up',
      [
        hold,
        step('pinned', 2, 'paying', { cause: { attemptId: 'a' } }),
        step('refund_requested', 3, 'paying'),
        step('confirmed', 4, 'confirmed', { cause: { attemptId: 'a', paidKrw: 0 } }),
      ],
      /confirms what its buyer had given up/,
    ],
    [
      'has a payment that cannot be',
      [
        hold,
        step('confirmed', 2, 'confirmed'),
        step('cancelled', 3, 'cancelled', { cause: { paymentStatus: 'refunded' } }),
      ],
      /leaves its payment refunded/,
    ],
    [
      'is of two users',
      [hold, step('released', 2, 'released', { userId: ben })],
      /names user ben; it was granted to user ann/,
    ],
    ['takes more later', [hold, step('extended', 2, 'pending', { ticketTypeIds: ['t'], leftChanges: [-1] })], /by -1/],
  ])('that %s is found', (_, steps, words) => {
    expect(problem(...steps)).toMatch(words);
  });
});

test('a ticket is not scanned after it is void, nor cancelled after it was scanned', () => {
  const step = (state: TicketStep['state'], act: LedgerAct): TicketStep => ({
    ...{ id: ++nextRow, act, at: 0, version: 1, state, reservationId: 'r', userId: ann, orderId: null },
    ...{ inFull: null, showsAt: null },
  });
  const row = {
    state: 'void',
    version: 1,
    reservationId: 'r',
    ...{ ownerId: ann, seatNo: 1, seatId: 'A-1-1', grade: 'R', ticketTypeId: null, areaId: null },
    ...{ priceKrw: 0, feeKrw: 0, orderId: null, termsId: 1, issuedAt: 0, showsAt: null, refundKrw: null },
    reservation: null,
    seat: null,
  } as const;
  const problem = (...steps: TicketStep[]) => replayTicket({ ticketId: 't', steps, row });
  const issued = step('issued', 'confirmed');
  const [scanned, voided] = [step('checked_in', 'checked_in'), step('void', 'cancelled')];
  expect(problem(issued, voided, scanned)).toMatch(/from void to checked_in/);
  expect(problem(issued, scanned, voided)).toMatch(/from checked_in to void/);
  expect(problem(issued, issued)).toMatch(/from issued to issued/);
  expect(problem(voided)).toMatch(/cannot be the first/);
});

test('a void ticket gives back what its terms say of the moment when it was cancelled', () => {
  const day = 86_400 * second;
  const line = { seatNo: 1, seatId: 'A-1-1', grade: 'R', priceKrw: 50_000, feeKrw: 3_000, fence: 1 };
  const step = { id: ++nextRow, at: 0, version: 1, reservationId: 'r', userId: ann, orderId: 'o', showsAt: null };
  const issued: TicketStep = { ...step, act: 'confirmed', state: 'issued', inFull: null };
  const problem = (refundKrw: number | null, voided: Partial<TicketStep>, boughtFor: number | null = 20 * day) =>
    replayTicket({
      ticketId: 't',
      steps: [issued, { ...step, act: 'cancelled', state: 'void', inFull: false, at: 15 * day, ...voided }],
      row: {
        ...{ ...line, state: 'void', version: 1, reservationId: 'r', ownerId: ann, ticketTypeId: null, areaId: null },
        ...{ orderId: 'o', termsId: 1, issuedAt: 0, showsAt: boughtFor, refundKrw, seat: null },
        reservation: { status: 'cancelled', lines: { seats: [line], items: [] }, isOfEvent: true },
      },
    });
  expect(problem(40_000, { showsAt: 20 * day })).toBe(null);
  expect(problem(40_001, { showsAt: 20 * day })).toMatch(/gives 40001 won back; by its terms it is 40000 \(three_days/);
  expect(problem(null, { showsAt: 20 * day })).toMatch(/gives null won back/);
  // Moved after it was bought, to either side.
  expect(problem(40_000, { showsAt: 16 * day })).toBe(null);
  expect(problem(50_000, { showsAt: 40 * day })).toBe(null);
  expect(problem(40_000, { showsAt: 20 * day }, null)).toBe(null);
  expect(problem(53_000, { showsAt: 20 * day, inFull: true })).toBe(null);
  // From before there were terms.
  expect(problem(null, { inFull: null })).toBe(null);
  expect(problem(53_000, { inFull: null })).toMatch(/of which the ledger knows nothing/);
});

test('places are never more than there are, at any step', () => {
  const replay = () => createPlacesReplay(new Map([['t', 3]]));
  const step = (change: number, ticketTypeId = 't') => ({ id: 1, ticketTypeId, change });
  const over = replay();
  expect([over.add(step(-2)), over.add(step(-1)), over.add(step(1))]).toEqual([null, null, null]);
  expect(over.taken()).toMatch(/ticket type t were held or sold/);
  expect(over.add(step(-2))).toMatch(/1 more sold and held than its 3 places/);
  expect(replay().add(step(1))).toMatch(/4 places left of 3/);
  expect(replay().add(step(-1, 'u'))).toMatch(/never built/);
});
