import { expect, test } from 'vitest';
import { createInternalClient, inProcessTransport } from '#platform/http/internal-client.ts';
import { queueInternalCalls } from './contract.ts';
import { aQueue, type Person } from './testing/a-queue.ts';

const queue = await aQueue({ threshold: 1, exactPositions: 10 });
const { anEvent, person, check, status, call, clock, runJob, store, roomsOn, roomsFailOpen, vwrTokens, bus } = queue;
const client = createInternalClient(queueInternalCalls, inProcessTransport(queue.instance.internal));
const entries = queue.instance.consumers.find(({ declaration }) => declaration.group === 'queue-entry');

const number = (event: string, pos: number, era: number) => {
  const claims = { sub: event, uid: 'visitor', pos, era, tier: 1, jti: `${era}.${pos}` } as const;
  return { cookie: `urr-vwr-token-${event}=${vwrTokens.sign(claims).token}` };
};
const enterWith = (event: string, as: Person, headers: Record<string, string> = {}) =>
  call('POST', `/api/queue/check/${event}`, { as, headers });
const turn = (eventId: string, on: boolean) => client.switchRoom({ eventId, on });

async function orderOf(eventId: string, { userId }: Person): Promise<number> {
  const trace = await store.trace({ eventId, userId });
  if (trace.status === 'lost' || trace.order === null) throw new Error('there is no place');
  return trace.order;
}

test('on and off ten times during a sale of 5,000: the order is that in which people were first seen', async () => {
  const event = anEvent();
  await check(event, person());
  const watching = [person(), person(), person()];
  const first: string[] = [];
  for (const one of watching) first.push((await check(event, one)).ticket ?? '');
  // As they were first seen: with a number of tier 1, or with a place while the room was off.
  const seen: Person[] = [...watching];
  let line: { who: Person; headers: Record<string, string> }[] = [];
  let era = 0;
  let given = 0;
  let draw = 7;
  const random = () => {
    draw = (draw * 48_271) % 2_147_483_647;
    return draw / 2_147_483_647;
  };

  /** Somebody comes to the event: past the gateway as its process knows the rooms, else to the room for a number. */
  async function comes(who: Person, isOn: boolean): Promise<boolean> {
    const answer = await enterWith(event, who);
    if (answer.statusCode === 200) {
      seen.push(who);
      return true;
    }
    expect(answer.json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED', redirectTo: `/vwr/${event}` });
    if (!isOn) return false;
    given += 1;
    seen.push(who);
    line.push({ who, headers: number(event, given, era) });
    return true;
  }
  async function isServed(count: number): Promise<void> {
    const [served, rest] = [line.slice(0, count), line.slice(count)];
    line = rest;
    // Those who are served come in any order.
    for (const { who, headers } of served.sort(() => random() - 0.5)) {
      expect((await enterWith(event, who, headers)).json()).toMatchObject({ status: 'waiting' });
    }
  }

  for (let n = 0; n < 20; n++) {
    const isOn = n % 2 === 0;
    const answer = await turn(event, isOn);
    if (isOn) [era, given] = [answer.era, 0];
    const again: Person[] = [];
    for (let come = 0; come < 250; come++) {
      // This process learns of the switch a while later.
      if (come === 20) {
        if (isOn) roomsOn.add(event);
        else roomsOn.delete(event);
        for (const who of again.splice(0)) await comes(who, isOn);
      }
      const who = person();
      if (!(await comes(who, isOn))) again.push(who);
      // Off: all who have a number are let through, now and then one, while others come in.
      if (come % 10 === 9) await isServed(isOn ? 4 : 12);
    }
    for (const one of watching) expect(await status(event, one)).toMatchObject({ status: 'waiting' });
    expect(await turn(event, isOn)).toEqual(answer);
  }
  await isServed(line.length);

  expect(seen).toHaveLength(5_003);
  const orders = new Map<Person, number>();
  for (const who of seen) orders.set(who, await orderOf(event, who));
  const inOrder = [...seen].sort((one, other) => (orders.get(one) ?? 0) - (orders.get(other) ?? 0));
  expect(inOrder.map(({ userId }) => userId)).toEqual(seen.map(({ userId }) => userId));
  for (const [n, one] of watching.entries()) {
    expect(await status(event, one)).toMatchObject({ position: n + 1, ticket: first[n] });
  }
});

test('an entry that was buffered before the room was switched on keeps its right', async () => {
  const event = anEvent();
  await check(event, person());
  const [ann, ben] = [person(), person()];
  expect((await call('POST', `/api/queue/enter/${event}`, { as: ann })).statusCode).toBe(202);
  await turn(event, true);
  expect((await enterWith(event, ben)).json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED' });
  await bus.deliver(entries);
  expect(await status(event, ann)).toMatchObject({ status: 'waiting', position: 1 });
});

test('a room that fails open lets people in, though the store knows it to be on', async () => {
  const event = anEvent();
  await turn(event, true);
  expect((await enterWith(event, person())).statusCode).toBe(403);
  roomsFailOpen.add(event);
  expect((await enterWith(event, person())).json()).toMatchObject({ status: 'active' });
});

test('while the store is away the room is switched, and the store follows', async () => {
  const event = anEvent();
  const ann = person();
  await check(event, ann);
  queue.outage.on = true;
  const { era } = await turn(event, true);
  queue.outage.on = false;
  expect(era).toBe(1);
  clock.advance(1_000);
  await runJob('queue-admission');
  expect((await enterWith(event, person())).json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED' });
  queue.outage.on = true;
  expect(await turn(event, false)).toEqual({ era: 2 });
  queue.outage.on = false;
  clock.advance(1_000);
  await runJob('queue-admission');
  expect(await check(event, person())).toMatchObject({ status: 'waiting' });
});

test('a store that lost everything still knows that the room is on', async () => {
  const event = anEvent();
  await check(event, person());
  await turn(event, true);
  store.wipe(event);
  expect((await enterWith(event, person())).json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED' });
  expect(await turn(event, false)).toEqual({ era: 3 });
});

test('tier 1 may begin anew, and each time behind all that was before', async () => {
  const event = anEvent();
  expect(await turn(event, false)).toEqual({ era: 0 });
  expect(await turn(event, true)).toEqual({ era: 1 });
  const anew = () => client.switchRoom({ eventId: event, on: true, laterThan: 1 });
  expect([await anew(), await anew()]).toEqual([{ era: 2 }, { era: 2 }]);
  expect(await turn(event, false)).toEqual({ era: 3 });
});

test('from era 509 on a room cannot be switched on, and always off; an unknown event has none', async () => {
  const event = anEvent();
  await turn(event, true);
  await queue.database.query('UPDATE queue.events SET era = 509 WHERE event_id = $1', [event]);
  const anew = client.switchRoom({ eventId: event, on: true, laterThan: 1 });
  await expect(anew).rejects.toMatchObject({ code: 'ROOM_ERAS_USED_UP', definition: { status: 409 } });
  expect(await turn(event, false)).toEqual({ era: 510 });
  await expect(turn(event, true)).rejects.toMatchObject({ code: 'ROOM_ERAS_USED_UP' });
  expect(await turn(event, false)).toEqual({ era: 510 });
  await expect(turn(person().userId, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('how busy a queue is: who waits, what is free, how fast it goes, who came by number', async () => {
  const [event, idle] = [anEvent(), anEvent({ soldOut: true, queueThreshold: 7 })];
  const { era } = await turn(event, true);
  await enterWith(event, person(), number(event, 1, era));
  await enterWith(event, person(), number(event, 2, era));
  clock.advance(2_000);
  await runJob('queue-snapshots');
  const { events } = await client.demand({ eventIds: [event, idle, person().userId, event] });
  expect(events).toEqual([
    {
      ...{ eventId: event, waiting: 1, freeSlots: 0, threshold: 1, slotSeconds: 600, measuredRate: 1 / 60 },
      ...{ soldOut: false, entered: 2, epoch: 1 },
    },
    {
      ...{ eventId: idle, waiting: 0, freeSlots: 7, threshold: 7, slotSeconds: 600, measuredRate: 0 },
      ...{ soldOut: true, entered: 0, epoch: 1 },
    },
  ]);
  queue.outage.on = true;
  await runJob('queue-snapshots');
  expect(await client.demand({ eventIds: [event] })).toEqual({ events: [] });
  queue.outage.on = false;
});
