import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, type RedisEngine } from '#test/kit/engines/redis.ts';
import { type RedisClusterEngine, startRedisCluster } from '#test/kit/engines/redis-cluster.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { createRedis } from './client.ts';
import { keySlot } from './hash-tag.ts';
import type { LuaScript, Redis } from './port.ts';
import { createRedisServers } from './servers.ts';

const commandTimeoutMs = 2_000;
/** Where nobody may be refused: a busy machine may take its time, and the refusals that this is about come at once. */
const patientMs = 30_000;
/** A refusal comes with the limit of the call; the rest is what a busy machine may add. */
const refusalMs = 5 * commandTimeoutMs;
/** Longer than the few tries of the client library itself. */
const betweenNodesMs = 1_500;
const recoveryMs = 60_000;

const countBoth = scriptOf("redis.call('INCR', KEYS[2]); return redis.call('INCRBY', KEYS[1], ARGV[1])");

const readBoth = scriptOf("return { redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]) }", true);

function scriptOf(source: string, readOnly = false): LuaScript {
  return { name: 'test', source, readOnly, sha: createHash('sha1').update(source).digest('hex') };
}

/** Enough different tags that every node owns some of them. */
const tags = Array.from({ length: 30 }, (_, index) => `{tag${index}}`);

describeWith('redis', 'Redis Cluster', () => {
  let engine: RedisClusterEngine;
  let redis: Redis;
  let patient: Redis;

  const connect = (limitMs = commandTimeoutMs) => {
    const clusterNodes = engine.addresses.split(',');
    const client = createRedis({ clusterNodes, commandTimeoutMs: limitMs, logger: silentLogger });
    atEnd(() => client.close());
    return client;
  };
  const count = (tag: string, on = redis) => on.runScript(countBoth, [`${tag}:n`, `${tag}:m`], [1]);

  beforeAll(async () => {
    engine = await startRedisCluster({ dir: await aFolder('redis-cluster-port'), replicas: true });
    atEnd(() => engine.stop());
    redis = connect();
    patient = connect(patientMs);
  });
  beforeEach(async () => {
    await Promise.all(tags.map((tag) => redis.command('DEL', `${tag}:n`, `${tag}:m`)));
  });

  /** Whose slot it is now, as the cluster itself says. */
  async function ownerOf(tag: string): Promise<RedisEngine> {
    const ranges = (await redis.command('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const slot = keySlot(tag);
    const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
    const owner = [...engine.nodes, ...engine.replicas].find((node) => node.port === port);
    if (owner === undefined) throw new Error(`nobody owns the slot of ${tag}`);
    return owner;
  }

  async function outcome(call: Promise<unknown>): Promise<{ code: string; ms: number }> {
    const startedAt = performance.now();
    const code = await call.then(
      () => 'answered',
      (error: unknown) => (isFault(error) ? error.code : String(error)),
    );
    return { code, ms: performance.now() - startedAt };
  }

  /** Calls for every tag without a pause, until `stop`. Answers with what was refused, and how many were answered per tag. */
  function callAllTheTime() {
    const refused: string[] = [];
    const answered = new Map<string, number>(tags.map((tag) => [tag, 0]));
    let going = true;
    const callers = tags.map(async (tag) => {
      while (going) {
        const { code } = await outcome(count(tag, patient));
        if (code === 'answered') answered.set(tag, (answered.get(tag) ?? 0) + 1);
        else refused.push(code);
      }
    });
    return {
      async stop() {
        going = false;
        await Promise.all(callers);
        return { refused, answered };
      },
    };
  }

  it('says nothing when it is closed', async () => {
    const log = aLog();
    const client = createRedis({ clusterNodes: engine.addresses.split(','), commandTimeoutMs, logger: log.logger });
    await eventually(() => client.ping(), { withinMs: recoveryMs, what: 'the client to be connected' });
    const before = log.lines();
    await client.close();
    expect(log.lines()).toEqual(before);
  });

  it('each key is kept by one of as many servers as there are primaries', async () => {
    const servers = createRedisServers({ redis: patient, replicaFault: (identity) => new Error(identity) });
    const seen = await servers.look();
    expect(new Set(seen.all()).size).toBe(engine.nodes.length);
    for (const tag of tags) expect(seen.of(`${tag}:n`)).toBe(await servers.identityOf(tag));
    expect(tags.every((tag) => seen.has(seen.of(tag) ?? ''))).toBe(true);
    expect(new Set(tags.map(seen.of)).size).toBe(engine.nodes.length);
    expect(seen.has('another')).toBe(false);
  });

  it('two hundred calls at once straight after the start: none is refused', async () => {
    for (let round = 0; round < 3; round++) {
      const client = connect(patientMs);
      const calls = Array.from({ length: 200 }, (_, n) => outcome(count(tags[n % tags.length] ?? '', client)));
      const codes = (await Promise.all(calls)).map(({ code }) => code);
      expect(codes.filter((code) => code !== 'answered')).toEqual([]);
    }
  });

  it('runs scripts on whichever node owns the keys, also when one forgot them', async () => {
    for (const tag of tags) expect(await count(tag)).toBe(1);
    await ask(engine.nodes[0]?.port ?? 0, 'SCRIPT', 'FLUSH');
    for (const tag of tags) expect(await count(tag)).toBe(2);
  });

  it('connections that were cut on every node are made again before anybody is refused', async () => {
    for (const tag of tags) await count(tag, patient);
    await Promise.all(engine.nodes.map(({ port }) => ask(port, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')));
    // Either these went down with the old connections, or there are new ones: in both cases the client knows by now.
    await Promise.all(tags.map((tag) => outcome(count(tag, patient))));
    const outcomes = await Promise.all(tags.flatMap((tag) => [1, 2, 3].map(() => outcome(count(tag, patient)))));
    expect(outcomes.filter(({ code }) => code !== 'answered')).toEqual([]);
  });

  it('a question whose connection breaks is asked again: nobody is refused, whichever node it went to', async () => {
    for (const tag of tags) await count(tag, patient);
    const kill = ({ port }: RedisEngine) => ask(port, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const questions = () => [
      ...tags.map((tag) => outcome(patient.runScript(readBoth, [`${tag}:n`, `${tag}:m`], []))),
      ...tags.map((tag) => outcome(patient.command('GET', `${tag}:n`))),
      ...tags.map(() => outcome(patient.command('CLUSTER', 'SLOTS'))),
    ];
    const codes: string[] = [];
    for (let round = 0; round < 20; round++) {
      // Some are on their way when the connections are cut, some find them closed, and some find new ones that open.
      const cut = Promise.all(engine.nodes.map(kill));
      const asked = questions();
      await cut;
      asked.push(...questions());
      codes.push(...(await Promise.all(asked)).map(({ code }) => code));
    }
    expect(codes.filter((code) => code !== 'answered')).toEqual([]);
  });

  it('follows a slot that moves, key by key, and waits for one that is between two nodes', async () => {
    const tag = '{moving}';
    const slot = keySlot(tag);
    const from = await ownerOf(tag);
    const to = engine.nodes.find((node) => node !== from);
    if (to === undefined) throw new Error('there is only one node');
    const [fromId, toId] = await Promise.all(
      [from, to].map(async ({ port }) => String(await ask(port, 'CLUSTER', 'MYID'))),
    );
    await redis.command('SET', `${tag}:here`, '5');
    await ask(to.port, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId ?? '');
    await ask(from.port, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId ?? '');

    // ASK: what is not here any more is there.
    await redis.command('SET', `${tag}:there`, 'there');
    expect(await ask(from.port, 'CLUSTER', 'COUNTKEYSINSLOT', slot)).toBe(1);
    expect(await redis.command('GET', `${tag}:there`)).toBe('there');
    expect(await redis.command('GET', `${tag}:here`)).toBe('5');

    // TRYAGAIN: a script whose keys are on both sides waits, within its limit, until the slot is settled.
    const waiting = patient.runScript(countBoth, [`${tag}:here`, `${tag}:n`], [1]);
    await new Promise((done) => setTimeout(done, betweenNodesMs));
    await ask(from.port, 'MIGRATE', '127.0.0.1', to.port, `${tag}:here`, 0, 2_000);
    for (const { port } of [to, ...engine.nodes]) await ask(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId ?? '');
    expect(await waiting).toBe(6);

    // MOVED: once for all.
    expect(await count(tag)).toBe(2);
    expect(await ask(to.port, 'GET', `${tag}:n`)).toBe('2');
  });

  it('a planned fail-over refuses nobody and counts every call once', async () => {
    const [replica] = engine.replicas;
    const load = callAllTheTime();
    await eventually(() => ask(replica?.port ?? 0, 'CLUSTER', 'FAILOVER'), {
      withinMs: recoveryMs,
      what: 'a fail-over',
    });
    await eventually(async () => String(await ask(replica?.port ?? 0, 'ROLE')).startsWith('master'), {
      withinMs: recoveryMs,
      what: 'the replica to be primary',
    });
    const { refused, answered } = await load.stop();
    expect(refused).toEqual([]);
    for (const tag of tags) expect(await redis.command('GET', `${tag}:n`)).toBe(String(answered.get(tag)));
  });

  it('a killed node refuses its own slots within the limit, then at once; the others go on; it comes back by itself', async () => {
    const node = engine.nodes[1];
    if (node === undefined) throw new Error('the cluster has no second node');
    const owners = new Map(await Promise.all(tags.map(async (tag) => [tag, await ownerOf(tag)] as const)));
    const its = tags.filter((tag) => owners.get(tag) === node);
    const others = tags.filter((tag) => owners.get(tag) !== node);
    expect(Math.min(its.length, others.length)).toBeGreaterThan(3);
    await node.kill();
    const slowestRefusalMs = async () => {
      const [refused, answered] = await Promise.all(
        [its, others].map((some) => Promise.all(some.map((tag) => outcome(count(tag))))),
      );
      expect(new Set(refused?.map(({ code }) => code))).toEqual(new Set(['STORE_UNAVAILABLE']));
      expect(new Set(answered?.map(({ code }) => code))).toEqual(new Set(['answered']));
      return Math.max(...(refused?.map(({ ms }) => ms) ?? []));
    };
    expect(await slowestRefusalMs()).toBeLessThan(refusalMs);
    // A machine that stalls may take its time for a round; a client that waits takes it for each of them.
    await eventually(async () => (await slowestRefusalMs()) < commandTimeoutMs / 2, {
      withinMs: recoveryMs,
      what: 'refusals without waiting',
    });
    await node.restart();
    await eventually(() => Promise.all(tags.map((tag) => count(tag))), {
      withinMs: recoveryMs,
      what: 'every node to serve again',
    });
  });

  it('a node that hangs is given up within the limit, and serves when it wakes', async () => {
    const node = engine.nodes[2];
    if (node === undefined) throw new Error('the cluster has no third node');
    const its = (await Promise.all(tags.map(async (tag) => ((await ownerOf(tag)) === node ? [tag] : [])))).flat();
    expect(its.length).toBeGreaterThan(0);
    await node.pause();
    try {
      const refused = await Promise.all(its.map((tag) => outcome(count(tag))));
      for (const { code, ms } of refused) {
        expect(code).toBe('STORE_UNAVAILABLE');
        expect(ms).toBeLessThan(refusalMs);
      }
    } finally {
      await node.resume();
    }
    await eventually(() => Promise.all(its.map((tag) => count(tag))), { withinMs: recoveryMs, what: 'it to answer' });
  });
});
