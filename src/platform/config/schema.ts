/**
 * Configuration as data. A setting knows its variable, its form, its default and how to show itself, so that parsing,
 * `urr config` and docs/reference/config.md all read the same table. `default: null` makes a setting optional.
 */
export function defineConfig<const Schema extends ConfigSchema>(schema: Schema): Schema {
  const seen = new Set<string>();
  for (const setting of Object.values(schema)) {
    for (const name of [setting.env, ...setting.aliases]) {
      if (seen.has(name)) throw new Error(`two settings read the variable ${name}`);
      seen.add(name);
    }
  }
  return schema;
}

export type ConfigSchema = Readonly<Record<string, Setting<unknown>>>;
export type ConfigOf<Schema extends ConfigSchema> = { readonly [Name in keyof Schema]: Schema[Name]['default'] };

export interface Setting<Value> {
  readonly env: string;
  /** Further names of the same variable; `env` wins when both are set. */
  readonly aliases: readonly string[];
  readonly default: Value;
  /** What the reference says instead of the default, where that is only known at start. */
  readonly defaultText: string | null;
  readonly group: string;
  readonly help: string;
  /** What may be written, in words: `integer, 0 to 65535`. */
  readonly form: string;
  readonly secret: boolean;
  parse(raw: string): Parsed<Value>;
  /** For people. Never shows a secret. */
  show(value: Value): string;
}

/** `problem` continues a sentence that begins with the variable's name, and never repeats a secret. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

interface CommonOptions<Default> {
  readonly env: string;
  readonly aliases?: readonly string[];
  readonly default: Default;
  readonly defaultText?: string;
  /** Heading in the reference. */
  readonly group?: string;
  readonly help: string;
  /** The value is never shown, neither by `urr config` nor in a problem. Of a URL, everything but the password is. */
  readonly secret?: boolean;
}

type Nullable<Value, Default> = Default extends null ? Value | null : Value;

export function text<const Default extends string | null>(
  options: CommonOptions<Default> & { readonly pattern?: RegExp; readonly form?: string },
): Setting<Nullable<string, Default>> {
  const { pattern, form = pattern === undefined ? 'text' : `text like ${pattern.source}` } = options;
  return setting<string, Default>(options, {
    form,
    parse: (raw) => (pattern?.test(raw) === false ? refused(`must be ${form}`) : accepted(raw)),
    show: (value) => (options.secret === true ? masked : value),
  });
}

export function integer<const Default extends number | null>(
  options: CommonOptions<Default> & { readonly min: number; readonly max: number },
): Setting<Nullable<number, Default>> {
  const { min, max } = options;
  const form = `integer, ${min} to ${max}`;
  return setting<number, Default>(options, {
    form,
    parse(raw) {
      const value = Number(raw);
      if (!/^-?\d+$/.test(raw) || value < min || value > max)
        return refused(`must be an ${form}; it is ${quoted(raw)}`);
      return accepted(value);
    },
    show: String,
  });
}

export function boolean<const Default extends boolean | null>(
  options: CommonOptions<Default>,
): Setting<Nullable<boolean, Default>> {
  return setting<boolean, Default>(options, {
    form: '`true` or `false`',
    parse(raw) {
      const word = raw.toLowerCase();
      if (['true', '1', 'yes', 'on'].includes(word)) return accepted(true);
      if (['false', '0', 'no', 'off'].includes(word)) return accepted(false);
      return refused(`must be true or false; it is ${quoted(raw)}`);
    },
    show: String,
  });
}

export function oneOf<const Value extends string, const Default extends Value | null>(
  options: CommonOptions<Default> & { readonly values: readonly Value[] },
): Setting<Nullable<Value, Default>> {
  const { values } = options;
  return setting<Value, Default>(options, {
    form: values.map((value) => `\`${value}\``).join(', '),
    parse(raw) {
      const value = values.find((candidate) => candidate === raw);
      if (value === undefined) return refused(`must be one of ${values.join(', ')}; it is ${quoted(raw)}`);
      return accepted(value);
    },
    show: String,
  });
}

export function list<const Default extends readonly string[] | null>(
  options: CommonOptions<Default> & {
    readonly pattern?: RegExp;
    /** What no pattern can say of an item. */
    readonly isItem?: (item: string) => boolean;
    readonly form?: string;
  },
): Setting<Nullable<readonly string[], Default>> {
  const { pattern, isItem, form = 'comma-separated list' } = options;
  return setting<readonly string[], Default>(options, {
    form,
    parse(raw) {
      const items = split(raw);
      const bad = items.find((item) => pattern?.test(item) === false || isItem?.(item) === false);
      if (bad === undefined) return accepted(items);
      const silent = options.secret === true || holdsPassword(bad);
      return refused(`must be a ${form}${silent ? '' : `; ${quoted(bad)} is not`}`);
    },
    show: (items) =>
      showList(
        items.map((item) => {
          if (options.secret === true) return masked;
          return holdsPassword(item) ? withoutPassword(item) : item;
        }),
      ),
  });
}

export function url<const Default extends string | null>(
  options: CommonOptions<Default> & { readonly protocols: readonly string[] },
): Setting<Nullable<string, Default>> {
  const protocols = options.protocols.map((name) => name.replace(/:$/, ''));
  const form = `URL (${protocols.map((name) => `\`${name}://\``).join(', ')})`;
  return setting<string, Default>(options, {
    form,
    parse(raw) {
      // The value itself is not repeated: it may hold a password.
      const parsed = URL.parse(raw);
      if (parsed === null || !protocols.includes(parsed.protocol.slice(0, -1))) {
        return refused(`must be a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}`);
      }
      return accepted(raw);
    },
    show: withoutPassword,
  });
}

const secretBytesMin = 32;

type SecretOptions = Omit<CommonOptions<readonly string[]>, 'default' | 'secret'>;

/**
 * Secrets of one kind of token: the first signs, all verify, so that a secret can be changed without a break. Empty when
 * none is given; whether that is allowed is for the reader of the table to decide.
 */
export function secretList(options: SecretOptions): Setting<readonly string[]> {
  return secrets(options, {
    one: 'secret',
    form: `one or more secrets of at least ${secretBytesMin} bytes, comma-separated: the first signs, all verify`,
    wrong: (secret) => (Buffer.byteLength(secret) < secretBytesMin ? `shorter than ${secretBytesMin} bytes` : null),
  });
}

const seedBytes = 32;
const seedForm = /^[\w-]{43}$/;

/** As `secretList`, of seeds for key pairs: exactly 32 bytes each, whose public halves others may have. */
export function seedList(options: SecretOptions): Setting<readonly string[]> {
  return secrets(options, {
    one: 'key',
    form: `one or more keys of ${seedBytes} bytes in base64url, comma-separated: the first signs, all verify`,
    wrong(seed) {
      // Decoding passes over what it does not know, and two spellings of one key would be the same key twice.
      const isSeed = seedForm.test(seed) && Buffer.from(seed, 'base64url').toString('base64url') === seed;
      return isSeed ? null : `that is not ${seedBytes} bytes in base64url`;
    },
  });
}

function secrets(
  options: SecretOptions,
  kind: { one: string; form: string; wrong(secret: string): string | null },
): Setting<readonly string[]> {
  return setting<readonly string[], readonly string[]>(
    { ...options, default: [], secret: true },
    {
      form: kind.form,
      parse(raw) {
        const given = split(raw);
        if (given.length === 0) return refused(`holds no ${kind.one}`);
        const problems = given.map(kind.wrong);
        const bad = problems.findIndex((problem) => problem !== null);
        if (bad >= 0) return refused(`holds a ${kind.one} (number ${bad + 1}) ${problems[bad]}`);
        if (new Set(given).size < given.length) return refused(`holds the same ${kind.one} twice`);
        return accepted(given);
      },
      show: (given) => showList(given.map(() => masked)),
    },
  );
}

const masked = '********';

interface Behaviour<Value> {
  readonly form: string;
  parse(raw: string): Parsed<Value>;
  show(value: Value): string;
}

function setting<Value, Default extends Value | null>(
  options: CommonOptions<Default>,
  behaviour: Behaviour<Value>,
): Setting<Nullable<Value, Default>> {
  type Held = Nullable<Value, Default>;
  return {
    env: options.env,
    aliases: options.aliases ?? [],
    // A default is by its type either a value or, where null is allowed, null.
    default: options.default as unknown as Held,
    defaultText: options.defaultText ?? null,
    group: options.group ?? 'General',
    help: options.help,
    form: behaviour.form,
    secret: options.secret ?? false,
    // What a kind parses is a Value, and every Value is a Held.
    parse: (raw) => behaviour.parse(raw) as Parsed<Held>,
    show: (value) => (value === null ? '(not set)' : behaviour.show(value as unknown as Value)),
  };
}

function accepted<Value>(value: Value): Parsed<Value> {
  return { ok: true, value };
}

function refused(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

function split(raw: string): string[] {
  return raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const quotedLengthMax = 60;

function quoted(raw: string): string {
  return JSON.stringify(raw.length > quotedLengthMax ? `${raw.slice(0, quotedLengthMax)}…` : raw);
}

function showList(items: readonly string[]): string {
  return items.length === 0 ? '(none)' : items.join(',');
}

/** `redis://user:password@host` */
function holdsPassword(item: string): boolean {
  return /:\/\/.*@/.test(item);
}

function withoutPassword(value: string): string {
  const parsed = URL.parse(value);
  if (parsed === null) return masked;
  if (parsed.password !== '') parsed.password = masked;
  // PostgreSQL also takes a password from the query.
  for (const name of parsed.searchParams.keys())
    if (/password|secret/i.test(name)) parsed.searchParams.set(name, masked);
  return parsed.href;
}
