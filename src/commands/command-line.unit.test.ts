import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exitCodes } from './command.ts';
import { commandHelp, loadCommands, runCommandLine } from './command-line.ts';

async function urr(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const warned: string[] = [];
  const code = await runCommandLine(args, {
    env,
    print: (line) => printed.push(line),
    warn: (line) => warned.push(line),
  });
  return { code, printed: printed.join('\n'), warned: warned.join('\n') };
}

describe('the command line', () => {
  it('says its version, as package.json has it, and nothing else', async () => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const word of ['--version', '-v', 'version'])
      expect([word, await urr([word])]).toEqual([word, { code: exitCodes.ok, printed: manifest.version, warned: '' }]);
    expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('lists every command when it is called without one, and calls that wrong', async () => {
    const { code, printed } = await urr([]);
    expect(code).toBe(exitCodes.usage);
    for (const command of await loadCommands()) expect(printed).toContain(`  ${command.name} `);
  });

  it('has help for every command that begins with its usage', async () => {
    for (const command of await loadCommands()) {
      const { code, printed } = await urr(['help', command.name]);
      expect(code).toBe(exitCodes.ok);
      expect(printed).toBe(commandHelp(command));
      expect(printed).toContain(`usage: urr ${command.name}`);
      expect((await urr([command.name, '--help'])).printed).toBe(printed);
    }
  });

  it('keeps the first line of a help text in line with the others', async () => {
    expect((await urr(['help', 'bus'])).printed).toMatch(/^ {2}urr bus lag$/m);
  });

  it('names the commands when it is asked for one that does not exist', async () => {
    for (const args of [['srve'], ['help', 'srve']]) {
      const { code, warned } = await urr(args);
      expect(code).toBe(exitCodes.usage);
      expect(warned).toMatch(/no command srve\. The commands are serve, /);
    }
  });

  it('shows the usage when an option is unknown or a value is wrong', async () => {
    for (const options of [['--rolls', 'auth'], ['--roles', 'author'], ['--workers', '0'], ['stray']]) {
      const { code, warned } = await urr(['serve', ...options]);
      expect(code).toBe(exitCodes.usage);
      expect(warned).toContain('usage: urr serve [--roles');
    }
  });

  it('refuses the demonstration data where it would be ignored or unwelcome', async () => {
    expect((await urr(['serve', '--demo', '--roles', 'gateway'])).warned).toContain('needs the roles auth and catalog');
    expect((await urr(['serve', '--demo', '--workers', '2'])).warned).toContain('do not go together');
  });

  it('reports every problem of the configuration at once', async () => {
    const { code, warned } = await urr(['config'], { URR_PORT: 'x', URR_STOP_SECONDS: '-1' });
    expect(code).toBe(exitCodes.configuration);
    expect(warned).toContain('URR_PORT must be');
    expect(warned).toContain('URR_STOP_SECONDS must be');
  });

  it('prints the configuration with where a value came from, and what will be made at start', async () => {
    const { printed } = await urr(['config'], { NODE_ENV: 'test', URR_PORT: '8080' });
    expect(printed).toMatch(/^URR_MODE +test {2}\(NODE_ENV\)$/m);
    expect(printed).toMatch(/^URR_PORT +8080$/m);
    expect(printed).toMatch(/^URR_STOP_SECONDS +15 {2}\(default\)$/m);
    expect(printed).toMatch(/^URR_TICKET_SECRET +\(made once, kept in the data folder/m);
  });

  it('says what the network said when an engine is away', async () => {
    const { code, warned } = await urr(['migrate'], { URR_DATABASE_URL: 'postgres://urr:urr@127.0.0.1:1/urr' });
    expect(code).toBe(exitCodes.failed);
    expect(warned).toMatch(/^urr migrate: The database is away: .*ECONNREFUSED/);
  });
});
