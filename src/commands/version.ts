import manifest from '../../package.json' with { type: 'json' };
import { type Command, exitCodes } from './command.ts';

export const version: Command = {
  name: 'version',
  summary: 'Print the version.',
  usage: 'version',
  help: `
Prints the version and nothing else, for scripts. urr --version is the same. CHANGELOG.md says what each brought.`,
  options: {},
  async run({ print }) {
    print(manifest.version);
    return exitCodes.ok;
  },
};
