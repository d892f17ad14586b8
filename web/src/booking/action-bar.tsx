import { type ReactNode, useId, useState } from 'react';
import { Button } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { Icon } from '../design/icon.tsx';
import { useI18n } from '../i18n/i18n.tsx';

export interface ActionBarProps {
  readonly title: string;
  /** `2석 · 286,000원` */
  readonly summary: string;
  readonly action: string;
  readonly canAct: boolean;
  readonly busy: boolean;
  readonly onAct: () => void;
  /** What was chosen; on a phone it is folded away. */
  readonly children: ReactNode;
  readonly notice?: ReactNode;
}

/** What was chosen and the one thing to do about it: on a phone a sheet at the bottom, on a wide screen a card in the column. */
export function ActionBar({ title, summary, action, canAct, busy, onAct, children, notice }: ActionBarProps) {
  const { t } = useI18n();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <section
      aria-label={title}
      data-action-bar
      className="fixed inset-x-0 bottom-0 z-20 max-h-[70dvh] overflow-y-auto border-line-strong border-t bg-surface px-4 pt-2 pb-[calc(0.75rem+env(safe-area-inset-bottom))] shadow-lift lg:static lg:max-h-none lg:rounded-card lg:border lg:border-line lg:p-5"
    >
      <h2 className="hidden font-bold text-lead lg:block">{title}</h2>
      <div id={id} className={classNames('pb-2 lg:block lg:pt-2', !isOpen && 'hidden')}>
        {children}
      </div>
      {notice}
      <div className="flex items-center gap-3 lg:mt-3 lg:flex-col lg:items-stretch">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-12 min-w-0 flex-1 items-center gap-2 text-left lg:hidden"
        >
          <Icon name="right" className={classNames('size-4 shrink-0', isOpen ? 'rotate-90' : '-rotate-90')} />
          <span className="min-w-0 truncate font-extrabold tabular-nums">{summary}</span>
          <span className="sr-only">{isOpen ? t.seats.hideChosen : t.seats.showChosen}</span>
        </button>
        <Button busy={busy} aria-disabled={!canAct || undefined} onClick={onAct} className="shrink-0 lg:w-full">
          {action}
        </Button>
      </div>
    </section>
  );
}
