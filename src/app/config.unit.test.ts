import { describe, expect, test } from 'vitest';
import { describeConfig } from '#platform/config/index.ts';
import { ConfigProblem, configSchema, loadConfig } from './config.ts';
import { queueConfig } from './queue-settings.ts';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigProblem) return error.problems;
    throw error;
  }
}

const secret = (letter: string) => letter.repeat(32);

describe('what is wrong', () => {
  test('is reported together: what one variable says, and what several say together', () => {
    const problems = problemsOf({
      URR_MODE: 'production',
      URR_PORT: 'http',
      URR_REDIS_URL: 'redis://one',
      URR_REDIS_CLUSTER: 'two:7000',
      URR_ACCESS_TOKEN_SECRET: secret('a'),
      URR_TICKET_SECRET: secret('a'),
      URR_VWR_TOKEN_SECRET: 'short',
      URR_INTERNAL_SECRET: secret('i'),
    });
    expect(problems).toEqual([
      'URR_PORT must be an integer, 0 to 65535; it is "http"',
      'URR_VWR_TOKEN_SECRET holds a secret (number 1) shorter than 32 bytes',
      'URR_REDIS_URL and URR_REDIS_CLUSTER are both set; give one',
      'URR_QUEUE_ENTRY_TOKEN_SECRET is required in production',
      'URR_TICKET_SECRET and URR_ACCESS_TOKEN_SECRET hold the same secret; each kind of token needs its own',
    ]);
  });

  test.each(['1.2.3.4/99', '1.2.3.4/33', '1.2.3.4/', '1.2.3', '::1/129', 'fe80::1%eth0', '10.0.0.0/8/8', 'proxy'])(
    '%s is no proxy to be trusted',
    (item) => {
      expect(problemsOf({ URR_TRUSTED_PROXIES: `10.0.0.1,${item}` })).toEqual([
        `URR_TRUSTED_PROXIES must be a comma-separated list of addresses or networks; "${item}" is not`,
      ]);
    },
  );

  test('addresses, networks and names of networks are', () => {
    const proxies = '10.0.0.0/8,1.2.3.4/32,::ffff:1.2.3.4,2001:db8::/128,loopback,uniquelocal';
    expect(problemsOf({ URR_TRUSTED_PROXIES: proxies })).toEqual([]);
  });

  test.each([
    ['URR_REDIS_CLUSTER', 'redis-1:7000,http://redis-2'],
    ['URR_KAFKA_BROKERS', 'kafka-1:9092,kafka-2'],
    ['URR_PUBLIC_ORIGINS', 'https://tickets.example/'],
    ['URR_CORS_ORIGINS', 'partner.example'],
    ['URR_TRUSTED_PROXIES', 'my-proxy'],
    ['URR_OIDC_PROVIDERS', 'google|https://accounts.google.com'],
  ])('%s=%s is named at start and not by the one who stumbles over it later', (variable, value) => {
    expect(problemsOf({ [variable]: value })).toEqual([expect.stringContaining(`${variable} must be a `)]);
  });

  test('a queue for notices must be a FIFO one, and an endpoint needs a queue', () => {
    expect(problemsOf({ URR_SQS_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/admissions' })).toEqual([
      'URR_SQS_QUEUE_URL must be of a FIFO queue, whose name ends with .fifo',
    ]);
    expect(problemsOf({ URR_SQS_ENDPOINT: 'http://localhost:4566' })).toEqual([
      'URR_SQS_ENDPOINT is set without URR_SQS_QUEUE_URL',
    ]);
  });

  test('keys of Toss come in pairs, and production sends them by https only', () => {
    const keys = { URR_TOSS_SECRET_KEY: 'test_sk_0123456789', URR_TOSS_CLIENT_KEY: 'test_ck_0123456789' };
    expect(problemsOf(keys)).toEqual([]);
    expect(problemsOf({ URR_TOSS_SECRET_KEY: keys.URR_TOSS_SECRET_KEY })).toEqual([
      'URR_TOSS_SECRET_KEY is set without URR_TOSS_CLIENT_KEY; the payment page needs it',
    ]);
    expect(problemsOf({ ...keys, URR_MODE: 'production', URR_TOSS_URL: 'http://toss.example' })).toContain(
      'URR_TOSS_URL must begin with https:// in production',
    );
    const { config, sources } = loadConfig(keys);
    expect(JSON.stringify(describeConfig(configSchema, config, sources))).not.toContain(keys.URR_TOSS_SECRET_KEY);
    expect(problemsOf({ ...keys, URR_TOSS_SECRET_KEY: 'not a key' }).join()).not.toContain('not a key');
  });

  test('a key that signs tickets and is a secret of something else', () => {
    const seed = Buffer.alloc(32, 1).toString('base64url');
    expect(problemsOf({ URR_TICKET_SIGNING_KEYS: seed, URR_TICKET_SECRET: seed })).toEqual([
      'URR_TICKET_SIGNING_KEYS and URR_TICKET_SECRET hold the same secret; each kind of token needs its own',
    ]);
  });

  test('a short interval above the long one, and turnover in production', () => {
    expect(problemsOf({ URR_QUEUE_PACE_SHORT_INTERVAL_MS: '3000' })).toEqual([
      'URR_QUEUE_PACE_SHORT_INTERVAL_MS (3000) must not be above URR_QUEUE_PACE_LONG_INTERVAL_MS (2000)',
    ]);
    expect(problemsOf({ QUEUE_TURNOVER_PER_TICK: '3' })).toEqual([]);
    expect(problemsOf({ QUEUE_TURNOVER_PER_TICK: '3', URR_MODE: 'production' })).toContain(
      'URR_QUEUE_TURNOVER_PER_TICK takes slots from people at random; it is for demonstrations only',
    );
  });

  test('never repeats a password', () => {
    expect(problemsOf({ URR_REDIS_CLUSTER: 'redis://urr:hidden@one:7000:7' }).join()).not.toContain('hidden');
  });
});

test.each([
  ['URR_REDIS_CLUSTER', '127.0.0.1:7000,redis://urr:pass@[::1]:7001,rediss://cache.internal'],
  ['URR_KAFKA_BROKERS', 'kafka-1.internal:9092,[::1]:9092'],
  ['URR_PUBLIC_ORIGINS', 'https://tickets.example,http://localhost:3000'],
  ['URR_TRUSTED_PROXIES', '10.0.0.0/8,127.0.0.1,fd00::/8,loopback'],
  ['URR_OIDC_PROVIDERS', 'google|https://accounts.google.com|id|secret'],
  ['URR_SQS_QUEUE_URL', 'https://sqs.eu-west-1.amazonaws.com/123456789012/admissions.fifo'],
])('%s=%s is taken', (variable, value) => {
  expect(problemsOf({ [variable]: value })).toEqual([]);
});

test('a password in the address of a cluster node is masked', () => {
  const { config, sources } = loadConfig({ URR_REDIS_CLUSTER: 'one:7000,redis://urr:hidden@two:7001' });
  const row = describeConfig(configSchema, config, sources).find(({ env }) => env === 'URR_REDIS_CLUSTER');
  expect(row?.value).toBe('one:7000,redis://urr:********@two:7001');
});

test('short slots leave time to fail to claim them', () => {
  const claimMs = (env: Record<string, string>) => queueConfig(loadConfig(env).config).claimMs;
  expect(claimMs({})).toBe(120_000);
  expect(claimMs({ URR_QUEUE_ACTIVE_TTL_SECONDS: '60' })).toBe(30_000);
});
