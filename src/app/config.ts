import { isIP } from 'node:net';
import {
  boolean,
  type ConfigOf,
  type ConfigSources,
  defineConfig,
  integer,
  list,
  oneOf,
  parseConfig,
  secretList,
  seedList,
  text,
  url,
} from '#platform/config/index.ts';
import { paceContradictions, paceSettings } from './pace-settings.ts';
import { paymentContradictions, paymentSettings } from './payment-settings.ts';
import { queueSettings } from './queue-settings.ts';
import { rateSettings } from './rate-settings.ts';
import { ticketingSettings } from './ticketing-settings.ts';
import { waitingRoomSettings } from './waiting-room-settings.ts';

/** As browsers write it: a slash at the end would match nothing. */
const originPattern = /^https?:\/\/[^\s/?#@]+$/;
const originForm = 'comma-separated list of origins, like https://tickets.example';

/** An address or a network, or one of the names that Fastify knows. */
function isNetwork(item: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(item)) return true;
  const [address = '', length, ...more] = item.split('/');
  // Of an address with a zone Fastify knows nothing.
  const bits = address.includes('%') ? 0 : ({ 4: 32, 6: 128 }[isIP(address)] ?? 0);
  if (bits === 0 || more.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
}

/** Where each role runs, if not in this process. A role names its own in `roles.ts`. */
const roleUrls = {
  authUrl: roleUrl('auth'),
  catalogUrl: roleUrl('catalog'),
  queueUrl: roleUrl('queue'),
  ticketingUrl: roleUrl('ticketing'),
  paymentsUrl: roleUrl('payments'),
  waitingRoomUrl: roleUrl('waiting-room'),
};
export type RoleUrlSetting = keyof typeof roleUrls;

function roleUrl(role: string) {
  return url({
    group: 'Roles elsewhere',
    env: `URR_${role.toUpperCase().replaceAll('-', '_')}_URL`,
    protocols: ['http:', 'https:'],
    default: null,
    help: `Where the ${role} role runs, if not here.`,
  });
}

/** Every setting of urr. `urr config` prints what is in force; docs/reference/config.md is generated from this table. */
export const configSchema = defineConfig({
  mode: oneOf({
    group: 'Serving',
    env: 'URR_MODE',
    aliases: ['NODE_ENV'],
    values: ['development', 'test', 'production'],
    default: 'development',
    help: 'In production, every secret must be given and the demonstration data is refused.',
  }),
  port: integer({
    group: 'Serving',
    env: 'URR_PORT',
    default: 3000,
    min: 0,
    max: 65_535,
    help: 'Where HTTP is served. 0 takes a free port.',
  }),
  host: text({
    group: 'Serving',
    env: 'URR_HOST',
    default: null,
    help: 'The address to listen on. Without it: 127.0.0.1 when embedded, 0.0.0.0 when `URR_DATABASE_URL` is set.',
  }),
  dataDir: text({
    group: 'Serving',
    env: 'URR_DATA_DIR',
    default: '.urr',
    help: 'The folder of the embedded engines and of secrets made here.',
  }),
  publicOrigins: list({
    group: 'Serving',
    env: 'URR_PUBLIC_ORIGINS',
    pattern: originPattern,
    form: originForm,
    default: [],
    help: 'Origins of this site as browsers see it (`https://tickets.example`). Without it the Host header decides what is same-site.',
  }),
  corsOrigins: list({
    group: 'Serving',
    env: 'URR_CORS_ORIGINS',
    pattern: originPattern,
    form: originForm,
    default: [],
    help: 'Other origins whose pages may call the API. None by default.',
  }),
  trustedProxies: list({
    group: 'Serving',
    env: 'URR_TRUSTED_PROXIES',
    isItem: isNetwork,
    form: 'comma-separated list of addresses or networks',
    default: [],
    help: 'Addresses or networks (CIDR) of the proxies in front, whose X-Forwarded-For is believed. None by default.',
  }),
  secureCookies: oneOf({
    group: 'Serving',
    env: 'URR_SECURE_COOKIES',
    values: ['auto', 'always', 'never'],
    default: 'auto',
    help: 'The Secure attribute of cookies. `auto`: on in production.',
  }),
  logLevel: oneOf({
    group: 'Serving',
    env: 'URR_LOG_LEVEL',
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    help: 'How much is logged, as JSON lines on standard error.',
  }),
  logSampleEvery: integer({
    group: 'Serving',
    env: 'URR_LOG_SAMPLE_EVERY',
    default: 100,
    min: 0,
    max: 1_000_000,
    help: 'One in this many requests is logged; failures always are. 0: none.',
  }),

  databaseUrl: url({
    group: 'Engines',
    env: 'URR_DATABASE_URL',
    protocols: ['postgres:', 'postgresql:'],
    default: null,
    help: 'PostgreSQL 15 or newer. Without it, one is run embedded in the data folder.',
  }),
  databasePoolMax: integer({
    group: 'Engines',
    env: 'URR_DATABASE_POOL_MAX',
    default: 20,
    min: 2,
    max: 500,
    help: 'Connections this process opens at most (one worker is one process).',
  }),
  databaseStatementTimeoutMs: integer({
    group: 'Engines',
    env: 'URR_DATABASE_STATEMENT_TIMEOUT_MS',
    default: 5_000,
    min: 100,
    max: 600_000,
    help: 'A statement that takes longer is ended and the request answered with 503.',
  }),
  migrateOnStart: boolean({
    group: 'Engines',
    env: 'URR_MIGRATE_ON_START',
    default: true,
    help: 'Bring the schema up to date at start. Turn it off to run `urr migrate` as a step of its own.',
  }),
  bootWaitSeconds: integer({
    group: 'Engines',
    env: 'URR_BOOT_WAIT_SECONDS',
    default: 60,
    min: 0,
    max: 3_600,
    help: 'How long a starting process waits for its engines before it gives up.',
  }),
  redisUrl: url({
    group: 'Engines',
    env: 'URR_REDIS_URL',
    protocols: ['redis:', 'rediss:'],
    default: null,
    help: 'One Redis or Valkey. Without it, state that it would hold lives in this process.',
  }),
  redisCluster: list({
    group: 'Engines',
    env: 'URR_REDIS_CLUSTER',
    pattern: /^(?:rediss?:\/\/(?:[^@\s]*@)?)?(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/,
    form: 'comma-separated list of host:port',
    default: [],
    help: 'Nodes of a Redis Cluster, `host:port`, comma-separated. Use instead of `URR_REDIS_URL`.',
  }),
  kafkaBrokers: list({
    group: 'Engines',
    env: 'URR_KAFKA_BROKERS',
    pattern: /^(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/,
    form: 'comma-separated list of host:port',
    default: [],
    help: 'Kafka brokers, `host:port`, comma-separated. Without it, the bus is a log in PostgreSQL.',
  }),
  kafkaReplication: integer({
    group: 'Engines',
    env: 'URR_KAFKA_REPLICATION',
    default: 1,
    min: 1,
    max: 7,
    help: 'Replication factor of the topics that urr makes.',
  }),

  accessTokenSecrets: secretList({
    group: 'Secrets',
    env: 'URR_ACCESS_TOKEN_SECRET',
    defaultText: 'made once, kept in the data folder; required in production',
    help: 'Signs access tokens. Needed by gateway and auth.',
  }),
  entryTokenSecrets: secretList({
    group: 'Secrets',
    env: 'URR_QUEUE_ENTRY_TOKEN_SECRET',
    aliases: ['QUEUE_ENTRY_TOKEN_SECRET'],
    defaultText: 'made once, kept in the data folder; required in production',
    help: 'Signs entry tokens of the per-event queue.',
  }),
  vwrTokenSecrets: secretList({
    group: 'Secrets',
    env: 'URR_VWR_TOKEN_SECRET',
    defaultText: 'made once, kept in the data folder; required in production',
    help: 'Signs tier-1 tokens of the waiting room.',
  }),
  ticketSecrets: secretList({
    group: 'Secrets',
    env: 'URR_TICKET_SECRET',
    defaultText: 'made once, kept in the data folder; required in production',
    help: 'Signs waiting tickets and receipts.',
  }),
  internalSecrets: secretList({
    group: 'Secrets',
    env: 'URR_INTERNAL_SECRET',
    defaultText: 'made once, kept in the data folder; required in production',
    help: 'Signs calls between roles that run in different processes.',
  }),
  ticketSigningKeys: seedList({
    group: 'Secrets',
    env: 'URR_TICKET_SIGNING_KEYS',
    defaultText: 'made once, kept in the data folder; required in production where the role ticketing runs',
    help: 'Sign the codes of tickets (Ed25519). Only the role ticketing needs them; scanners get the public halves.',
  }),

  ...roleUrls,
  remoteTimeoutMs: integer({
    group: 'Roles elsewhere',
    env: 'URR_REMOTE_TIMEOUT_MS',
    default: 5_000,
    min: 100,
    max: 120_000,
    help: 'How long the gateway and the internal client wait for a role that runs elsewhere.',
  }),
  requestTimeoutMs: integer({
    group: 'Limits',
    env: 'URR_REQUEST_TIMEOUT_MS',
    default: 15_000,
    min: 1_000,
    max: 300_000,
    help: 'How long a request may take to arrive.',
  }),
  bodyLimitBytes: integer({
    group: 'Limits',
    env: 'URR_BODY_LIMIT_BYTES',
    default: 65_536,
    min: 1_024,
    max: 10_485_760,
    help: 'The largest body of an ordinary route.',
  }),
  stopSeconds: integer({
    group: 'Limits',
    env: 'URR_STOP_SECONDS',
    default: 15,
    min: 1,
    max: 300,
    help: 'How long a stopping process finishes what is in flight.',
  }),

  ...queueSettings,
  ...paceSettings,
  ...rateSettings,
  ...ticketingSettings,
  ...waitingRoomSettings,
  ...paymentSettings,

  oidcProviders: list({
    group: 'Sign-in and demonstration',
    env: 'URR_OIDC_PROVIDERS',
    pattern: /^[a-z][a-z0-9-]*\s*(?:\|[^|]+){3}$/,
    form: 'comma-separated list of name|issuer|clientId|clientSecret',
    default: [],
    help: 'Sign-in with others: for each one `name|issuer|clientId|clientSecret`, comma-separated, e.g. `google|https://accounts.google.com|…|…`.',
    secret: true,
  }),
  demoPassword: text({
    group: 'Sign-in and demonstration',
    env: 'URR_DEMO_PASSWORD',
    default: 'urr-demo',
    help: 'The password of the demonstration accounts. A database of your own gets them only by name: see `urr help demo`.',
  }),
});

export type UrrConfig = ConfigOf<typeof configSchema>;

export class ConfigProblem extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

export interface LoadedConfig {
  readonly config: UrrConfig;
  readonly sources: ConfigSources<typeof configSchema>;
  readonly warnings: readonly string[];
}

/** Said by one process of ours to another, or by the tests to themselves. */
const notSettings = ['URR_TEST_', 'URR_PARENT_WATCH', 'URR_WORKER'];

/** Parses the environment once. Every problem is reported together. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): LoadedConfig {
  const parsed = parseConfig(configSchema, env, { ignored: notSettings });
  const contradicting = contradictions(parsed.config);
  if (!parsed.ok) throw new ConfigProblem([...parsed.problems, ...contradicting]);
  if (contradicting.length > 0) throw new ConfigProblem(contradicting);
  return { config: parsed.config, sources: parsed.sources, warnings: parsed.warnings };
}

export const secretKeys = [
  'accessTokenSecrets',
  'entryTokenSecrets',
  'vwrTokenSecrets',
  'ticketSecrets',
  'internalSecrets',
  'ticketSigningKeys',
] as const;
export type SecretKey = (typeof secretKeys)[number];

/** Needed by the roles that say so in `roles.ts` and by no other process: `secretsMissing` looks there. */
const secretsOfRoles: ReadonlySet<SecretKey> = new Set(['ticketSigningKeys']);

/** What no single variable can be blamed for. A setting that could not be read is missing here and has been blamed already. */
function contradictions(config: Partial<UrrConfig>): string[] {
  const problems: string[] = [];
  if (typeof config.redisUrl === 'string' && config.redisCluster !== undefined && config.redisCluster.length > 0) {
    problems.push('URR_REDIS_URL and URR_REDIS_CLUSTER are both set; give one');
  }
  if (typeof config.sqsQueueUrl === 'string' && !config.sqsQueueUrl.endsWith('.fifo')) {
    problems.push('URR_SQS_QUEUE_URL must be of a FIFO queue, whose name ends with .fifo');
  }
  if (typeof config.sqsEndpoint === 'string' && config.sqsQueueUrl === null) {
    problems.push('URR_SQS_ENDPOINT is set without URR_SQS_QUEUE_URL');
  }
  problems.push(...paceContradictions(config), ...paymentContradictions(config));
  const owners = new Map<string, string>();
  for (const key of secretKeys) {
    const variable = configSchema[key].env;
    const secrets = config[key];
    if (secrets === undefined) continue;
    if (secrets.length === 0 && config.mode === 'production' && !secretsOfRoles.has(key))
      problems.push(`${variable} is required in production`);
    for (const secret of secrets) {
      const owner = owners.get(secret);
      if (owner !== undefined)
        problems.push(`${variable} and ${owner} hold the same secret; each kind of token needs its own`);
      owners.set(secret, variable);
    }
  }
  return problems;
}
