import { closest } from './closest.ts';
import type { ConfigOf, ConfigSchema, Setting } from './schema.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where each value came from: `default`, or the variable that was read. */
export type ConfigSources<Schema extends ConfigSchema> = { readonly [Name in keyof Schema]: string };

export type ParseResult<Schema extends ConfigSchema> =
  | {
      readonly ok: true;
      readonly config: ConfigOf<Schema>;
      readonly sources: ConfigSources<Schema>;
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      readonly problems: readonly string[];
      /** What could be read nevertheless, so that anyone who judges settings together can report in the same breath. */
      readonly config: Partial<ConfigOf<Schema>>;
      readonly warnings: readonly string[];
    };

export interface ParseOptions {
  /** Unknown variables that begin with `prefix` are warned about, since a misspelt name would silently do nothing. */
  readonly prefix?: string;
  /** Beginnings of names that belong to somebody else. */
  readonly ignored?: readonly string[];
}

/** Reads every setting and reports every problem together. A variable set to the empty string counts as not set. */
export function parseConfig<const Schema extends ConfigSchema>(
  schema: Schema,
  env: Environment,
  { prefix = 'URR_', ignored = ['URR_TEST_'] }: ParseOptions = {},
): ParseResult<Schema> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};

  for (const [name, setting] of Object.entries(schema)) {
    const found = lookUp(setting, env);
    if (found === null) {
      values[name] = setting.default;
      sources[name] = 'default';
      continue;
    }
    if (found.overruled !== null) warnings.push(`${found.variable} wins over ${found.overruled}, which says otherwise`);
    const parsed = setting.parse(found.raw);
    if (parsed.ok) values[name] = parsed.value;
    else problems.push(`${found.variable} ${parsed.problem}`);
    sources[name] = found.variable;
  }

  warnings.push(...unknownVariables(schema, env, { prefix, ignored }));
  // Every name of the schema was given the parsed value or the default of its own setting above, or has a problem.
  if (problems.length > 0) return { ok: false, problems, config: values as Partial<ConfigOf<Schema>>, warnings };
  return {
    ok: true,
    config: values as ConfigOf<Schema>,
    sources: sources as ConfigSources<Schema>,
    warnings,
  };
}

function lookUp(
  setting: Setting<unknown>,
  env: Environment,
): { variable: string; raw: string; overruled: string | null } | null {
  const given = [setting.env, ...setting.aliases]
    .map((variable) => ({ variable, raw: env[variable]?.trim() ?? '' }))
    .filter(({ raw }) => raw !== '');
  const [first, ...others] = given;
  if (first === undefined) return null;
  const overruled = others.find(({ raw }) => raw !== first.raw)?.variable ?? null;
  return { ...first, overruled };
}

function unknownVariables(
  schema: ConfigSchema,
  env: Environment,
  { prefix, ignored }: { prefix: string; ignored: readonly string[] },
): string[] {
  const known = Object.values(schema).flatMap((setting) => [setting.env, ...setting.aliases]);
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .filter((name) => !ignored.some((start) => name.startsWith(start)))
    .sort()
    .map((name) => {
      const near = closest(name, known);
      return `${name} is not a setting and is ignored${near === null ? '' : `; did you mean ${near}?`}`;
    });
}
