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

/** As a clock shows it, `08:12`: always as wide, so that nothing moves while it counts. */
export function clockText(remainingMs: number): string {
  const { days, hours, minutes, seconds } = timeParts(remainingMs);
  const wholeHours = days * 24 + hours;
  const parts = wholeHours > 0 ? [wholeHours, minutes, seconds] : [minutes, seconds];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
