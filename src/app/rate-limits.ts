import type { RateLimits } from '#modules/gateway/index.ts';
import type { UrrConfig } from './config.ts';

export function rateLimitsOf(config: UrrConfig): RateLimits {
  return {
    read: perMinute(config.rateReadPerMinute),
    poll: perMinute(config.ratePollPerMinute),
    write: perMinute(config.rateWritePerMinute),
    login: perMinute(config.rateLoginPerMinute),
    assign: perMinute(config.rateAssignPerMinute),
    check: perMinute(config.rateCheckPerMinute),
    enter: perMinute(config.rateEnterPerMinute),
    reserve: perMinute(config.rateReservePerMinute),
    confirm: perMinute(config.rateConfirmPerMinute),
  };
}

function perMinute(capacity: number) {
  return { capacity, refillMs: 60_000 };
}
