import { expect, test } from 'vitest';
import { parseDraw } from '#edge/draw/parse.ts';
import { aClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { aWaitingRoom, type TestRoom } from '../testing/a-waiting-room.ts';

const minuteMs = 60_000;

/** A room whose line begins in a minute, with a draw until then. */
async function aDraw(of: TestRoom): Promise<string> {
  const eventId = of.anEvent({ saleOpensAt: new Date(of.clock.now() + minuteMs).toISOString() });
  const answer = await of.act('activate', eventId, { draw: { beacon: 'drand' } });
  expect(answer.statusCode, answer.body).toBe(200);
  return eventId;
}

async function published(of: TestRoom, eventId: string) {
  of.clock.advance(2_000);
  const draw = parseDraw((await of.call('GET', `/vwr/draw/${eventId}`)).json());
  if ('wrong' in draw) throw new Error(draw.wrong);
  return draw.value;
}

async function settle(of: TestRoom, ms = 0): Promise<void> {
  of.clock.advance(ms);
  await of.runJob('refresh');
  await of.runJob('draw');
  await of.runJob('refresh');
}

test('a process with a slow clock leaves the freeze to others: its round would be known already', async () => {
  const { url } = await aDatabase();
  const right = await aWaitingRoom({ databaseUrl: url });
  const eventId = await aDraw(right);
  const slow = await aWaitingRoom({ databaseUrl: url, clock: aClock(), beacon: right.beacon });
  await right.assign(eventId);
  right.clock.advance(minuteMs + 45_000);
  slow.clock.advance(minuteMs);
  await settle(slow);
  expect((await published(slow, eventId)).frozen).toBe(null);
  await settle(right);
  const { frozen } = await published(right, eventId);
  expect(await right.beacon.signatureOf(frozen?.round ?? 0)).toBe(null);
  expect(frozen?.atMs).toBeGreaterThan(slow.clock.now());
});

test('a room that is switched off between the freeze and the reveal has its draw listed as void when the time for it is over', async () => {
  const room = await aWaitingRoom();
  const eventId = await aDraw(room);
  const [one, two] = [await room.assign(eventId), await room.assign(eventId)];
  await settle(room, minuteMs);
  await room.act('deactivate', eventId);
  const pos = async ({ requestId }: { requestId: string }) => {
    const { token } = (await room.check(eventId, requestId)).json();
    return room.vwrTokens.verify(token);
  };
  expect(await pos(one)).toMatchObject({ claims: { pos: 1 } });
  // While everybody goes on by arrival, no number is drawn that could be that of somebody else.
  await settle(room, 40_000);
  expect((await published(room, eventId)).revealed).toBe(null);
  expect(await pos(two)).toMatchObject({ claims: { pos: 2 } });
  await settle(room, 6 * minuteMs);
  const { revealed, voids } = await published(room, eventId);
  expect(revealed).toBe(null);
  expect(voids).toMatchObject([{ entries: 2, reason: 'unrevealed' }]);
});
