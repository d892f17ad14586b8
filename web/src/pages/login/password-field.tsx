import { useState } from 'react';
import { Field } from '../../design/field.tsx';
import { Icon } from '../../design/icon.tsx';
import { useI18n } from '../../i18n/i18n.tsx';

export interface PasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly hint?: string;
}

/** Pasting and password managers work, and what was typed can be looked at. */
export function PasswordField({ value, onChange, problem, autoComplete, hint }: PasswordFieldProps) {
  const { t } = useI18n();
  const [shown, setShown] = useState(false);
  return (
    <Field
      label={t.auth.password}
      type={shown ? 'text' : 'password'}
      name="password"
      autoComplete={autoComplete}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={128}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      problem={problem}
      {...(hint === undefined ? {} : { hint })}
      end={
        <button
          type="button"
          aria-pressed={shown}
          className="inline-flex size-10 items-center justify-center rounded-control text-ink-soft hover:bg-sunk hover:text-ink"
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'eyeOff' : 'eye'} />
          <span className="sr-only">{t.auth.showPassword}</span>
        </button>
      }
    />
  );
}
