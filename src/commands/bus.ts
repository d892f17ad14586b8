import { openBus } from '#app/engines/bus.ts';
import { moduleDescriptions } from '#app/modules.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import { systemClock } from '#platform/clock.ts';
import { isFault } from '#platform/errors.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { dropLetter, printLetters, replayLetters } from './bus/letters.ts';
import { printRefused, printRefusedRow, releaseRefused } from './bus/refused.ts';
import { type Command, type CommandInput, type ExitCode, exitCodes, UsageProblem } from './command.ts';
import { withDatabase } from './with-database.ts';

export const bus: Command = {
  name: 'bus',
  summary: 'Look at the event bus: who is behind, what failed, do it again.',
  usage:
    'bus lag | bus letters [--topic TOPIC] [--group GROUP] [--limit N] | bus letters --letter ID | bus drop --letter ID | bus drop --dead-letter TOPIC [--limit N] | bus replay --dead-letter TOPIC [--limit N] | bus replay --topic TOPIC --group GROUP | bus refused [--row ID] | bus release --row ID | bus release --topic TOPIC [--limit N] | bus release --drop ID',
  help: `
  urr bus lag
      How far each consumer group is behind, per partition, and what waits in the outbox. While the broker is
      away only the outbox is shown, and the exit code is 1.

  urr bus letters [--topic TOPIC] [--group GROUP] [--limit N]
      Messages that a group could not handle, the oldest first (50 at most, unless --limit says otherwise): why, how often
      they were tried, and when they are tried next. TOPIC is where they came from, or their dead-letter topic.

  urr bus letters --letter ID
      Everything about one letter, the message included. Look at it before you give it up.

  urr bus replay --dead-letter TOPIC [--limit N]
      Let the running consumers try the letters of a dead-letter topic now (1000 at most, unless --limit says otherwise),
      and show how they get on. Do this after the cause was mended.

  urr bus drop --letter ID
      Give a letter up; it is printed. Its event will have no effect, and the letters behind it go on.

  urr bus drop --dead-letter TOPIC [--limit N]
      Give up the letters of a dead-letter topic that have failed, the oldest first (1000 at most, unless --limit says
      otherwise). Those that wait behind them go on. Says how many.

  urr bus replay --topic TOPIC --group GROUP
      Let a group read a topic again from its beginning. Stop the group's consumers first, and replay or drop its letters.

  urr bus refused
      Events that the broker refuses for good, with the reason: too large, for instance. Later events of their key wait.

  urr bus refused --row ID
      Everything about one of them, the event included.

  urr bus release --row ID
      Send a refused event again, after the cause was mended. Those of its key that waited follow it in order.

  urr bus release --topic TOPIC [--limit N]
      The same for all refused events of a topic, the oldest first, or for as many as --limit says.

  urr bus release --drop ID
      Give a refused event up; it is printed. Those of its key that waited go on without it.`,
  options: {
    'dead-letter': { type: 'string' },
    letter: { type: 'string' },
    limit: { type: 'string' },
    topic: { type: 'string' },
    group: { type: 'string' },
    row: { type: 'string' },
    drop: { type: 'string' },
  },
  takesWords: true,
  async run(input) {
    const [word] = input.words;
    if (word === 'lag') return withStoppedBus(input, (engine) => printLag(input, engine));
    if (word === 'letters') return withStoppedBus(input, (engine) => letters(input, engine));
    if (word === 'drop') return withStoppedBus(input, (engine) => drop(input, engine));
    if (word === 'replay') return replay(input);
    if (word === 'refused' && input.values.row !== undefined)
      return withDatabase(input, ({ database }) => printRefusedRow(input, database));
    if (word === 'refused') return withStoppedBus(input, (engine) => printRefused(input, engine));
    if (word === 'release') return withStoppedBus(input, (engine) => releaseRefused(input, engine));
    throw new UsageProblem(
      `${word === undefined ? '' : `there is no subcommand ${word}; `}say lag, letters, drop, replay, refused or release`,
    );
  },
};

function withBus(input: CommandInput, work: (engine: BusEngine) => Promise<ExitCode>): Promise<ExitCode> {
  return withStoppedBus(input, async (engine) => {
    await engine.start();
    return work(engine);
  });
}

/** For what is in PostgreSQL alone: it works while the broker is away. */
function withStoppedBus(input: CommandInput, work: (engine: BusEngine) => Promise<ExitCode>): Promise<ExitCode> {
  return withDatabase(input, async ({ database, config, logger }) => {
    const ids = createIds({ clock: systemClock, random: systemRandom });
    const engine = await openBus({ config, database, clock: systemClock, ids, logger, relay: false });
    try {
      return await work(engine);
    } finally {
      await engine.stop();
    }
  });
}

async function printLag({ print, warn }: CommandInput, engine: BusEngine): Promise<ExitCode> {
  const backlog = await engine.outboxBacklog();
  print(
    `outbox  ${backlog.rows} waiting${backlog.rows > 0 ? `, the oldest for ${Math.round(backlog.oldestMs / 1000)} s` : ''}`,
  );
  const lag = await engine.lag().catch((error: unknown) => {
    if (!isFault(error) || error.code !== 'BUS_UNAVAILABLE') throw error;
    return null;
  });
  if (lag === null) {
    warn(
      'The broker does not answer. How far the groups are behind is not known until it does; events wait in the outbox.',
    );
    return exitCodes.failed;
  }
  for (const one of lag) {
    print(`${one.topic}  ${one.group}  partition ${one.partition}  lag ${one.lag}  (${one.committed} of ${one.end})`);
  }
  return exitCodes.ok;
}

async function letters(input: CommandInput, engine: BusEngine): Promise<ExitCode> {
  const { topic, group } = input.values;
  const none = async (filter: { topic?: string; group?: string }) =>
    (await engine.letters({ ...filter, limit: 1 })).length === 0;
  if (typeof topic === 'string' && (await none({ topic })))
    refuseUnknown('topic', topic, [...topicNames, ...deadLetterTopics]);
  if (typeof group === 'string' && (await none({ group }))) refuseUnknown('group', group, groupNames);
  return printLetters(input, engine);
}

async function drop(input: CommandInput, engine: BusEngine): Promise<ExitCode> {
  const deadLetter = input.values['dead-letter'];
  if (typeof deadLetter === 'string') await refuseUnknownDeadLetter(engine, deadLetter);
  return dropLetter(input, engine);
}

/** A topic that is declared no more, or of a group that is gone, may still have letters. */
async function refuseUnknownDeadLetter(engine: BusEngine, name: string): Promise<void> {
  const found = await engine.letters({ topic: name, limit: 1 });
  if (!found.some(({ deadLetter }) => deadLetter === name)) refuseUnknown('dead-letter topic', name, deadLetterTopics);
}

async function replay(input: CommandInput): Promise<ExitCode> {
  const { values, print } = input;
  const deadLetter = values['dead-letter'];
  const { topic, group } = values;
  if (typeof deadLetter === 'string') {
    return withStoppedBus(input, async (engine) => {
      await refuseUnknownDeadLetter(engine, deadLetter);
      return replayLetters(input, engine, { topic: deadLetter });
    });
  }
  if (typeof topic !== 'string' || typeof group !== 'string') {
    throw new UsageProblem('say --dead-letter TOPIC, or --topic TOPIC and --group GROUP');
  }
  refuseUnknown('topic', topic, topicNames);
  refuseUnknown(`group on ${topic}`, group, groupsOf(topic));
  return withBus(input, async (engine) => {
    await engine.replayFromBeginning({ topic, group });
    print(`${group} will read ${topic} again from the beginning`);
    return exitCodes.ok;
  });
}

const consumers = moduleDescriptions.flatMap((module) => module.consumers);
const topicNames = [...new Set(consumers.map((consumer) => consumer.topic.name))];
const groupNames = [...new Set(consumers.map((consumer) => consumer.group))];
const deadLetterTopics = consumers.flatMap(({ deadLetter }) => deadLetter ?? []);

function groupsOf(topic: string): string[] {
  return consumers.filter((consumer) => consumer.topic.name === topic).map((consumer) => consumer.group);
}

/** A misspelt name would otherwise be answered with "done". */
function refuseUnknown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const choice = known.length === 0 ? 'there is none' : `there is ${known.join(', ')}`;
  throw new UsageProblem(`no ${what} is called ${name}; ${choice}`);
}
