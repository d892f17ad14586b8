import { type ReactNode, useEffect, useRef } from 'react';
import { TabTitle } from '../../app/tab-title.tsx';
import { classNames } from '../../design/class-names.ts';
import { Perforation } from '../../design/perforation.tsx';
import { slip } from './layout.ts';

export interface SlipProps {
  readonly tone: 'jade' | 'indigo' | 'amber' | 'seal';
  readonly title: string;
  /** Below the title. */
  readonly lead: ReactNode;
  readonly children?: ReactNode;
  /** The ways on. */
  readonly actions: ReactNode;
}

/** What became of a payment, on a stub of its own. Its title has the focus: what had it is gone. */
export function Slip({ tone, title, lead, children, actions }: SlipProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another step
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    void scrollTo({ top: 0 });
  }, [title]);
  return (
    <section aria-labelledby="slip-title" className={slip}>
      <TabTitle>{title}</TabTitle>
      <div className={classNames('p-5 sm:p-7', washes[tone])}>
        <h1 id="slip-title" ref={heading} tabIndex={-1} className="font-black text-headline outline-none">
          {title}
        </h1>
        <div className="mt-2">{lead}</div>
      </div>
      <Perforation />
      <div className="px-5 pb-6 sm:px-7">
        {children}
        <div className="mt-5 flex flex-wrap items-center gap-x-5 gap-y-2">{actions}</div>
      </div>
    </section>
  );
}

const washes: Readonly<Record<SlipProps['tone'], string>> = {
  jade: 'bg-jade-wash',
  indigo: 'bg-indigo-wash',
  amber: 'bg-amber-wash',
  seal: 'bg-seal-wash',
};

/** Names and values, one under the other. */
export function SlipFacts({
  facts,
}: {
  readonly facts: readonly { readonly name: string; readonly value: ReactNode }[];
}) {
  return (
    <dl className="divide-y divide-line">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2.5">
          <dt className="text-[0.9375rem] text-ink-soft">{name}</dt>
          <dd className="font-bold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
