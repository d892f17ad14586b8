import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import {
  type ClosedLoopConfig,
  decideShare,
  loopAtStart,
  type OriginHealth,
  type OriginShare,
} from '../domain/closed-loop.ts';
import { windowMs } from '../domain/latency-window.ts';

/** The closed loop of this process. Null health is no news, and so is a call that never comes. */
export interface OriginLoop {
  decide(health: OriginHealth | null): void;
  share(): OriginShare;
}

export function createOriginLoop(deps: { config: ClosedLoopConfig; clock: Clock; logger: Logger }): OriginLoop {
  const { clock, logger } = deps;
  const config = { ...deps.config, settleMs: windowMs };
  let state = loopAtStart;
  let last: OriginShare = { share: state.share, reason: 'no-news', health: null };
  return {
    decide(health) {
      const before = state.share;
      const { state: next, decision } = decideShare(config, state, { health, nowMs: clock.monotonicMs() });
      state = next;
      last = decision;
      const { share, reason } = decision;
      const { p95TargetMs, errorRateTarget } = config;
      const level = share === before ? 'debug' : 'info';
      logger[level]({ before, share, reason, ...health, p95TargetMs, errorRateTarget }, 'share that the origin bears');
    },
    share: () => last,
  };
}
