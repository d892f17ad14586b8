import { type ReactNode, useId } from 'react';

export interface SectionProps {
  readonly title: string;
  /** Beside the title, at its end. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-14">
      <div className="mb-5 flex items-baseline justify-between gap-4">
        <h2 id={id} className="font-extrabold text-headline">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
