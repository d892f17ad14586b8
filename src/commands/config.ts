import { configSchema, loadConfig } from '#app/config.ts';
import { describeConfig } from '#platform/config/index.ts';
import { type Command, exitCodes } from './command.ts';

export const config: Command = {
  name: 'config',
  summary: 'Print the settings in force, with secrets masked.',
  usage: 'config',
  help: `
One line per setting: its variable, its value and, unless that very variable gave it, where the value came from.
All problems are reported together, and the exit code is 3 if there are any. docs/reference/config.md explains each.`,
  options: {},
  async run({ env, print, warn }) {
    const loaded = loadConfig(env);
    const rows = describeConfig(configSchema, loaded.config, loaded.sources);
    const width = Math.max(...rows.map((row) => row.env.length));
    for (const row of rows) {
      print(`${row.env.padEnd(width)}  ${row.value}${row.source === row.env ? '' : `  (${row.source})`}`);
    }
    for (const warning of loaded.warnings) warn(`urr: ${warning}`);
    return exitCodes.ok;
  },
};
