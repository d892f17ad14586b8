import { beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { startUrrProcess, type UrrProcess } from '#test/kit/processes.ts';
import { createQueueCaller, slotIn } from '#test/kit/queue/caller.ts';
import { afterRuns, delaysOf, type Seen, untilSeen } from '#test/kit/queue/seen.ts';
import { aShowOnSale, aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw, type RawAnswer } from '#test/kit/raw-http.ts';

/** Two whole processes and one that is the gateway alone, on one Redis and one PostgreSQL, with the times of the defaults. */
let a: UrrProcess;
let b: UrrProcess;
let front: UrrProcess;
let database: Database;
const operator = aSignedIn('operator');

const threshold = 3;
const repetitions = 8;
const snapshots = 'queue-snapshots';
const denied = 'queue-denied-entries';
const admission = 'queue-admission';
/** A process may find the turn taken by the other, whose step began before the change. */
const admissionRunsMax = 3;

async function startAll(): Promise<void> {
  const redis = await startRedis({ dir: await aFolder('two-redis'), args: ['--appendonly', 'no'] });
  atEnd(() => redis.stop());
  const { url } = await aDatabase();
  database = createDatabase({ url, poolMax: 1 });
  atEnd(() => database.close());
  const env = {
    URR_DATABASE_URL: url,
    URR_REDIS_URL: redis.url,
    URR_QUEUE_THRESHOLD: String(threshold),
    URR_RATE_POLL_PER_MINUTE: '1000000',
    URR_RATE_CHECK_PER_MINUTE: '1000000',
  };
  a = await startUrrProcess({ env });
  b = await startUrrProcess({ env });
  const elsewhere = { URR_AUTH_URL: a.url, URR_CATALOG_URL: a.url, URR_QUEUE_URL: a.url, URR_TICKETING_URL: a.url };
  front = await startUrrProcess({ args: ['--roles', 'gateway'], env: { ...env, ...elsewhere } });
}

/** An event and how to call it in a process of one's choice. */
async function anEvent() {
  const eventId = await aShowOnSale(a.url);
  await eventually(() => hasSeats(eventId), { withinMs: 60_000, what: 'the seats to be built' });
  const at = ({ url }: UrrProcess) => {
    const send = createSendRaw(url, { connectionsMax: 10 });
    const as = ({ accessToken }: SomebodySignedIn) => ({ authorization: `Bearer ${accessToken}` });
    const caller = createQueueCaller(eventId, () => url);
    return {
      ...caller,
      seats: (who: SomebodySignedIn, token: string) =>
        send({ path: `/api/seats/events/${eventId}`, headers: { ...as(who), 'x-queue-entry-token': token } }),
      overview: async () => json(await send({ path: `/api/queue/admin/${eventId}`, headers: as(operator) })),
      trace: async (who: SomebodySignedIn) =>
        json(await send({ path: `/api/queue/admin/${eventId}/users/${who.userId}`, headers: as(operator) })),
      act: async (verb: string, body?: object) =>
        json(await send(operatorCall({ method: 'POST', path: `/api/queue/admin/${eventId}/${verb}`, body }))),
      setThreshold: async (value: number) =>
        json(
          await send(
            operatorCall({
              method: 'PUT',
              path: `/api/queue/admin/threshold/${eventId}`,
              body: { threshold: value },
            }),
          ),
        ),
      /** In a slot, with its token. */
      async shopper(): Promise<Shopper> {
        const who = aSignedIn();
        const { answer, text } = await caller.check(who);
        if (answer?.status !== 'active') throw new Error(text);
        return { ...who, token: answer.entryToken ?? '' };
      },
      async waiter(): Promise<Waiter> {
        const who = aSignedIn();
        const { answer, text } = await caller.check(who);
        if (answer?.status !== 'waiting') throw new Error(text);
        return { ...who, ticket: answer.ticket ?? '' };
      },
    };
  };
  return { eventId, at };
}

async function hasSeats(eventId: string): Promise<boolean> {
  const built = 'SELECT FROM ticketing.events WHERE event_id = $1 AND built_offer = offer';
  return (await database.query(built, [eventId])).rowCount === 1;
}

interface Shopper extends SomebodySignedIn {
  readonly token: string;
}
interface Waiter extends SomebodySignedIn {
  readonly ticket: string;
}

function operatorCall({ body, ...call }: { method: string; path: string; body: object | undefined }) {
  const authorization = `Bearer ${operator.accessToken}`;
  if (body === undefined) return { ...call, headers: { authorization } };
  return { ...call, headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function json({ status, text }: RawAnswer): Record<string, unknown> {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text);
}

/** A process that is too busy to answer says so, and is asked again. */
function seesSeats(look: () => Promise<RawAnswer>): Promise<unknown> {
  const sees = async () => {
    const { status } = await look();
    expect([200, 503]).toContain(status);
    return status === 200;
  };
  return eventually(sees, { withinMs: 60_000, what: 'the seats' });
}

/** Not after two runs or three: the first that began after it. */
function expectAtTheFirst(seen: readonly Seen[]): void {
  expect(seen.filter(({ runsWithout }) => runsWithout > 0)).toEqual([]);
}

describeWith('redis', 'two processes of one queue, and a gateway beside them', () => {
  beforeAll(startAll);

  test('the token of a slot that was given up in one process is refused by the next look of every other', async () => {
    const { at } = await anEvent();
    const [atA, atB, atFront] = [at(a), at(b), at(front)];
    const inB: Seen[] = [];
    const inFront: Seen[] = [];
    for (let n = 0; n < repetitions; n++) {
      const ann = await atA.shopper();
      const seats = (where: typeof atA) => where.seats(ann, ann.token);
      for (const where of [atA, atB, atFront]) await seesSeats(() => seats(where));
      const left = atA.leave(ann);
      const change = () => left;
      const refused = (where: typeof atA) => async () => (await seats(where)).status === 403;
      const [seenInB, seenInFront] = await Promise.all([
        untilSeen({ url: b.url, job: snapshots, change, look: refused(atB) }),
        untilSeen({ url: front.url, job: denied, change, look: refused(atFront) }),
        left.then(async () => expect((await seats(atA)).status).toBe(403)),
      ]);
      inB.push(seenInB);
      inFront.push(seenInFront);
    }
    console.log(`a token refused by another process: ${delaysOf(inB)}`);
    console.log(`by a gateway of its own: ${delaysOf(inFront)}`);
    expectAtTheFirst([...inB, ...inFront]);
  });

  test('a raised threshold lets people in at once, known to whichever process; a lowered one drains', async () => {
    const { at } = await anEvent();
    const [atA, atB] = [at(a), at(b)];
    const shoppers = [await atA.shopper(), await atB.shopper(), await atA.shopper()];
    const line: Waiter[] = [];
    for (let n = 0; n < repetitions + 3; n++) line.push(await atB.waiter());
    const seen: Seen[] = [];
    for (let n = 1; n <= repetitions; n++) {
      const next = line.shift();
      if (next === undefined) throw new Error('nobody waits');
      let token: string | undefined;
      seen.push(
        await untilSeen({
          url: b.url,
          job: admission,
          change: () => atA.setThreshold(threshold + n),
          async look() {
            const { answer } = await atB.status(next, next.ticket);
            token = answer?.entryToken;
            return answer?.status === 'active';
          },
        }),
      );
      shoppers.push({ ...next, token: token ?? '' });
    }
    console.log(`somebody admitted after the threshold was raised in another process: ${delaysOf(seen)}`);
    expect(seen.filter(({ runsWithout }) => runsWithout > admissionRunsMax)).toEqual([]);

    await atA.setThreshold(2);
    await afterRuns([a.url, b.url], admission, admissionRunsMax);
    expect(await atB.overview()).toMatchObject({ active: threshold + repetitions, waiting: 3, threshold: 2 });
    for (const one of shoppers) {
      for (const where of [atA, atB]) await seesSeats(() => where.seats(one, one.token));
    }
    for (const one of shoppers.splice(2)) expect((await atB.leave(one)).answer).toMatchObject({ left: 'slot' });
    await afterRuns([a.url, b.url], admission, admissionRunsMax);
    expect(await atA.overview()).toMatchObject({ active: 2, waiting: 3 });
    const [last] = shoppers;
    const [next] = line;
    if (last === undefined || next === undefined) throw new Error('nobody is left');
    await atA.leave(last);
    await afterRuns([a.url, b.url], admission, admissionRunsMax);
    expect(await atB.overview()).toMatchObject({ active: 2, waiting: 2 });
    expect((await atB.status(next, next.ticket)).answer?.status).toBe('active');
  });

  test('pause, resume, message and close in one process are seen by polls at the other', async () => {
    const { at } = await anEvent();
    const [atA, atB] = [at(a), at(b)];
    const [ann] = [await atA.shopper(), await atA.shopper(), await atA.shopper()];
    const [ben, cy] = [await atB.waiter(), await atB.waiter()];
    if (ann === undefined) throw new Error('nobody is in a slot');
    const seen: Seen[] = [];
    const seenByPolls = async (change: () => Promise<unknown>, facts: object) => {
      const look = async () => {
        const { answer } = await atB.status(cy, cy.ticket);
        return Object.entries(facts).every(([name, value]) => answer?.[name as 'paused'] === value);
      };
      seen.push(await untilSeen({ url: b.url, job: snapshots, change, look }));
    };
    await seenByPolls(() => atA.act('pause'), { paused: true, estimatedWait: null });
    await atB.leave(ann);
    await afterRuns([a.url, b.url], admission, admissionRunsMax);
    expect((await atB.status(ben, ben.ticket)).answer).toMatchObject({ status: 'waiting', position: 1, paused: true });
    await seenByPolls(() => atA.act('resume'), { paused: false });
    await afterRuns([a.url, b.url], admission, admissionRunsMax);
    expect((await atB.status(ben, ben.ticket)).answer?.status).toBe('active');

    for (const message of ['곧 다시 시작합니다', '잠시만요', null]) {
      await seenByPolls(() => atA.act('message', { message }), { message });
    }
    await atA.act('close');
    expect((await atB.check(aSignedIn())).answer).toMatchObject({ status: 'closed' });
    expect((await atB.status(cy, cy.ticket)).answer).toMatchObject({ status: 'waiting', position: 1 });
    await atB.leave(ben);
    await afterRuns([a.url, b.url], admission, admissionRunsMax);
    expect((await atB.check(cy, cy.ticket)).answer?.status).toBe('active');
    console.log(`an operator's word in polls of another process: ${delaysOf(seen)}`);
    expectAtTheFirst(seen);
  });

  test.each([{ where: 'the other process' }, { where: 'a gateway of its own' }])(
    'a slot that was pushed by one process is claimed by a call through $where, and given up there',
    async ({ where }) => {
      const { eventId, at } = await anEvent();
      const door = at(where === 'the other process' ? b : front);
      const atA = at(a);
      const [shopper] = [await atA.shopper(), await atA.shopper(), await atA.shopper()];
      const ann = await atA.waiter();
      if (shopper === undefined) throw new Error('nobody is in a slot');
      const pushed = tokenPushedBy(a.url, eventId, ann);
      await at(b).leave(shopper);
      const token = await pushed;
      expect(await atA.trace(ann)).toMatchObject({ place: 'active', claimed: false });
      for (const place of [door, atA]) await seesSeats(() => place.seats(ann, token));
      await eventually(async () => (await atA.trace(ann)).claimed === true, {
        withinMs: 60_000,
        what: 'the slot to be claimed by the call',
      });
      // One slot, no matter who is asked for its token.
      for (const place of [atA, at(b), door]) {
        const { answer } = await place.check(ann, ann.ticket);
        expect(slotIn(answer?.entryToken ?? '').slotId).toBe(slotIn(token).slotId);
      }
      expect((await door.leave(ann)).answer).toMatchObject({ left: 'slot' });
      for (const place of [atA, at(b), at(front)]) {
        await eventually(async () => (await place.seats(ann, token)).status === 403, {
          withinMs: 60_000,
          what: 'the token to be refused',
        });
      }
      expect(await at(b).trace(ann)).toMatchObject({ place: 'none' });
    },
  );
});

/** A push is no claim, unlike every question about the slot. */
async function tokenPushedBy(url: string, eventId: string, who: Waiter): Promise<string> {
  const answer = await fetch(`${url}/api/queue/stream/${eventId}`, {
    headers: { 'x-queue-ticket': who.ticket },
    signal: AbortSignal.timeout(60_000),
  });
  if (!answer.ok || answer.body === null) throw new Error(`${answer.status}: ${await answer.text()}`);
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [, data] = /event: ENTRY_TOKEN\n(?:id: .*\n)?data: (.*)\n\n/.exec(text) ?? [];
    if (data !== undefined) return (JSON.parse(data) as { entryToken: string }).entryToken;
  }
  throw new Error(`the stream ended without a token: ${text}`);
}
