export interface TimeParts {
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

/** Splits what is left. Rounded up, so that 0 is shown at the very moment and never before it. */
export function timeParts(remainingMs: number): TimeParts {
  const total = Math.max(0, Math.ceil(remainingMs / 1_000));
  return {
    days: Math.floor(total / 86_400),
    hours: Math.floor(total / 3_600) % 24,
    minutes: Math.floor(total / 60) % 60,
    seconds: total % 60,
  };
}
