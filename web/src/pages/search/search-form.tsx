import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { parseSearch, type SearchParams, searchStatuses } from '../../app/search-params.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { useI18n } from '../../i18n/i18n.tsx';

/** The address holds the question, so that a search can be sent to a friend and survives the back button. */
export function SearchForm({ params }: { readonly params: SearchParams }) {
  const { t } = useI18n();
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const q = params.q ?? '';
  useEffect(() => {
    // The way back, and a link, change the address: the same box follows, and keeps the focus.
    if (input.current !== null) input.current.value = q;
  }, [q]);
  return (
    <search>
      <form
        className="mt-6 flex max-w-2xl gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void navigate({ to: '/search', search: parseSearch({ ...params, q: input.current?.value }) });
        }}
      >
        <div className="relative flex-1">
          <span className="pointer-events-none absolute inset-y-0 left-3.5 flex items-center text-ink-soft">
            <Icon name="search" />
          </span>
          <input
            ref={input}
            type="search"
            name="q"
            defaultValue={q}
            maxLength={100}
            aria-label={t.search.label}
            placeholder={t.search.placeholder}
            enterKeyHint="search"
            className="min-h-12 w-full rounded-control border border-line-strong bg-surface pr-3 pl-11 placeholder:text-ink-soft"
          />
        </div>
        <Button type="submit">{t.search.submit}</Button>
      </form>
    </search>
  );
}

export function StatusFilter({ params }: { readonly params: SearchParams }) {
  const { t } = useI18n();
  return (
    <nav aria-label={t.search.status} className="mt-4">
      <ul className="flex flex-wrap gap-2">
        {[undefined, ...searchStatuses].map((status) => (
          <li key={status ?? 'all'}>
            <Link
              to="/search"
              search={parseSearch({ ...params, status })}
              aria-current={params.status === status ? 'true' : undefined}
              activeProps={{}}
              className={chip(params.status === status)}
            >
              {status === undefined ? t.search.all : t.status[status]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function chip(chosen: boolean): string {
  const look = chosen ? 'border-ink bg-ink text-paper' : 'border-line-strong bg-surface hover:bg-sunk';
  return `inline-flex min-h-10 items-center rounded-full border px-4 font-bold text-[0.9375rem] ${look}`;
}
