import { type ReactNode, Suspense, useId, useState } from 'react';
import { Icon } from '../../design/icon.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { useI18n } from '../../i18n/i18n.tsx';

/** The quick way, always in sight and folded until it is wanted. */
export function BestDisclosure({ children }: { readonly children: ReactNode }) {
  const { t } = useI18n();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label={t.best.title} className="mt-3 rounded-card border border-line bg-surface">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-12 w-full items-center gap-2.5 rounded-card px-4 text-left font-bold hover:bg-sunk"
        >
          <Icon name="seat" className="size-5 text-seal" />
          {t.best.title}
          <Icon name="right" className={`ml-auto size-4 ${isOpen ? '-rotate-90' : 'rotate-90'}`} />
        </button>
      </h2>
      <div id={id} hidden={!isOpen} className="px-4 pb-4">
        {isOpen && <Suspense fallback={<Skeleton className="h-72 w-full" />}>{children}</Suspense>}
      </div>
    </section>
  );
}
