import { Children, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Icon } from '../../design/icon.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';

/** One at a time, by swiping, with buttons or with arrow keys. On paper all of them. */
export function Carousel({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const { format } = useI18n();
  const w = usePurchaseWords();
  const list = useRef<HTMLUListElement>(null);
  const [index, setIndex] = useState(0);
  const items = Children.toArray(children);
  const go = (to: number) => {
    const next = Math.min(items.length - 1, Math.max(0, to));
    const item = list.current?.children[next];
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    item?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'nearest', inline: 'center' });
    setIndex(next);
  };
  const onScroll = () => {
    const element = list.current;
    if (element !== null && element.clientWidth > 0) setIndex(Math.round(element.scrollLeft / element.clientWidth));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    go(index + step);
  };
  return (
    <section aria-label={label} onKeyDown={onKeyDown} className="mt-6">
      <ul
        ref={list}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="-mx-4 flex snap-x snap-mandatory overflow-x-auto pb-6 [scrollbar-width:none] print:block"
      >
        {items.map((item, place) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the item itself has the key
            key={place}
            aria-label={w.tickets.of(format.count(place + 1), format.count(items.length))}
            // What is out of sight takes no focus.
            inert={place !== index}
            className="w-full shrink-0 snap-center px-4 print:mb-8"
          >
            {item}
          </li>
        ))}
      </ul>
      {items.length > 1 && (
        <div className="flex items-center justify-center gap-4 print:hidden">
          <button
            type="button"
            className={round}
            aria-disabled={index === 0 || undefined}
            onClick={() => go(index - 1)}
          >
            <Icon name="right" className="size-5 rotate-180" />
            <span className="sr-only">{w.tickets.previous}</span>
          </button>
          <p role="status" className="font-bold tabular-nums">
            {w.tickets.of(format.count(index + 1), format.count(items.length))}
          </p>
          <button
            type="button"
            className={round}
            aria-disabled={index === items.length - 1 || undefined}
            onClick={() => go(index + 1)}
          >
            <Icon name="right" className="size-5" />
            <span className="sr-only">{w.tickets.next}</span>
          </button>
        </div>
      )}
    </section>
  );
}

const round =
  'inline-flex size-12 items-center justify-center rounded-full border border-line-strong bg-surface hover:bg-sunk aria-disabled:cursor-not-allowed aria-disabled:border-line aria-disabled:text-ink-soft';
