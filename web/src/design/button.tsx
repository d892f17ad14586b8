import type { ButtonHTMLAttributes } from 'react';
import { classNames } from './class-names.ts';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  readonly wide?: boolean;
  /** Work is under way: the button keeps its size and its focus, and takes no second press. */
  readonly busy?: boolean;
}

export function Button({ look = 'primary', wide = false, busy = false, className, onClick, ...rest }: ButtonProps) {
  const inactive = busy || rest['aria-disabled'] === true;
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      aria-disabled={inactive || undefined}
      {...rest}
      onClick={inactive ? (event) => event.preventDefault() : onClick}
      className={classNames(buttonClass({ look, wide, inactive }), className)}
    />
  );
}

/** The look alone, for links that act like the main thing to do on a page. */
export function buttonClass(options: { look?: Look; wide?: boolean; inactive?: boolean } = {}): string {
  const { look = 'primary', wide = false, inactive = false } = options;
  return classNames(
    'inline-flex min-h-12 items-center justify-center gap-2 rounded-control px-5 text-body font-bold motion-safe:transition-colors',
    wide && 'w-full',
    inactive ? 'cursor-not-allowed border border-line-strong bg-sunk text-ink-soft' : looks[look],
  );
}

const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-seal text-on-seal hover:bg-seal-hover',
  secondary: 'border border-line-strong bg-surface text-ink hover:bg-sunk',
  quiet: 'text-ink hover:bg-sunk',
  danger: 'border border-seal bg-surface text-seal hover:bg-seal-wash',
};
