import type { ConfigSources } from './parse.ts';
import type { ConfigOf, ConfigSchema, Setting } from './schema.ts';

export interface ConfigRow {
  readonly name: string;
  readonly env: string;
  /** For people, with secrets and passwords masked. */
  readonly value: string;
  readonly source: string;
  readonly help: string;
}

/** What is in force, one row per setting, in the order of the schema. */
export function describeConfig<Schema extends ConfigSchema>(
  schema: Schema,
  config: ConfigOf<Schema>,
  sources: ConfigSources<Schema>,
): ConfigRow[] {
  const values: Readonly<Record<string, unknown>> = config;
  const origins: Readonly<Record<string, string>> = sources;
  return Object.entries(schema).map(([name, setting]) => {
    const source = origins[name] ?? 'default';
    const value = setting.show(values[name]);
    const isLater = source === 'default' && setting.defaultText !== null && isUnset(values[name]);
    return { name, env: setting.env, value: isLater ? `(${setting.defaultText})` : value, source, help: setting.help };
  });
}

/** docs/reference/config.md: a table per group, in the order of the schema. */
export function renderConfigReference(schema: ConfigSchema): string {
  const groups = Map.groupBy(Object.values(schema), (setting) => setting.group);
  const sections = [...groups].map(([group, settings]) => {
    const rows = settings.map((setting) => `| ${cells(setting).map(escapePipes).join(' | ')} |`);
    return [`## ${group}`, '', '| variable | form | default | meaning |', '| --- | --- | --- | --- |', ...rows].join(
      '\n',
    );
  });
  return [
    '# Configuration',
    '',
    'Every setting is an environment variable. A variable set to the empty string counts as not set. All problems are',
    'reported together at start; `urr config` prints what is in force and where each value came from.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
}

function cells(setting: Setting<unknown>): string[] {
  const names = [setting.env, ...setting.aliases].map((name) => `\`${name}\``).join(', also ');
  const fallback =
    setting.defaultText ?? (isUnset(setting.default) ? 'not set' : `\`${setting.show(setting.default)}\``);
  return [names, setting.form, fallback, setting.help];
}

function isUnset(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function escapePipes(cell: string): string {
  return cell.replaceAll('|', '\\|');
}
