import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { QueryView } from '../../app/query-view.tsx';
import { TabTitle } from '../../app/tab-title.tsx';
import { Button, buttonClass } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { EventGrid, EventGridSkeleton } from '../../events/event-card.tsx';
import { eventSearch } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { SearchForm, StatusFilter } from './search-form.tsx';

export function SearchPage() {
  const { t } = useI18n();
  const params = useSearch({ from: '/search' });
  const events = useInfiniteQuery(eventSearch(params));
  return (
    <>
      <TabTitle>{t.search.title}</TabTitle>
      <h1 className="mt-8 font-black text-display">{t.search.title}</h1>
      <SearchForm params={params} />
      <StatusFilter params={params} />
      <div className="mt-8">
        <QueryView query={events} skeleton={<EventGridSkeleton count={8} />}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            if (items.length === 0) {
              return (
                <EmptyState
                  title={t.search.emptyTitle}
                  text={t.search.emptyText(params.q ?? '')}
                  action={
                    <Link to="/search" className={buttonClass({ look: 'secondary' })}>
                      {t.search.reset}
                    </Link>
                  }
                />
              );
            }
            return (
              <>
                <p role="status" className="mb-5 text-ink-soft">
                  {t.search.count(items.length, events.hasNextPage)}
                </p>
                <h2 className="sr-only">{t.search.results}</h2>
                <EventGrid events={items} />
                {events.hasNextPage && (
                  <div className="mt-10 flex justify-center">
                    <Button
                      look="secondary"
                      busy={events.isFetchingNextPage}
                      onClick={() => void events.fetchNextPage()}
                    >
                      {t.common.more}
                    </Button>
                  </div>
                )}
              </>
            );
          }}
        </QueryView>
      </div>
    </>
  );
}
