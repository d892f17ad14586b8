import { parseArgs } from 'node:util';
import { ConfigProblem } from '#app/config.ts';
import { bus } from './bus.ts';
import { type Command, type CommandInput, type ExitCode, exitCodes, UsageProblem } from './command.ts';
import { config } from './config.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { migrate } from './migrate.ts';
import { roles } from './roles.ts';
import { serve } from './serve.ts';

export const commands: readonly Command[] = [serve, roles, migrate, config, doctor, demo, bus];

export async function runCommandLine(
  args: readonly string[],
  io: Pick<CommandInput, 'env' | 'print' | 'warn'> = {
    env: process.env,
    print: (line) => process.stdout.write(`${line}\n`),
    warn: (line) => process.stderr.write(`${line}\n`),
  },
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const topic = commands.find((candidate) => candidate.name === rest[0]);
    io.print(topic ? commandHelp(topic) : overview());
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    io.warn(`urr: there is no command ${name}. The commands are ${commands.map((known) => known.name).join(', ')}.`);
    return exitCodes.usage;
  }
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
  io.warn(`urr ${command.name}: ${error instanceof Error ? error.message : String(error)}`);
  return exitCodes.failed;
}

export function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    'urr: an on-sale engine. Waiting room, queue, seats, payment, ticket.',
    '',
    'usage: urr <command> [options]',
    '',
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    '',
    'urr help <command> tells more about one. Settings are environment variables; urr config lists them.',
    `Exit codes: ${exitCodes.ok} done, ${exitCodes.failed} failed, ${exitCodes.usage} called wrongly, ${exitCodes.configuration} configuration not valid.`,
  ].join('\n');
}

export function commandHelp(command: Command): string {
  return `${command.summary}\n\nusage: urr ${command.usage}\n\n${command.help.trim()}`;
}
