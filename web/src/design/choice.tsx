import { useId } from 'react';

export interface ChoiceProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** One of a few, all in sight: radio buttons drawn as a row. */
export function Choice<Value extends string>({ legend, options, value, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-2 font-bold text-meta">{legend}</legend>
      <div className="flex rounded-control border border-line-strong p-1">
        {options.map((option) => (
          <label
            key={option.value}
            className="flex min-h-10 flex-1 cursor-pointer items-center justify-center rounded-lg px-3 text-center font-bold text-[0.9375rem] has-checked:bg-ink has-checked:text-paper has-focus-visible:outline-3 has-focus-visible:outline-focus has-focus-visible:outline-offset-3"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
