import type { Clock } from '../clock.ts';

export interface CircuitBreakerOptions {
  /** Failures in a row that open it. */
  readonly failuresToOpen: number;
  /** How long callers are refused before one of them may try. */
  readonly openMs: number;
  readonly clock: Clock;
  readonly onChange?: (state: CircuitState) => void;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

/** Keeps callers from queueing up behind something that does not answer. */
export interface CircuitBreaker {
  readonly state: CircuitState;
  /** Whether to try. A caller that got `true` must report `succeeded` or `failed`. */
  allow(): boolean;
  succeeded(): void;
  failed(): void;
}

/**
 *   closed ──failuresToOpen in a row──▶ open ──openMs, first caller──▶ half-open
 *     ▲                                  ▲                               │
 *     └────────────succeeded─────────────┼───────────────────────────────┤
 *                                        └────────────failed─────────────┘
 * In half-open one caller tries and the others are refused. A try that never reports is given up after openMs.
 */
export function createCircuitBreaker({
  failuresToOpen,
  openMs,
  clock,
  onChange,
}: CircuitBreakerOptions): CircuitBreaker {
  let state: CircuitState = 'closed';
  let failuresInRow = 0;
  let tryAgainAt = 0;

  function become(next: CircuitState): void {
    if (state === next) return;
    state = next;
    onChange?.(next);
  }

  return {
    get state() {
      return state;
    },
    allow() {
      if (state === 'closed') return true;
      if (clock.monotonicMs() < tryAgainAt) return false;
      tryAgainAt = clock.monotonicMs() + openMs;
      become('half-open');
      return true;
    },
    succeeded() {
      failuresInRow = 0;
      become('closed');
    },
    failed() {
      failuresInRow += 1;
      // Late failures of calls sent before it opened must not push the next try further away.
      if (state === 'open' || (state === 'closed' && failuresInRow < failuresToOpen)) return;
      tryAgainAt = clock.monotonicMs() + openMs;
      become('open');
    },
  };
}
