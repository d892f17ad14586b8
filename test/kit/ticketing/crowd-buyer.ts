import { randomUUID } from 'node:crypto';
import { unpackLooks } from '#modules/ticketing/domain/packed-looks.ts';
import type { Reservation } from '#modules/ticketing/schemas.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Answer, TicketCounter } from './counter.ts';
import type { Shopper } from './entry.ts';
import { insist } from './insist.ts';
import { anAttempt, pin, publishOutcome } from './payment-desk.ts';

/** What the crowd has in common: where it calls, and what it was told. */
export interface CrowdWorld {
  readonly counter: TicketCounter;
  readonly pickUrl: () => string;
  /** In layout order. */
  readonly seatIds: readonly string[];
  readonly random: SeededRandom;
  /** A connection that works, to publish what payments would. */
  readonly database: <T>(work: (database: Queryable) => Promise<T>) => Promise<T>;
  /** Every reservation that somebody was told of, with its buyer. */
  readonly granted: Map<string, string>;
  /** Those of them whose payment was captured, or that cost nothing and were confirmed. */
  readonly bought: Set<string>;
  /** How often each refusal came. */
  readonly refusals: Map<string, number>;
  /** What should not have been answered. */
  readonly complaints: string[];
}

const looksMax = 40;
const seatFree = 0;

/** Looks at the map and asks for a group of seats, until it has one or nothing is left; then pays, gives up, or just goes away. */
export async function buy(world: CrowdWorld, who: Shopper): Promise<void> {
  const { random } = world;
  const size = random.between(1, 4);
  for (let look = 0; look < looksMax; look++) {
    const free = await freeSeats(world, who);
    if (free.length === 0) return;
    const at = random.between(0, Math.max(0, free.length - size));
    const reservation = await reserve(world, who, free.slice(at, at + size));
    if (reservation?.status !== 'pending') continue;
    const mood = random.fraction();
    if (mood < 0.12) return;
    if (mood < 0.2) return giveUp(world, who, reservation);
    if (mood < 0.3) await askForTooMany(world, who, free);
    if (mood > 0.8) await reload(world, who, reservation);
    return pay(world, who, reservation);
  }
}

async function freeSeats(world: CrowdWorld, who: Shopper): Promise<string[]> {
  const { status, body, text } = await insist(() => world.counter.map(who), world.complaints);
  if (status !== 200) throw new Error(`the map: ${status} ${text}`);
  const looks = unpackLooks(Buffer.from(body.states, 'base64'), world.seatIds.length);
  return world.seatIds.filter((_, seatNo) => looks[seatNo] === seatFree);
}

/** Null: refused, and it said why. A third of the crowd clicks twice. */
async function reserve(world: CrowdWorld, who: Shopper, seatIds: readonly string[]): Promise<Reservation | null> {
  const key = randomUUID();
  const click = () => insist(() => world.counter.reserve(who, seatIds, key), world.complaints);
  const answers = await Promise.all(world.random.fraction() < 0.3 ? [click(), click()] : [click()]);
  const ids = new Set<string>();
  let last: Reservation | null = null;
  for (const answer of answers) {
    if (answer.status !== 201 && answer.status !== 200) {
      refuse(world, answer, ['SEAT_TAKEN']);
      continue;
    }
    last = answer.body;
    ids.add(last.id);
    world.granted.set(last.id, who.userId);
  }
  if (ids.size > 1) world.complaints.push(`two clicks made two reservations: ${[...ids].join(', ')}`);
  if (last === null || answers.every(({ status }) => status < 400)) return last;
  // One of two clicks met seats that were somebody's, the other one got them. The key tells the truth from now on.
  const again = await click();
  if (again.status !== 201 || again.body.id !== last.id) world.complaints.push(`${last.id} by its key: ${again.text}`);
  return last;
}

function refuse(world: CrowdWorld, { status, code, text }: Answer<unknown>, expected: readonly string[]): void {
  world.refusals.set(`${status} ${code}`, (world.refusals.get(`${status} ${code}`) ?? 0) + 1);
  if (status !== 409 || !expected.includes(code ?? '')) world.complaints.push(`${status}: ${text}`);
}

async function giveUp(world: CrowdWorld, who: Shopper, { id }: Reservation): Promise<void> {
  const answer = await insist(() => world.counter.cancel(who, id), world.complaints);
  if (answer.status !== 200) return refuse(world, answer, ['RESERVATION_EXPIRED']);
  if (answer.body.status !== 'released') world.complaints.push(`given up, and now ${answer.body.status}`);
}

/** With four in hand or fewer nobody gets four more. */
async function askForTooMany(world: CrowdWorld, who: Shopper, free: readonly string[]): Promise<void> {
  const more = free.slice(-4);
  if (more.length < 4) return;
  const answer = await insist(() => world.counter.reserve(who, more, randomUUID()), world.complaints);
  if (answer.status >= 400) return refuse(world, answer, ['PURCHASE_LIMIT', 'SEAT_TAKEN']);
  // Its own hold may have lapsed meanwhile; then this is simply the next one, and is abandoned.
  world.granted.set(answer.body.id, who.userId);
}

async function reload(world: CrowdWorld, who: Shopper, { id }: Reservation): Promise<void> {
  const { status, body } = await insist(() => world.counter.reservation(who, id), world.complaints);
  if (status !== 200 || body.id !== id) world.complaints.push(`reloaded ${id}: ${status} ${body?.status}`);
  await freeSeats(world, who);
}

async function pay(world: CrowdWorld, who: Shopper, reservation: Reservation): Promise<void> {
  if (reservation.totalKrw === 0) {
    const answer = await insist(() => world.counter.confirm(who, reservation.id), world.complaints);
    if (answer.status !== 200) return refuse(world, answer, ['RESERVATION_EXPIRED']);
    world.bought.add(reservation.id);
    return;
  }
  const attempt = anAttempt(reservation, who.userId);
  const { verdict } = await untilAnswered(() => pin(world.pickUrl(), attempt));
  if (verdict === 'expired') return;
  if (verdict !== 'pinned') return void world.complaints.push(`pin of ${reservation.id}: ${verdict}`);
  const isDeclined = world.random.fraction() < 0.08;
  const type = isDeclined ? 'PAYMENT_FAILED' : 'PAYMENT_CONFIRMED';
  if (!isDeclined) world.bought.add(reservation.id);
  // Told twice now and then, as a bus may.
  const times = world.random.fraction() < 0.2 ? 2 : 1;
  for (let n = 0; n < times; n++) {
    await untilAnswered(() => world.database((database) => publishOutcome(database, type, attempt)));
  }
}

/** What may be repeated is repeated until the process or the database is back. */
async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  const ask = async () => ({
    status: 200,
    code: null,
    retryAfter: undefined,
    isReplay: false,
    text: '',
    body: await call(),
  });
  return (await insist(ask)).body;
}
