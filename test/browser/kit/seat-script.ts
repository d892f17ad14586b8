import type { BrowserContext, Route } from 'playwright-core';

/** What ticketing answers next; a test changes it as it goes. */
export interface SeatScript {
  /** As another buyer would: the seat is held now, and the next poll says so. */
  take(seatNo: number, state?: number): void;
  /** The next holds are answered with this problem, so often. */
  refuse(problem: { status: number; code: string; [member: string]: unknown }, times?: number): void;
  /** The next answers to holds are lost on the way, though the hold is granted. */
  loseAnswers(times: number): void;
  /** Ends the hold on the server's side after so long from now. */
  holdMs: number;
  readonly reserved: { readonly body: Record<string, unknown>; readonly key: string }[];
  mine: Record<string, unknown> | null;
  reservations: Record<string, unknown>[];
  tickets: Record<string, unknown>[];
  /** How much of a price a cancellation keeps. */
  percentKept: number;
  /** What was sent with cancellations. */
  readonly cancelled: object[];
}

interface Hall {
  readonly eventId: string;
  readonly layoutId: string;
  readonly seatIds: readonly string[];
  readonly grades: readonly { grade: string; priceKrw: number; left: number }[];
  readonly areas?: readonly { ticketTypeId: string; left: number }[];
  readonly priceOf: (seatId: string) => { grade: string; priceKrw: number };
}

/** Puts a scripted ticketing in front of the real one for this visitor: moments that are hard to meet are shown at will. */
export async function scriptSeats(context: BrowserContext, hall: Hall): Promise<SeatScript> {
  const states = new Array<number>(hall.seatIds.length).fill(0);
  const log: { version: number; seat: [number, number] }[] = [];
  let version = 1;
  let refusals: { problem: { status: number }; times: number } | null = null;
  let lost = 0;
  let made = 0;
  const byKey = new Map<string, Record<string, unknown>>();
  const set = (seatNo: number, state: number) => {
    version += 1;
    states[seatNo] = state;
    log.push({ version, seat: [seatNo, state] });
  };
  const script: SeatScript = {
    take: (seatNo, state = 1) => set(seatNo, state),
    refuse(problem, times = 1) {
      refusals = { problem, times };
    },
    loseAnswers(times) {
      lost = times;
    },
    holdMs: 300_000,
    reserved: [],
    mine: null,
    reservations: [],
    tickets: [],
    percentKept: 10,
    cancelled: [],
  };
  const grades = () => hall.grades;
  const areas = hall.areas ?? [];
  const packed = () => {
    const bytes = Buffer.alloc(Math.ceil(states.length / 4));
    for (const [seatNo, state] of states.entries()) {
      const byte = seatNo >> 2;
      bytes[byte] = (bytes[byte] ?? 0) | (state << ((seatNo % 4) * 2));
    }
    return bytes.toString('base64');
  };

  function grant(body: Record<string, unknown>): Record<string, unknown> {
    made += 1;
    const seatIds = Array.isArray(body.seatIds)
      ? (body.seatIds as string[])
      : typeof body.count === 'number'
        ? hall.seatIds.slice(0, body.count)
        : [];
    for (const seatId of seatIds) set(hall.seatIds.indexOf(seatId), 1);
    const seats = seatIds.map((seatId) => {
      const [section, row, label] = seatId.split('-');
      return { seatId, section, row, label, ...hall.priceOf(seatId) };
    });
    const items = Array.isArray(body.items)
      ? (body.items as { ticketTypeId: string; quantity: number }[]).map((item) => ({
          ...item,
          areaId: 'A',
          priceKrw: 77_000,
        }))
      : [];
    const faceKrw =
      seats.reduce((sum, { priceKrw }) => sum + priceKrw, 0) +
      items.reduce((sum, item) => sum + item.quantity * item.priceKrw, 0);
    const count = seats.length + items.reduce((sum, { quantity }) => sum + quantity, 0);
    const feeKrw = faceKrw === 0 ? 0 : count * 3_000;
    const now = Date.now();
    return {
      id: `01990000-0000-7000-8000-${String(made).padStart(12, '0')}`,
      reservationNumber: `K7M2-P4Q${made}`,
      eventId: hall.eventId,
      status: 'pending',
      paymentStatus: 'none',
      seats,
      items,
      feeKrw,
      totalKrw: faceKrw + feeKrw,
      expiresAt: new Date(now + script.holdMs).toISOString(),
      fence: made,
      createdAt: new Date(now).toISOString(),
    };
  }

  function hold(route: Route): Promise<void> {
    const body = route.request().postDataJSON() as Record<string, unknown>;
    const key = route.request().headers()['idempotency-key'] ?? '';
    script.reserved.push({ body, key });
    if (refusals !== null && refusals.times > 0) {
      refusals.times -= 1;
      const { problem } = refusals;
      return route.fulfill({ status: problem.status, contentType: 'application/problem+json', json: problem });
    }
    const reservation = byKey.get(key) ?? grant(body);
    byKey.set(key, reservation);
    script.mine = reservation;
    script.reservations = [reservation];
    if (lost > 0) {
      lost -= 1;
      return route.abort('connectionreset');
    }
    return route.fulfill({ status: 201, json: reservation });
  }

  /** Each ticket of 165,000 won with a fee of 3,000, of which the fee and so many percent of the price are kept. */
  function quoteOf(ticketIds: string) {
    const line = { priceKrw: 165_000, feeKrw: 3_000, feeKeptKrw: 3_000 };
    const cancellationFeeKrw = (line.priceKrw / 100) * script.percentKept;
    const refundKrw = line.priceKrw - cancellationFeeKrw;
    const lines = ticketIds.split(',').map((ticketId) => ({ ticketId, ...line, cancellationFeeKrw, refundKrw }));
    return {
      ...{ rule: script.percentKept === 10 ? 'seven_days' : 'three_days', lines, terms: [], bookingFeeUntil: null },
      refundKrw: lines.length * refundKrw,
      changesAt: new Date(Date.now() + 86_400_000).toISOString(),
    };
  }

  await context.route(/\/api\/(seats|reservations|tickets)\//, (route) => answer(route));
  await context.route('**/api/reservations', (route) => hold(route));

  function answer(route: Route): Promise<void> {
    const { pathname, searchParams } = new URL(route.request().url());
    if (pathname.endsWith('/stream')) {
      const since = searchParams.get('since');
      if (since === null) return route.fulfill({ status: 204 });
      const seats = log.filter((entry) => entry.version > Number(since)).map(({ seat }) => seat);
      return route.fulfill({ json: { version, resync: false, seats, grades: grades(), areas } });
    }
    if (pathname.startsWith('/api/seats/events/')) {
      const { layoutId } = hall;
      return route.fulfill({
        json: { layoutId, version, states: packed(), grades: grades(), areas, mine: script.mine },
      });
    }
    if (route.request().method() === 'POST' && pathname.startsWith('/api/seats/')) return hold(route);
    if (pathname.endsWith('/refund-quote'))
      return route.fulfill({ json: quoteOf(searchParams.get('ticketIds') ?? '') });
    if (pathname.endsWith('/cancel')) {
      const body = route.request().postDataJSON() as { refundKrw?: number };
      script.cancelled.push(body);
      const ticketIds = script.tickets.filter(({ state }) => state === 'issued').map(({ id }) => id);
      if (body.refundKrw !== undefined && body.refundKrw > quoteOf(ticketIds.join()).refundKrw) {
        const problem = { code: 'REFUND_CHANGED', status: 409 };
        return route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem });
      }
      const status = script.mine === null ? 'cancelled' : 'released';
      const [first] = script.reservations;
      script.mine = null;
      script.reservations = [{ ...first, status }];
      return route.fulfill({ json: { ...first, status } });
    }
    if (pathname === '/api/reservations/my') {
      return route.fulfill({ json: { items: script.reservations, nextCursor: null } });
    }
    if (pathname.startsWith('/api/reservations/')) {
      const id = pathname.split('/')[3];
      const known = [script.mine, ...script.reservations].find((reservation) => reservation?.id === id);
      if (known) return route.fulfill({ json: known });
    }
    if (pathname === '/api/tickets/my') return route.fulfill({ json: { items: script.tickets, nextCursor: null } });
    if (pathname.endsWith('/qr')) return route.fulfill({ json: { code: `urr1.${pathname.split('/')[3]}` } });
    return route.fulfill({
      status: 404,
      contentType: 'application/problem+json',
      json: { code: 'NOT_FOUND', status: 404 },
    });
  }
  return script;
}
