import { useId } from 'react';
import { Icon } from './icon.tsx';

export interface StepperProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
  readonly fewer: string;
  readonly more: string;
  /** The label stands beside it already. */
  readonly hideLabel?: boolean;
}

/** A small number that goes up and down by one. */
export function Stepper({ label, value, min, max, onChange, fewer, more, hideLabel = false }: StepperProps) {
  const id = useId();
  return (
    <fieldset className="flex items-center justify-between gap-4">
      <legend className="sr-only">{label}</legend>
      {!hideLabel && (
        <span aria-hidden="true" className="font-bold text-[0.9375rem]">
          {label}
        </span>
      )}
      <div className="flex items-center gap-1">
        <button
          type="button"
          className={round}
          aria-disabled={value <= min || undefined}
          aria-describedby={id}
          onClick={() => onChange(Math.max(min, value - 1))}
        >
          <Icon name="minus" />
          <span className="sr-only">{`${label}, ${fewer}`}</span>
        </button>
        <output id={id} className="min-w-9 text-center font-bold text-lead tabular-nums">
          {value}
        </output>
        <button
          type="button"
          className={round}
          aria-disabled={value >= max || undefined}
          aria-describedby={id}
          onClick={() => onChange(Math.min(max, value + 1))}
        >
          <Icon name="plus" />
          <span className="sr-only">{`${label}, ${more}`}</span>
        </button>
      </div>
    </fieldset>
  );
}

const round =
  'inline-flex size-11 items-center justify-center rounded-full border border-line-strong bg-surface hover:bg-sunk aria-disabled:cursor-not-allowed aria-disabled:border-line aria-disabled:text-ink-soft';
