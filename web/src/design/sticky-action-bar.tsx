import type { ReactNode } from 'react';

/** The one thing to do on a page: on a phone always in sight at the bottom, on a wide screen where it stands. */
export function StickyActionBar({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section
      aria-label={label}
      data-action-bar
      className="fixed inset-x-0 bottom-0 z-20 border-line-strong border-t bg-surface px-4 pt-3 pb-[calc(0.75rem+env(safe-area-inset-bottom))] shadow-lift lg:static lg:rounded-card lg:border lg:border-line lg:p-5"
    >
      {children}
    </section>
  );
}
