import { expect, test } from 'vitest';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { startUrrProcess, type UrrProcess } from '#test/kit/processes.ts';
import { aShowOnSale, aSignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';

const operator = aSignedIn('operator');
const patience = { withinMs: 120_000 };

interface Taken {
  readonly position: number;
  readonly line: number;
  readonly requestId: string;
}

/** A room as its visitors and its operator meet it, in a process of one's choice. */
function aRoom(eventId: string, url: string) {
  const send = createSendRaw(url, { connectionsMax: 20 });
  const answer = async (call: Parameters<typeof send>[0]) => {
    const { status, text } = await send(call);
    if (status !== 200) throw new Error(`${call.path} was answered ${status}: ${text}`);
    return JSON.parse(text);
  };
  const headers = { authorization: `Bearer ${operator.accessToken}`, 'content-type': 'application/json' };
  return {
    /** Whoever gets no answer comes again, as the page does. */
    take: (count: number): Promise<Taken[]> =>
      Promise.all(
        Array.from({ length: count }, () =>
          eventually(() => answer({ method: 'POST', path: `/vwr/assign/${eventId}` }), {
            ...patience,
            what: 'a number',
          }),
        ),
      ),
    status: () => answer({ path: `/vwr/status/${eventId}` }),
    check: ({ requestId }: Taken) => answer({ path: `/vwr/check/${eventId}/${requestId}` }),
    act: (verb: string, body: object = {}) =>
      answer({
        method: verb === 'schedule' ? 'PUT' : 'POST',
        path: `/api/admin/vwr/${verb}/${eventId}`,
        headers,
        body: JSON.stringify(body),
      }),
  };
}

function expectUnique(taken: readonly Taken[]): void {
  const numbers = taken.map(({ position }) => position);
  expect(numbers.filter((number, n) => numbers.indexOf(number) !== n)).toEqual([]);
}

/** Everybody of the earlier ones is let on at the place that was told, and nobody before the line has come to theirs. */
async function expectOrder(room: ReturnType<typeof aRoom>, earlier: readonly Taken[], later: readonly Taken[]) {
  const lastBefore = Math.max(...earlier.map(({ line }) => line));
  const { servingLine } = await room.act('pause');
  if (lastBefore > servingLine) await room.act('advance', { batchSize: lastBefore - servingLine });
  for (const one of earlier) expect(await room.check(one)).toMatchObject({ admitted: true });
  for (const one of later) expect(await room.check(one)).toMatchObject({ admitted: one.line <= lastBefore });
  await room.act('advance', { batchSize: later.length });
  for (const one of later) expect(await room.check(one)).toMatchObject({ admitted: true });
}

async function untilKnown(room: ReturnType<typeof aRoom>): Promise<void> {
  await eventually(async () => (await room.status()).isActive === true, { ...patience, what: 'the room to be known' });
}

test('a lone process that is killed between two saves gives no number twice, and serves those of before at the places they were told', async () => {
  const env = { URR_DATABASE_URL: (await aDatabase()).url };
  const first = await startUrrProcess({ env });
  const eventId = await aShowOnSale(first.url);
  const before = aRoom(eventId, first.url);
  await before.act('activate');
  await before.act('schedule', { rate: 0, opensAt: null });
  const early: Taken[] = [];
  for (let n = 0; n < 10; n++) early.push(...(await before.take(20)));
  await first.kill();
  const second = await startUrrProcess({ env });
  const after = aRoom(eventId, second.url);
  await untilKnown(after);
  const late = await after.take(50);
  expectUnique([...early, ...late]);
  // The places of those whose numbers were never saved are shared by the later ones, who take nothing from them.
  await expectOrder(after, early, late);
});

describeWith('redis', 'two processes on one Redis', () => {
  test('one is killed, and everything is flushed: no number twice, the line never beyond its end', async () => {
    const redis = await startRedis({ dir: await aFolder('room-redis'), args: ['--appendonly', 'no'] });
    atEnd(() => redis.stop());
    const client = createRedis({ url: redis.url, commandTimeoutMs: 60_000, logger: silentLogger });
    atEnd(() => client.close());
    const env = { URR_DATABASE_URL: (await aDatabase()).url, URR_REDIS_URL: redis.url };
    const [one, two]: UrrProcess[] = [await startUrrProcess({ env }), await startUrrProcess({ env })];
    if (one === undefined || two === undefined) throw new Error('two processes were started');
    const eventId = await aShowOnSale(one.url);
    const [here, there] = [aRoom(eventId, one.url), aRoom(eventId, two.url)];
    await here.act('activate');
    await here.act('schedule', { rate: 0, opensAt: null });
    await untilKnown(there);
    const early = (await Promise.all([here.take(150), there.take(150)])).flat();
    expect(early.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(early.map((_, n) => n + 1));

    // While it is served by whichever has the lease, and slowly enough that somebody is left to serve on any machine.
    await here.act('schedule', { rate: 10 });
    await eventually(async () => (await there.status()).serving > 0, { ...patience, what: 'the line to be served' });
    await one.kill();
    const servedBefore = (await there.status()).servingLine;
    await eventually(async () => (await there.status()).servingLine > servedBefore + 20, {
      ...patience,
      what: 'the other process to serve the line',
    });
    await there.act('pause');
    await client.command('FLUSHALL');
    const late = await there.take(100);
    expectUnique([...early, ...late]);
    expect(late.map(({ line }) => line).toSorted((a, b) => a - b)).toEqual(late.map((_, n) => 301 + n));
    await expectOrder(there, early, late);
    const { servingLine, lastLine } = await there.act('advance', { batchSize: 1_000 });
    expect(servingLine).toBe(lastLine);
  });
});
