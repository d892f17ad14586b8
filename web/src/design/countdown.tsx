import { classNames } from './class-names.ts';
import type { TimeParts } from './time-parts.ts';

export interface CountdownProps {
  /** `null` while the time is not known: the same room is kept, so nothing moves when it arrives. */
  readonly parts: TimeParts | null;
  readonly labels: Readonly<Record<keyof TimeParts, string>>;
  /** Read instead of the digits, which change too often to be spoken. */
  readonly description: string;
  readonly size?: 'large' | 'small';
}

const units = ['days', 'hours', 'minutes', 'seconds'] as const;

export function Countdown({ parts, labels, description, size = 'large' }: CountdownProps) {
  return (
    <div role="timer" aria-label={description} className="w-full">
      <div aria-hidden="true" className="grid grid-cols-4 gap-2">
        {units.map((unit) => (
          <div
            key={unit}
            className={classNames(
              'flex flex-col items-center rounded-control bg-sunk',
              size === 'large' ? 'px-1 pt-3 pb-2.5' : 'px-1 pt-2 pb-1.5',
            )}
          >
            <span
              className={classNames(
                'font-bold font-figures tabular-nums leading-none tracking-tight',
                size === 'large' ? 'text-[clamp(1.75rem,1.2rem+2.4vw,2.75rem)]' : 'text-2xl',
              )}
            >
              {parts === null ? '–' : String(parts[unit]).padStart(unit === 'days' ? 1 : 2, '0')}
            </span>
            <span className="mt-1.5 text-ink-soft text-meta leading-none">{labels[unit]}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
