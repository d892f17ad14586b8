import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { QueryView } from '../../app/query-view.tsx';
import type { SearchStatus } from '../../app/search-params.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { useServerNow } from '../../app/use-server-now.ts';
import { EmptyState } from '../../design/empty-state.tsx';
import { Notice } from '../../design/notice.tsx';
import { Section } from '../../design/section.tsx';
import { EventGrid, EventGridSkeleton } from '../../events/event-card.tsx';
import { eventsOfStatus } from '../../events/event-queries.ts';
import { useRefetchAt } from '../../events/use-refetch-at.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { arrange } from './arrange.ts';
import { NextOpening, NextOpeningSkeleton } from './next-opening.tsx';
import { Timetable } from './timetable.tsx';

const cardsMax = 8;

export function HomePage() {
  const { t } = useI18n();
  const onSale = useQuery(eventsOfStatus('on_sale'));
  const announced = useQuery(eventsOfStatus('announced'));
  const now = useServerNow(true);
  const home = arrange({ onSale: onSale.data?.items ?? [], announced: announced.data?.items ?? [], nowMs: now });
  useRefetchAt(home.next === null ? null : Date.parse(home.next.saleOpensAt), ['events', 'status']);

  // Both lists make one page: it is drawn when both are there, and what went wrong is said once.
  const missing = onSale.data === undefined ? onSale : announced;
  const both = {
    data: onSale.data && announced.data && home,
    error: missing.error,
    fetchStatus: missing.fetchStatus,
    refetch: () => [onSale, announced].map((list) => list.data === undefined && list.refetch()),
  };
  return (
    <>
      <TabTitle />
      <h1 className="sr-only">{t.home.lead}</h1>
      <QueryView query={both} skeleton={<HomeSkeleton />}>
        {({ next, later, open }) => {
          if (next === null && open.length === 0) {
            return <EmptyState title={t.home.emptyTitle} text={t.home.emptyText} />;
          }
          return (
            <>
              {next !== null && <NextOpening event={next} />}
              <Section title={t.home.onSale} aside={open.length > cardsMax && <SeeAll status="on_sale" />}>
                {open.length === 0 ? (
                  <Notice>{t.home.noneOnSale}</Notice>
                ) : (
                  <EventGrid events={open.slice(0, cardsMax)} />
                )}
              </Section>
              {later.length > 0 && (
                <Section title={t.home.opening} aside={later.length > cardsMax && <SeeAll status="announced" />}>
                  <Timetable events={later.slice(0, cardsMax)} nowMs={now} />
                </Section>
              )}
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function SeeAll({ status }: { readonly status: SearchStatus }) {
  const { t } = useI18n();
  return (
    <Link
      to="/search"
      search={{ status }}
      className="inline-flex min-h-8 items-center font-bold underline underline-offset-4"
    >
      {t.home.seeAll}
    </Link>
  );
}

function HomeSkeleton() {
  const { t } = useI18n();
  return (
    <>
      <NextOpeningSkeleton />
      <Section title={t.home.onSale}>
        <EventGridSkeleton />
      </Section>
    </>
  );
}
