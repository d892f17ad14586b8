import { useId } from 'react';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';

export interface SelectProps {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem?: string | undefined;
}

/** One of several, in the way the device shows such lists. */
export function Select({ label, options, value, onChange, problem }: SelectProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-bold text-meta">
        {label}
      </label>
      <div className="relative">
        <select
          id={id}
          value={value}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          onChange={(event) => onChange(event.target.value)}
          className={classNames(
            'block min-h-12 w-full appearance-none rounded-control border bg-surface pr-10 pl-3.5 text-body text-ink',
            problem === undefined ? 'border-line-strong' : 'border-seal',
          )}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <Icon name="right" className="pointer-events-none absolute top-4 right-3.5 size-4 rotate-90" />
      </div>
      {problem !== undefined && (
        <p id={`${id}-problem`} className="mt-1.5 font-bold text-meta text-seal">
          {problem}
        </p>
      )}
    </div>
  );
}
