import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Engine } from './engine.ts';
import { startKafka } from './kafka.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { startRedisCluster } from './redis-cluster.ts';
import { aFolder } from './scratch.ts';
import { prepareTemplate } from './template.ts';

/** What the desk hands out. Each is started when the first test asks for it and then shared by all. */
export interface SharedEngines {
  /** The server's own database, for making others; `template` has been migrated. */
  readonly postgres: { readonly url: string; readonly template: string };
  readonly redis: { readonly url: string };
  readonly 'redis-cluster': { readonly addresses: string };
  readonly kafka: { readonly brokers: string };
}

export interface EngineDesk {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Test files run in processes of their own. They ask this desk, which lives as long as the run, for the shared
 * engines: a run of unit tests starts none, a run of one file starts what that file uses.
 */
export async function openEngineDesk(): Promise<EngineDesk> {
  const running: Engine[] = [];
  const keep = <E extends Engine>(engine: E): E => {
    running.push(engine);
    return engine;
  };
  const starters: { [Name in keyof SharedEngines]: () => Promise<SharedEngines[Name]> } = {
    async postgres() {
      const { url } = keep(await startPostgres({ dir: await aFolder('postgres') }));
      return { url, template: await prepareTemplate(url) };
    },
    async redis() {
      const { url } = keep(await startRedis({ dir: await aFolder('redis') }));
      return { url };
    },
    async 'redis-cluster'() {
      const { addresses } = keep(await startRedisCluster({ dir: await aFolder('redis-cluster') }));
      return { addresses };
    },
    async kafka() {
      const { brokers } = keep(await startKafka({ dir: await aFolder('kafka') }));
      return { brokers };
    },
  };
  const started = new Map<string, Promise<unknown>>();
  const server = createServer(async (request, response) => {
    const name = request.url?.slice(1) ?? '';
    try {
      if (!isShared(name)) throw new Error(`there is no shared engine "${name}"`);
      const engine = started.get(name) ?? starters[name]();
      started.set(name, engine);
      response.end(JSON.stringify(await engine));
    } catch (error) {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : String(error));
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The desk must not keep a finished run alive.
  server.unref();

  const isShared = (name: string): name is keyof SharedEngines => Object.hasOwn(starters, name);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.allSettled(started.values());
      await Promise.all(running.map((engine) => engine.stop()));
    },
  };
}
