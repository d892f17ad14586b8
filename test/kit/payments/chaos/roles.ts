import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '#test/kit/engines/ports.ts';
import { eventually } from '#test/kit/faults.ts';
import { spawnUrr } from '#test/kit/processes.ts';
import { type RoleName, roleNames } from './plan.ts';

/** Every role in a process of its own, at an address that outlives it. */
export interface Roles {
  /** Of the one door. */
  readonly url: string;
  start(name: RoleName): Promise<void>;
  kill(name: RoleName): Promise<void>;
  stop(name: RoleName): Promise<void>;
  freeze(name: RoleName): void;
  thaw(name: RoleName): void;
  /** All run and say that they are whole. */
  untilReady(): Promise<void>;
  /** Processes that ended although nobody asked for it. */
  readonly deaths: readonly string[];
  logOf(name: RoleName): string;
}

const serves: Readonly<Record<RoleName, string>> = {
  gateway: 'gateway',
  queue: 'queue',
  ticketing: 'ticketing',
  payments: 'payments',
  'payments-2': 'payments',
  catalog: 'auth,catalog',
};
const logMax = 20_000;
/** Only bounds a hang: six programs start at once, on a machine that may do other things. */
const readyMaxMs = 600_000;
const bornAgainMs = 500;

export async function createRoles(env: Readonly<Record<string, string>>): Promise<Roles> {
  const ports = await freePorts(roleNames.length);
  const portOf = (name: RoleName) => ports[roleNames.indexOf(name)] ?? 0;
  const urlOf = (name: RoleName) => `http://127.0.0.1:${portOf(name)}`;
  const shared = {
    ...env,
    URR_AUTH_URL: urlOf('catalog'),
    URR_CATALOG_URL: urlOf('catalog'),
    URR_QUEUE_URL: urlOf('queue'),
    URR_TICKETING_URL: urlOf('ticketing'),
    URR_PAYMENTS_URL: urlOf('payments'),
    URR_LOG_LEVEL: 'warn',
  };
  const running = new Map<RoleName, ReturnType<typeof spawnUrr>>();
  const logs = new Map<RoleName, string>();
  const deaths: string[] = [];

  function launch(name: RoleName): void {
    const child = spawnUrr({ args: ['--roles', serves[name]], env: shared, port: portOf(name) });
    running.set(name, child);
    void child.ended.then(async (code) => {
      logs.set(name, `${logs.get(name) ?? ''}${child.output()}`.slice(-logMax));
      if (running.get(name) !== child) return;
      deaths.push(`${name} ended by itself with ${code}: ${child.output().slice(-2_000)}`);
      await delay(bornAgainMs);
      if (running.get(name) === child) launch(name);
    });
  }

  async function end(name: RoleName, signal: NodeJS.Signals): Promise<void> {
    const child = running.get(name);
    running.delete(name);
    child?.signal('SIGCONT');
    child?.signal(signal);
    await child?.ended;
  }

  const logOf = (name: RoleName) => `${logs.get(name) ?? ''}${running.get(name)?.output() ?? ''}`.slice(-logMax);

  async function isReady(name: RoleName): Promise<void> {
    const look = async () => {
      const answer = await fetch(`${urlOf(name)}/ready`, { signal: AbortSignal.timeout(10_000) });
      if (!answer.ok) throw new Error(await answer.text());
      return true;
    };
    try {
      await eventually(look, { withinMs: readyMaxMs, what: `${name} to be whole` });
    } catch (error) {
      throw new Error(
        `${String(error)}; it ended ${deaths.length} times; it said at last: ${logOf(name).slice(-2_000)}`,
      );
    }
  }

  return {
    url: urlOf('gateway'),
    async start(name) {
      if (!running.has(name)) launch(name);
    },
    kill: (name) => end(name, 'SIGKILL'),
    stop: (name) => end(name, 'SIGTERM'),
    freeze: (name) => running.get(name)?.signal('SIGSTOP'),
    thaw: (name) => running.get(name)?.signal('SIGCONT'),
    async untilReady() {
      for (const name of roleNames) if (!running.has(name)) launch(name);
      await Promise.all(roleNames.map(isReady));
    },
    deaths,
    logOf,
  };
}
