import { configSchema } from '#app/config.ts';
import { roleDefinitions, roleNames } from '#app/roles.ts';
import { type Command, exitCodes } from './command.ts';

export const roles: Command = {
  name: 'roles',
  summary: 'List the roles and what each needs.',
  usage: 'roles',
  help: `
A process runs one role or more (urr serve --roles). All state is in the engines, so every role can be run many times.
\`store\` is Redis, or the memory of the process when no Redis is configured.`,
  options: {},
  async run({ print }) {
    const width = Math.max(...roleNames.map((role) => role.length)) + 1;
    for (const role of roleNames) {
      const { description, needs, urlSetting } = roleDefinitions[role];
      const elsewhere = urlSetting === null ? '' : `; if it runs elsewhere, set ${configSchema[urlSetting].env}`;
      print(`${role.padEnd(width)}${description.summary}`);
      print(`${' '.repeat(width)}needs ${needs.join(', ')}${elsewhere}`);
    }
    return exitCodes.ok;
  },
};
