import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  /** Stands inside the box, at its end. */
  readonly end?: ReactNode;
}

export function Field({ label, hint, problem, end, className, ...input }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(Boolean);
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block font-bold text-meta">
        {label}
      </label>
      <div className="relative">
        <input
          {...input}
          id={id}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={described.join(' ') || undefined}
          className={classNames(
            'block min-h-12 w-full rounded-control border bg-surface px-3.5 text-body placeholder:text-ink-soft',
            problem === undefined ? 'border-line-strong' : 'border-seal',
            end !== undefined && 'pr-13',
          )}
        />
        {end !== undefined && <div className="absolute inset-y-0 right-1 flex items-center">{end}</div>}
      </div>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1.5 text-ink-soft text-meta">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="mt-1.5 font-bold text-meta text-seal">
          {problem}
        </p>
      )}
    </div>
  );
}
