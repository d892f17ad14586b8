import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Database, Session } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { createShares } from './shares.ts';
import { createStaleHolders } from './stale-holders.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2 });
const opened: Session[] = [];
afterAll(async () => {
  await Promise.all(opened.map((session) => session.close().catch(() => undefined)));
  await database.close();
});

const staleAfterMs = 300;
const withinMs = 60_000;

/** A member whose every look is made by the test: one that makes none is as silent as a frozen process. */
async function aMember(
  name: string,
  { on = database, staleMs = staleAfterMs }: { on?: Database; staleMs?: number } = {},
) {
  const session = await on.session('member');
  opened.push(session);
  const ended: string[] = [];
  const said: string[] = [];
  const logger = Object.assign(Object.create(silentLogger) as typeof silentLogger, {
    warn: (...line: unknown[]) => said.push(String(line.at(-1))),
    error: (...line: unknown[]) => said.push(String(line.at(-1))),
  });
  const staleHolders = createStaleHolders({ logger, staleAfterMs: staleMs, ended: (claim) => ended.push(claim) });
  const shares = createShares({ logger: silentLogger, staleHolders });
  const share = shares.add({ name, partitions: () => 3, gained: () => {}, lost: async () => {} });
  const end = Promise.withResolvers<void>();
  session.onEnd(() => end.resolve());
  return { session, share, ended, said, over: end.promise, look: () => shares.balance(session) };
}

/** Looks for several times the limit. */
async function lookLong(member: { look(): Promise<void> }): Promise<void> {
  const until = performance.now() + staleAfterMs * 4;
  while (performance.now() < until) {
    await member.look();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a silent holder is ended once, and two peers share what it held', async () => {
  const name = `test:${randomUUID()}`;
  const silent = await aMember(name);
  await silent.look();
  // Longer than the longest gap between two looks that counts, so that a peer is not ended on a busy machine.
  const staleMs = 2_500;
  const peers = [await aMember(name, { staleMs }), await aMember(name, { staleMs })] as const;
  await eventually(
    async () => {
      await Promise.all(peers.map((peer) => peer.look()));
      return peers[0].share.held.size + peers[1].share.held.size === 3;
    },
    { withinMs, what: 'the peers to hold all three' },
  );
  await silent.over;
  expect(peers.flatMap((peer) => peer.ended).length).toBeGreaterThan(0);
  for (const peer of peers) expect(peer.ended.length).toBeLessThanOrEqual(1);
});

test('a holder whose statement runs is slow, not silent', async () => {
  const name = `test:${randomUUID()}`;
  const slow = await aMember(name);
  await slow.look();
  const peer = await aMember(name);
  const { rows } = await slow.session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const running = slow.session.query(`SELECT pg_sleep(600)`).catch((error: unknown) => error);
  await lookLong(peer);
  expect(peer.ended).toEqual([]);
  await database.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]);
  await running;
});

test('time in which the looking process was frozen itself is not the silence of the others', async () => {
  const name = `test:${randomUUID()}`;
  const other = await aMember(name);
  await other.look();
  const staleHolders = createStaleHolders({ logger: silentLogger, staleAfterMs: 3_000, ended: () => expect.fail() });
  const { session } = await aMember(name);
  const { rows } = await session.query<{ pid: number; startedAt: string; changedAt: string }>(
    `SELECT pid, backend_start::text AS "startedAt", state_change::text AS "changedAt" FROM pg_stat_activity
     WHERE application_name = 'urr member' AND pid <> pg_backend_pid() AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')`,
  );
  const members = rows.map((row) => ({ ...row, claim: name, waitsForClient: true }));
  expect(members.length).toBeGreaterThan(0);
  await staleHolders.look(session, members);
  const blockedUntil = performance.now() + 4_000;
  while (performance.now() < blockedUntil);
  await staleHolders.look(session, members);
  expect((await other.session.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
});

interface Seen {
  readonly pid: number;
  readonly startedAt: string;
  readonly changedAt: string;
}

/** Each has exactly one thing wrong, so that each comparison is needed. */
for (const [what, isBusy, wrong] of [
  ['a pid that belongs to another session by now', false, { startedAt: '2020-01-01' }],
  ['a process that woke up', false, { changedAt: '2020-01-01' }],
  ['a session whose statement runs', true, {}],
  ['a session of which all is right', false, null],
] as const) {
  test(`${what} is ${wrong === null ? 'ended, and named' : 'left alone'}`, async () => {
    const name = `test:${randomUUID()}`;
    const other = await aMember(name);
    await other.look();
    const { session } = await aMember(name);
    const { rows } = await other.session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    const running = isBusy ? other.session.query('SELECT pg_sleep(600)').catch(() => undefined) : Promise.resolve();
    const state = isBusy ? 'active' : 'idle';
    const seen = await eventually(
      async () =>
        (
          await session.query<Seen>(
            `SELECT pid, backend_start::text AS "startedAt", state_change::text AS "changedAt" FROM pg_stat_activity
             WHERE pid = $1 AND state = $2`,
            [pid, state],
          )
        ).rows[0] ?? false,
      { withinMs, what: `the session to be ${state}` },
    );
    const lines: unknown[] = [];
    const logger = Object.assign(Object.create(silentLogger) as typeof silentLogger, {
      error: (fields: unknown) => lines.push(fields),
    });
    const staleHolders = createStaleHolders({ logger, staleAfterMs: 0 });
    await staleHolders.look(session, [{ claim: name, waitsForClient: true, ...seen, ...wrong }]);
    if (wrong === null) {
      await other.over;
      const named = { backendPid: pid, application: 'urr member', address: expect.any(String), claims: [name] };
      expect(lines).toEqual([expect.objectContaining(named)]);
      return;
    }
    if (isBusy) await database.query('SELECT pg_cancel_backend($1)', [pid]);
    await running;
    expect((await other.session.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
    expect(lines).toEqual([]);
  });
}

for (const [grant, what] of [
  ['pg_read_all_stats', 'a peer that may not end a session says so once'],
  [null, 'a peer that cannot see the state of other sessions says so once'],
] as const) {
  test(`${what}, and goes on`, async () => {
    const name = `test:${randomUUID()}`;
    const role = `urr_test_${randomUUID().slice(0, 8)}`;
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
    if (grant !== null) await database.query(`GRANT ${grant} TO ${role}`);
    const limitedUrl = new URL(url);
    limitedUrl.username = role;
    limitedUrl.password = role;
    const limited = createDatabase({ url: limitedUrl.href, poolMax: 1 });
    const silent = await aMember(name);
    await silent.look();
    const peer = await aMember(name, { on: limited });
    await lookLong(peer);
    expect(peer.ended).toEqual([]);
    expect(peer.said).toEqual([
      expect.stringContaining(grant === null ? 'does not show the state' : 'grant pg_signal_backend'),
    ]);
    await peer.session.close();
    await limited.close();
    await database.query(`DROP ROLE ${role}`);
  });
}
