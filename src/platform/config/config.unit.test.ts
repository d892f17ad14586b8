import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  boolean,
  type ConfigOf,
  defineConfig,
  describeConfig,
  integer,
  list,
  oneOf,
  parseConfig,
  renderConfigReference,
  secretList,
  seedList,
  text,
  url,
} from './index.ts';

const schema = defineConfig({
  port: integer({ env: 'URR_PORT', default: 3000, min: 0, max: 65_535, group: 'HTTP', help: 'Where to listen.' }),
  host: text({ env: 'URR_HOST', default: null, defaultText: 'depends on the mode', group: 'HTTP', help: 'Address.' }),
  threshold: integer({
    env: 'URR_QUEUE_THRESHOLD',
    aliases: ['QUEUE_THRESHOLD'],
    default: null,
    min: 1,
    max: 1000,
    help: 'Slots | per event.',
  }),
  mode: oneOf({ env: 'URR_MODE', values: ['embedded', 'production'], default: 'embedded', help: 'How to run.' }),
  demo: boolean({ env: 'URR_DEMO', default: true, help: 'Demonstration data.' }),
  brokers: list({ env: 'URR_KAFKA_BROKERS', default: [], pattern: /^[\w.-]+:\d+$/, help: 'Brokers.' }),
  database: url({ env: 'URR_DATABASE_URL', protocols: ['postgres:', 'postgresql:'], default: null, help: 'Database.' }),
  access: secretList({ env: 'URR_ACCESS_TOKEN_SECRET', help: 'Signs access tokens.' }),
  ticket: secretList({ env: 'URR_TICKET_SECRET', help: 'Signs tickets.' }),
  keys: seedList({ env: 'URR_KEYS', help: 'Sign what others verify.' }),
  providers: list({ env: 'URR_PROVIDERS', default: [], secret: true, pattern: /^\w+\|\w+$/, help: 'Providers.' }),
  password: text({ env: 'URR_DEMO_PASSWORD', default: 'urr-demo', secret: true, help: 'Of the demo accounts.' }),
});

const secretA = 'a'.repeat(32);
const secretB = 'b'.repeat(32);

function parsed(env: Record<string, string>) {
  const result = parseConfig(schema, env);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result;
}

function problems(env: Record<string, string>): readonly string[] {
  const result = parseConfig(schema, env);
  return result.ok ? [] : result.problems;
}

describe('types', () => {
  it('follow from the schema', () => {
    type Config = ConfigOf<typeof schema>;
    expectTypeOf<Config['port']>().toEqualTypeOf<number>();
    expectTypeOf<Config['threshold']>().toEqualTypeOf<number | null>();
    expectTypeOf<Config['mode']>().toEqualTypeOf<'embedded' | 'production'>();
    expectTypeOf<Config['brokers']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Config['access']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Config['demo']>().toEqualTypeOf<boolean>();
    expectTypeOf<Config['host']>().toEqualTypeOf<string | null>();
  });
});

describe('parseConfig', () => {
  it('takes the defaults of an empty environment', () => {
    const { config, sources, warnings } = parsed({});
    expect(config).toMatchObject({ port: 3000, threshold: null, mode: 'embedded', demo: true, brokers: [] });
    expect(new Set(Object.values(sources))).toEqual(new Set(['default']));
    expect(warnings).toEqual([]);
  });

  it('reads every kind', () => {
    const { config } = parsed({
      URR_PORT: '0',
      URR_MODE: 'production',
      URR_DEMO: 'Off',
      URR_KAFKA_BROKERS: 'one:9092, two:9092,',
      URR_DATABASE_URL: 'postgres://urr:pw@db/urr',
      URR_ACCESS_TOKEN_SECRET: `${secretA},${secretB}`,
    });
    expect(config).toMatchObject({
      port: 0,
      mode: 'production',
      demo: false,
      brokers: ['one:9092', 'two:9092'],
      database: 'postgres://urr:pw@db/urr',
      access: [secretA, secretB],
    });
  });

  it('takes an empty variable as not set', () => {
    expect(parsed({ URR_PORT: ' ' }).config.port).toBe(3000);
  });

  it('reads an alias, and the proper name wins over it with a warning', () => {
    expect(parsed({ QUEUE_THRESHOLD: '7' })).toMatchObject({
      config: { threshold: 7 },
      sources: { threshold: 'QUEUE_THRESHOLD' },
    });
    const both = parsed({ QUEUE_THRESHOLD: '7', URR_QUEUE_THRESHOLD: '8' });
    expect(both.config.threshold).toBe(8);
    expect(both.warnings).toEqual(['URR_QUEUE_THRESHOLD wins over QUEUE_THRESHOLD, which says otherwise']);
  });

  it('reports every problem together, each with the name of the variable that was read', () => {
    expect(
      problems({
        URR_PORT: '70000',
        QUEUE_THRESHOLD: '1.5',
        URR_MODE: 'prod',
        URR_DEMO: 'maybe',
        URR_KAFKA_BROKERS: 'one:9092,two',
        URR_DATABASE_URL: 'mysql://x:hidden-password@y',
        URR_TICKET_SECRET: 'short-secret',
        URR_PROVIDERS: 'name|hidden,hidden',
      }),
    ).toEqual([
      'URR_PORT must be an integer, 0 to 65535; it is "70000"',
      'QUEUE_THRESHOLD must be an integer, 1 to 1000; it is "1.5"',
      'URR_MODE must be one of embedded, production; it is "prod"',
      'URR_DEMO must be true or false; it is "maybe"',
      'URR_KAFKA_BROKERS must be a comma-separated list; "two" is not',
      'URR_DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
      'URR_TICKET_SECRET holds a secret (number 1) shorter than 32 bytes',
      'URR_PROVIDERS must be a comma-separated list',
    ]);
  });

  it('refuses a secret that is listed twice', () => {
    expect(problems({ URR_TICKET_SECRET: `${secretA},${secretA}` })).toEqual([
      'URR_TICKET_SECRET holds the same secret twice',
    ]);
  });

  it('takes keys of exactly 32 bytes, each once and in one spelling', () => {
    const seed = Buffer.alloc(32, 7).toString('base64url');
    const other = Buffer.alloc(32, 8).toString('base64url');
    expect(parsed({ URR_KEYS: `${seed}, ${other}` }).config.keys).toEqual([seed, other]);
    const secondIsNone = ['URR_KEYS holds a key (number 2) that is not 32 bytes in base64url'];
    expect(problems({ URR_KEYS: `${seed},${seed.slice(1)}` })).toEqual(secondIsNone);
    expect(problems({ URR_KEYS: `${seed},${seed}=` })).toEqual(secondIsNone);
    // The last character of 43 holds two bits that say nothing: this would be the same key once more.
    const respelt = `${seed.slice(0, -1)}${String.fromCharCode(seed.charCodeAt(42) + 1)}`;
    expect(Buffer.from(respelt, 'base64url')).toEqual(Buffer.from(seed, 'base64url'));
    expect(problems({ URR_KEYS: `${seed},${respelt}` })).toEqual(secondIsNone);
    expect(problems({ URR_KEYS: `${seed},${seed}` })).toEqual(['URR_KEYS holds the same key twice']);
  });

  it('warns about a misspelt variable and leaves those of others alone', () => {
    const { warnings } = parsed({ URR_PROT: '1', URR_SOMETHING_ELSE: '1', URR_TEST_REQUIRE: 'all', PATH: '/bin' });
    expect(warnings).toEqual([
      'URR_PROT is not a setting and is ignored; did you mean URR_PORT?',
      'URR_SOMETHING_ELSE is not a setting and is ignored',
    ]);
  });
});

describe('describeConfig', () => {
  it('shows what is in force and from where, and no secret', () => {
    const { config, sources } = parsed({
      URR_PORT: '1',
      URR_PROVIDERS: 'name|hidden',
      URR_DATABASE_URL: 'postgres://urr:hidden@db/urr?password=hidden',
      URR_ACCESS_TOKEN_SECRET: `${secretA},${secretB}`,
    });
    const rows = describeConfig(schema, config, sources);
    expect(rows.find((row) => row.name === 'port')).toMatchObject({ env: 'URR_PORT', value: '1', source: 'URR_PORT' });
    expect(rows.find((row) => row.name === 'mode')).toMatchObject({ value: 'embedded', source: 'default' });
    expect(rows.find((row) => row.name === 'database')?.value).toBe('postgres://urr:********@db/urr?password=********');
    expect(rows.find((row) => row.name === 'access')?.value).toBe('********,********');
    expect(JSON.stringify(rows)).not.toMatch(/hidden|aaaa|bbbb|urr-demo/);
  });
});

describe('renderConfigReference', () => {
  it('has a table per group and a row per setting', () => {
    const markdown = renderConfigReference(schema);
    expect(markdown).toContain('## HTTP\n\n| variable |');
    expect(markdown).toContain('| `URR_PORT` | integer, 0 to 65535 | `3000` | Where to listen. |');
    expect(markdown).toContain('| `URR_HOST` | text | depends on the mode | Address. |');
    expect(markdown).toContain(
      '`URR_QUEUE_THRESHOLD`, also `QUEUE_THRESHOLD` | integer, 1 to 1000 | not set | Slots \\|',
    );
  });
});

describe('defineConfig', () => {
  it('refuses two settings of one variable', () => {
    const port = integer({ env: 'URR_PORT', default: 1, min: 0, max: 9, help: '' });
    expect(() =>
      defineConfig({ port, again: text({ env: 'X', aliases: ['URR_PORT'], default: null, help: '' }) }),
    ).toThrow('two settings read the variable URR_PORT');
  });
});
