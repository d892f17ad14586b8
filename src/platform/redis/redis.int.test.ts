import { createHash } from 'node:crypto';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { createRedis, type RedisCall } from './client.ts';
import type { LuaScript, Redis } from './port.ts';
import { tryLock, unlock } from './scripts/scripts.generated.ts';

/** Long enough that a busy machine is not taken for an absence, and half of it is still more than "at once". */
const commandTimeoutMs = 2_000;
const recoveryMs = 60_000;
/** The command's own limit, and what a busy machine may add. */
const refusalMs = 5 * commandTimeoutMs;

const countUp = scriptOf("return redis.call('INCRBY', KEYS[1], ARGV[1])");
const read = scriptOf("return redis.call('GET', KEYS[1])", true);

function scriptOf(source: string, readOnly = false): LuaScript {
  return { name: 'test', source, readOnly, sha: createHash('sha1').update(source).digest('hex') };
}

async function refusal(call: Promise<unknown>): Promise<{ code: string; ms: number }> {
  const startedAt = performance.now();
  const error = await call.then(
    () => new Error('was answered'),
    (reason: unknown) => reason,
  );
  return { code: isFault(error) ? error.code : String(error), ms: performance.now() - startedAt };
}

/**
 * There is nothing to wait for any more: refused, and not held until the limit of the call. A machine that stalls may take
 * its time for one of these calls; a client that waits takes it for each of them.
 */
async function refusedAtOnce(call: () => Promise<unknown>): Promise<void> {
  await eventually(
    async () => {
      const { code, ms } = await refusal(call());
      expect(code).toBe('STORE_UNAVAILABLE');
      return ms < commandTimeoutMs / 2;
    },
    { withinMs: recoveryMs, what: 'a refusal without waiting' },
  );
}

/** Passes everything through, but on demand breaks the connection in place of the next answer. */
async function startLossyProxy(port: number) {
  let losing = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [near, far].forEach((one) => void one.destroy()));
    }
    near.pipe(far);
    far.on('data', (answer) => {
      if (!losing) return void near.write(answer);
      losing = false;
      near.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseNextAnswer: () => {
      losing = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

describeWith('redis', 'Redis, standalone', () => {
  let engine: RedisEngine;
  let redis: Redis;
  const calls: RedisCall[] = [];
  const connect = (url: string) =>
    createRedis({ url, commandTimeoutMs, logger: silentLogger, observe: (call) => calls.push(call) });

  beforeAll(async () => {
    engine = await startRedis({ dir: await aFolder('redis-port') });
    redis = connect(engine.url);
  });
  afterEach(() => void calls.splice(0));
  afterAll(async () => {
    await redis?.close();
    await engine?.stop();
  });

  it('says nothing when it is closed, and once when it loses a server', async () => {
    const log = aLog();
    const client = createRedis({ url: engine.url, commandTimeoutMs, logger: log.logger });
    await eventually(() => client.ping(), { withinMs: recoveryMs, what: 'the client to be connected' });
    await redis.command('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'yes');
    await eventually(() => log.lines().length > 0, { withinMs: recoveryMs, what: 'the loss to be noticed' });
    await eventually(() => client.ping(), { withinMs: recoveryMs, what: 'the client to be connected again' });
    await client.close();
    expect(log.lines()).toEqual(['redis is away']);
  });

  it('runs a script, also after the server forgot it', async () => {
    expect(await redis.runScript(countUp, ['n'], [2])).toBe(2);
    await redis.command('SCRIPT', 'FLUSH');
    expect(await redis.runScript(countUp, ['n'], [3])).toBe(5);
    expect(await redis.runScript(countUp, ['n'], [1])).toBe(6);
  });

  it('lets a read-only script read and not write', async () => {
    await redis.command('SET', 'r', 'x');
    expect(await redis.runScript(read, ['r'], [])).toBe('x');
    const liar = scriptOf("return redis.call('INCR', KEYS[1])", true);
    await expect(redis.runScript(liar, ['liar'], [])).rejects.toThrow('Write commands are not allowed');
    expect(await redis.command('EXISTS', 'liar')).toBe(0);
  });

  it('a lock has one owner, who alone gives it back, and ends by itself', async () => {
    const longestMs = 60_000;
    const take = (owner: string, ttlMs = longestMs) => tryLock(redis, { lock: 'lock' }, { owner, ttlMs, longestMs });
    expect([await take('ann'), await take('bob')]).toEqual([true, false]);
    await unlock(redis, { lock: 'lock' }, { owner: 'bob' });
    expect(await take('bob')).toBe(false);
    await unlock(redis, { lock: 'lock' }, { owner: 'ann' });
    expect(await take('bob', 1)).toBe(true);
    await eventually(() => take('cat'), { withinMs: recoveryMs, what: 'the lock to end' });
    // As if it had been taken before the clock was set back.
    await redis.command('PEXPIRE', 'lock', 2 * longestMs);
    expect([await take('dan'), await take('eve')]).toEqual([true, false]);
  });

  it('a mistake of ours is not taken for an absence', async () => {
    const broken = scriptOf('return nothing.there');
    await expect(redis.runScript(broken, ['b'], [])).rejects.toThrow('nothing');
    expect(calls.map((call) => call.outcome)).toEqual(['refused']);
  });

  it('refuses keys that a cluster could not serve together', () => {
    expect(() => redis.runScript(countUp, ['a', 'b'], [1])).toThrow('different nodes');
  });

  it('refuses at once while the server is down, and works again by itself', async () => {
    await whileStopped(engine, async () => {
      const refused = await refusal(redis.ping());
      expect(refused.code).toBe('STORE_UNAVAILABLE');
      const second = await refusal(redis.runScript(countUp, ['n'], [1]));
      expect(second.code).toBe('STORE_UNAVAILABLE');
      expect(second.ms).toBeLessThan(refusalMs);
    });
    await eventually(() => redis.ping(), { withinMs: recoveryMs, what: 'redis to be back' });
  });

  it('says of a read replica that it takes no writes, long before the limit of a call', async () => {
    const patient = createRedis({ url: engine.url, commandTimeoutMs: 20_000, logger: silentLogger });
    await patient.command('SET', 'r', 'x');
    await patient.command('REPLICAOF', '127.0.0.1', '1');
    try {
      const refused = await patient.runScript(countUp, ['n'], [1]).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        cause: { message: expect.stringContaining('READONLY') },
      });
      expect(await patient.runScript(read, ['r'], [])).toBe('x');
    } finally {
      await ask(engine.port, 'REPLICAOF', 'NO', 'ONE');
      await patient.close();
    }
  });

  it('a call that was refused before the first connection does not run later', async () => {
    await redis.command('DEL', 'early');
    let early: Redis | undefined;
    await whileStopped(engine, async () => {
      early = connect(engine.url);
      const refusals = await Promise.all(
        [1, 2, 3].map(() => refusal(early?.command('INCR', 'early') ?? Promise.resolve())),
      );
      expect(refusals.map(({ code }) => code)).toEqual(Array(3).fill('STORE_UNAVAILABLE'));
      await refusedAtOnce(() => early?.command('INCR', 'early') ?? Promise.resolve());
    });
    await eventually(() => early?.ping(), { withinMs: recoveryMs, what: 'the first connection' });
    expect(await early?.command('EXISTS', 'early')).toBe(0);
    await early?.close();
  });

  it('survives a killed server: the script is sent again to one that never saw it', async () => {
    await redis.command('SET', 'kept', '41');
    await engine.kill();
    expect((await refusal(redis.ping())).code).toBe('STORE_UNAVAILABLE');
    await engine.restart();
    await eventually(async () => expect(await redis.runScript(countUp, ['kept'], [0])).toBe(41), {
      withinMs: recoveryMs,
      what: 'the script to run again',
    });
  });

  it('gives up on a server that hangs, within the limit, and recovers', async () => {
    await redis.ping();
    await whilePaused(engine, async () => {
      const refused = await refusal(redis.ping());
      expect(refused.code).toBe('STORE_UNAVAILABLE');
      expect(refused.ms).toBeLessThan(refusalMs);
    });
    await eventually(() => redis.ping(), { withinMs: recoveryMs, what: 'redis to answer again' });
  });

  it('drops a connection that hangs, so that later callers are refused without waiting', async () => {
    await whilePaused(engine, () => refusedAtOnce(() => redis.ping()));
    await eventually(() => redis.ping(), { withinMs: recoveryMs, what: 'redis to answer again' });
  });

  it('does not run a script twice when its answer was lost', async () => {
    await redis.command('SET', 'once', '0');
    const lossy = await startLossyProxy(engine.port);
    const behind = connect(lossy.url);
    try {
      await behind.ping();
      lossy.loseNextAnswer();
      expect((await refusal(behind.runScript(countUp, ['once'], [1]))).code).toBe('STORE_UNAVAILABLE');
      await eventually(() => behind.ping(), { withinMs: recoveryMs, what: 'the client to connect again' });
      expect(await redis.command('GET', 'once')).toBe('1');
    } finally {
      await behind.close();
      await lossy.close();
    }
  });

  it('a connection that was cut is made again before anybody is refused', async () => {
    await redis.command('SET', 'cut', '0');
    const cutting = connect(engine.url);
    await cutting.command('CLIENT', 'KILL', 'TYPE', 'normal');
    // Either it went down with the old connection, or there is a new one: in both cases the client knows by now.
    await refusal(redis.ping());
    await Promise.all(Array.from({ length: 20 }, () => redis.runScript(countUp, ['cut'], [1])));
    expect(await redis.command('GET', 'cut')).toBe('20');
    await cutting.close();
  });

  it('a client made while the server is away connects when it comes', async () => {
    await engine.stop();
    const early = connect(engine.url);
    try {
      const refused = await refusal(early.ping());
      expect(refused.code).toBe('STORE_UNAVAILABLE');
      expect(refused.ms).toBeLessThan(refusalMs);
      await engine.restart();
      await eventually(() => early.ping(), { withinMs: recoveryMs, what: 'the early client to connect' });
    } finally {
      await early.close();
    }
  });
});
