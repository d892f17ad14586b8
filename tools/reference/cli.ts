import { commandHelp, loadCommands, overview } from '../../src/commands/command-line.ts';
import { notice } from './generated-file.ts';

/** docs/reference/cli.md: what `urr help` says. */
export async function renderCommandLine(): Promise<string> {
  const commands = await loadCommands();
  const parts = commands.map((command) => `## urr ${command.name}\n\n${fenced(commandHelp(command))}\n`);
  return `${notice}\n\n# Command line\n\n${fenced(overview(commands))}\n\n${parts.join('\n')}`;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}
