import type { RateLimits } from '#modules/gateway/index.ts';
import { type ConfigOf, defineConfig, integer } from '#platform/config/index.ts';

/** How many calls of each class a user, or an address without one, may make. */
export const rateSettings = defineConfig({
  rateReadPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_READ_PER_MINUTE',
    default: 6_000,
    min: 1,
    max: 1_000_000_000,
    help: 'Reads a minute per user or address, counted in each process.',
  }),
  ratePollPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_POLL_PER_MINUTE',
    default: 6_000,
    min: 1,
    max: 1_000_000_000,
    help: 'Polls a minute per user or address, counted in each process.',
  }),
  rateWatchPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_WATCH_PER_MINUTE',
    default: 600_000,
    min: 1,
    max: 1_000_000_000,
    help: 'Questions of waiting pages of tier 1 a minute per user or address, counted in each process. Carriers put thousands behind one.',
  }),
  rateWritePerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_WRITE_PER_MINUTE',
    default: 600,
    min: 1,
    max: 1_000_000_000,
    help: 'Changes a minute per user or address, shared through Redis. So are the classes below that do not say otherwise.',
  }),
  rateLoginPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_LOGIN_PER_MINUTE',
    default: 600,
    min: 1,
    max: 1_000_000_000,
    help: 'Sign-ins a minute per address, no matter who is signed in there. Carriers put thousands behind one.',
  }),
  rateAssignPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_ASSIGN_PER_MINUTE',
    default: 6_000,
    min: 1,
    max: 1_000_000_000,
    help: 'Tier-1 numbers a minute per address (IPv6: per /64), counted in each process.',
  }),
  rateCheckPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_CHECK_PER_MINUTE',
    default: 600,
    min: 1,
    max: 1_000_000_000,
    help: 'Queue checks a minute per user.',
  }),
  rateEnterPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_ENTER_PER_MINUTE',
    default: 600,
    min: 1,
    max: 1_000_000_000,
    help: 'Buffered entries a minute per user.',
  }),
  rateReservePerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_RESERVE_PER_MINUTE',
    default: 600,
    min: 1,
    max: 1_000_000_000,
    help: 'Holds a minute per user.',
  }),
  rateConfirmPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_CONFIRM_PER_MINUTE',
    default: 600,
    min: 1,
    max: 1_000_000_000,
    help: 'Payment confirmations a minute per user.',
  }),
  rateWebhookPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_WEBHOOK_PER_MINUTE',
    default: 6_000,
    min: 1,
    max: 1_000_000_000,
    help: 'Webhooks of payment providers a minute per address, counted in each process.',
  }),
  rateExportPerMinute: integer({
    group: 'Rate limits',
    env: 'URR_RATE_EXPORT_PER_MINUTE',
    default: 6,
    min: 1,
    max: 1_000_000_000,
    help: 'Exports of the own data a minute per user. Each asks every module for all it has.',
  }),
});

export function rateLimitsOf(config: ConfigOf<typeof rateSettings>): RateLimits {
  return {
    read: perMinute(config.rateReadPerMinute),
    poll: perMinute(config.ratePollPerMinute),
    watch: perMinute(config.rateWatchPerMinute),
    write: perMinute(config.rateWritePerMinute),
    login: perMinute(config.rateLoginPerMinute),
    assign: perMinute(config.rateAssignPerMinute),
    check: perMinute(config.rateCheckPerMinute),
    enter: perMinute(config.rateEnterPerMinute),
    reserve: perMinute(config.rateReservePerMinute),
    confirm: perMinute(config.rateConfirmPerMinute),
    webhook: perMinute(config.rateWebhookPerMinute),
    export: perMinute(config.rateExportPerMinute),
  };
}

function perMinute(capacity: number) {
  return { capacity, refillMs: 60_000 };
}
