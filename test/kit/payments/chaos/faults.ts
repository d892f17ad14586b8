import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#platform/postgres/database.ts';
import { eventually } from '#test/kit/faults.ts';
import type { TestTime } from './clock.ts';
import { type EngineName, engineNames, type Fault, type RoleName } from './plan.ts';
import type { World } from './world.ts';

const actMaxMs = 300_000;
/** Beyond the minute after which nobody is believed to be at work on an attempt. */
const frozenFurtherMs = 70_000;

/** Does what the plan says. What is the matter with the one engine does not wait for the others. */
export function createFaultDesk({ engines, roles, database }: World, time: TestTime) {
  const isEngine = (name: string): name is EngineName => (engineNames as readonly string[]).includes(name);

  async function onEngine(name: EngineName, { kind, forMs }: Fault): Promise<void> {
    const engine = engines[name];
    if (kind === 'freeze') {
      await engine.pause();
      await delay(forMs);
      return engine.resume();
    }
    await (kind === 'kill' ? engine.kill() : engine.stop());
    await delay(forMs);
    await engine.restart();
  }

  async function onRole(name: RoleName, { kind, forMs }: Fault): Promise<void> {
    if (kind === 'freeze') {
      roles.freeze(name);
      // To all others it has been away for longer than a minute.
      if (name.startsWith('payments')) await time.putForward(frozenFurtherMs);
      await delay(forMs);
      return roles.thaw(name);
    }
    await (kind === 'kill' ? roles.kill(name) : roles.stop(name));
    await delay(forMs);
    await roles.start(name);
  }

  return {
    async commit(fault: Fault): Promise<void> {
      if (fault.at === 'provider') return whileProvider(database, fault);
      return isEngine(fault.at) ? onEngine(fault.at, fault) : onRole(fault.at, fault);
    },
  };
}

/** The sandbox asks for the time first, whatever it is asked. */
async function whileProvider(database: Database, { kind, forMs }: Fault): Promise<void> {
  const act = kind === 'away' ? `RAISE EXCEPTION 'the provider is away'` : 'PERFORM pg_catalog.pg_sleep(2)';
  const now = (language: string, body: string) =>
    eventually(
      () =>
        database.query(
          `CREATE OR REPLACE FUNCTION payments.sandbox_now() RETURNS timestamptz LANGUAGE ${language} AS $$ ${body} $$`,
        ),
      { withinMs: actMaxMs, what: 'the provider to change its mood' },
    );
  const time = `date_trunc('milliseconds', urr.now())`;
  await now('plpgsql', `BEGIN ${act}; RETURN ${time}; END`);
  await delay(forMs);
  await now('sql', `SELECT ${time}`);
}
