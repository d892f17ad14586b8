import { parseArgs } from 'node:util';
import { ConfigProblem } from '#app/config.ts';
import { rootCause } from '#app/engines/wait.ts';
import { isFault } from '#platform/errors.ts';
import { type Command, type CommandInput, type ExitCode, exitCodes, UsageProblem } from './command.ts';
import { openTerminal } from './terminal.ts';

/** Loaded when called: `urr config` need not wait for the server's libraries. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  roles: async () => (await import('./roles.ts')).roles,
  migrate: async () => (await import('./migrate.ts')).migrate,
  config: async () => (await import('./config.ts')).config,
  doctor: async () => (await import('./doctor.ts')).doctor,
  demo: async () => (await import('./demo.ts')).demo,
  bus: async () => (await import('./bus.ts')).bus,
  'check-ledger': async () => (await import('./check-ledger.ts')).checkLedgerCommand,
  reconcile: async () => (await import('./reconcile.ts')).reconcile,
  sandbox: async () => (await import('./sandbox.ts')).sandbox,
  layout: async () => (await import('./layout.ts')).layout,
  'verify-draw': async () => (await import('./verify-draw.ts')).verifyDrawCommand,
  version: async () => (await import('./version.ts')).version,
};

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}

export async function runCommandLine(
  args: readonly string[],
  io: Pick<CommandInput, 'env' | 'print' | 'warn' | 'showProgress'> = { env: process.env, ...openTerminal() },
): Promise<ExitCode> {
  const [given, ...rest] = args;
  const name = given === '--version' || given === '-v' ? 'version' : given;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const topic = rest[0];
    if (topic !== undefined) return printHelp(topic, io);
    io.print(overview(await loadCommands()));
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  const load = commands[name];
  if (load === undefined) return refuseUnknown(name, io);
  const command = await load();
  if (rest.includes('--help') || rest.includes('-h')) {
    io.print(commandHelp(command));
    return exitCodes.ok;
  }
  try {
    const { values, positionals } = parse(command, rest);
    return await command.run({ ...io, values, words: positionals });
  } catch (error) {
    return explain(command, error, io);
  }
}

async function printHelp(name: string, io: Pick<CommandInput, 'print' | 'warn'>): Promise<ExitCode> {
  const load = commands[name];
  if (load === undefined) return refuseUnknown(name, io);
  io.print(commandHelp(await load()));
  return exitCodes.ok;
}

function refuseUnknown(name: string, io: Pick<CommandInput, 'warn'>): ExitCode {
  io.warn(`urr: there is no command ${name}. The commands are ${Object.keys(commands).join(', ')}.`);
  return exitCodes.usage;
}

function parse(command: Command, args: readonly string[]) {
  try {
    const parsed = parseArgs({
      args: [...args],
      options: command.options,
      allowPositionals: command.takesWords ?? false,
    });
    // No option is declared `multiple`, so every value is a string or a boolean.
    return { values: parsed.values as CommandInput['values'], positionals: parsed.positionals };
  } catch (error) {
    throw new UsageProblem((error as Error).message);
  }
}

function explain(command: Command, error: unknown, io: Pick<CommandInput, 'warn'>): ExitCode {
  if (error instanceof UsageProblem) {
    io.warn(`urr ${command.name}: ${error.message}\n\nusage: urr ${command.usage}`);
    return exitCodes.usage;
  }
  if (error instanceof ConfigProblem) {
    io.warn(`urr: ${error.message}`);
    return exitCodes.configuration;
  }
  io.warn(`urr ${command.name}: ${reasonOf(error)}`);
  return exitCodes.failed;
}

/** A fault's message is for the public: "The database is away" helps here only with what the network said. */
function reasonOf(error: unknown): string {
  if (isFault(error) && error.cause !== undefined) return `${error.message}: ${rootCause(error)}`;
  return error instanceof Error ? error.message : String(error);
}

export function overview(all: readonly Command[]): string {
  const width = Math.max(...all.map((command) => command.name.length));
  return [
    'urr: an on-sale engine. Waiting room, queue, seats, payment, ticket.',
    '',
    'usage: urr <command> [options]',
    '',
    ...all.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    '',
    'urr help <command> tells more about one. Settings are environment variables; urr config lists them.',
    `Exit codes: ${exitCodes.ok} done, ${exitCodes.failed} failed, ${exitCodes.usage} called wrongly, ${exitCodes.configuration} configuration not valid.`,
  ].join('\n');
}

export function commandHelp(command: Command): string {
  return `${command.summary}\n\nusage: urr ${command.usage}\n\n${command.help.replace(/^\n+/, '').trimEnd()}`;
}
