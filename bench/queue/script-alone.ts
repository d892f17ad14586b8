import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createRedisStore } from '#modules/queue/index.ts';
import type { LuaScript, Redis } from '#platform/redis/port.ts';
import type { BenchReport } from '../report.ts';
import type { StoreAlone } from './store-alone.ts';

interface Sent {
  readonly script: LuaScript;
  readonly keys: readonly string[];
  readonly args: readonly (string | number | Buffer)[];
}

const connections = 50;
const rounds = 3;
const callsMin = 2_000;
/** redis-benchmark puts another twelve digits here each time. */
const anybody = '00000000-0000-7000-8000-__rand_int__';
const anybodyMax = 999_999_999_999;
/** More than a batch takes, so that the first one is full. */
const rushSize = 200;

/** The script as the store sends it, without the program: what Redis alone can do. Beside it a script that does nothing. */
export async function measureScriptAlone(options: { alone: StoreAlone; entries: number; report: BenchReport }) {
  const { alone, entries, report } = options;
  const trivial = String(await alone.redis.command('SCRIPT', 'LOAD', 'return 1'));
  const run = (usersEach: number, command: readonly string[]) => async () => {
    const calls = Math.max(callsMin, Math.ceil(entries / usersEach));
    return usersEach * (await callsPerSecond(alone.port, calls, command));
  };
  await report.measure({
    name: 'a script that does nothing, under redis-benchmark',
    unit: 'calls',
    rounds,
    subject: { label: `${connections} connections`, run: run(1, ['EVALSHA', trivial, '0']) },
  });
  for (const users of [1, rushSize]) {
    const eventId = await alone.begin(0);
    const { script, keys, args } = await whatIsSent(alone, eventId, users);
    const isUser = (arg: unknown) => String(arg).startsWith(sampleUser);
    const userIds = args.filter(isUser).length;
    const general = args.map((arg) => (isUser(arg) ? anybody : String(arg)));
    await report.measure({
      name: `the script of entering, ${userIds} ${userIds === 1 ? 'user' : 'users'} a call, under redis-benchmark`,
      unit: 'entries',
      rounds,
      subject: {
        label: `${connections} connections`,
        run: run(userIds, ['EVALSHA', script.sha, String(keys.length), ...keys, ...general]),
      },
    });
  }
}

const sampleUser = 'sample-user-';

/** The first script call when so many enter in one turn. */
async function whatIsSent({ redis }: StoreAlone, eventId: string, users: number): Promise<Sent> {
  const sent: Sent[] = [];
  const recorder: Redis = {
    ...redis,
    runScript(script, keys, args) {
      sent.push({ script, keys, args });
      return redis.runScript(script, keys, args);
    },
  };
  const store = createRedisStore({ redis: recorder });
  const call = { eventId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 } as const;
  await Promise.all(Array.from({ length: users }, (_, n) => store.enter({ ...call, userId: sampleUser + n })));
  const [first] = sent;
  if (first === undefined) throw new Error('nothing was sent');
  return first;
}

async function callsPerSecond(port: number, calls: number, command: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)('redis-benchmark', [
    ...['-p', String(port), '-n', String(calls), '-c', String(connections), '-r', String(anybodyMax), '--csv'],
    ...command,
  ]);
  // The command as it was given, then the rate; a line of names before it.
  const rate = Number(/","([\d.]+)","/.exec(stdout)?.[1]);
  if (!(rate > 0)) throw new Error(`redis-benchmark said nothing useful:\n${stdout}`);
  return rate;
}
