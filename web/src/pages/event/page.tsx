import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isProblem } from '../../api/problem.ts';
import { QueryView } from '../../app/query-view.tsx';
import { TabTitle } from '../../app/tab-title.tsx';
import { useServerNow } from '../../app/use-server-now.ts';
import { Poster } from '../../design/poster.tsx';
import { Section } from '../../design/section.tsx';
import { oneEvent } from '../../events/event-queries.ts';
import type { EventDetail } from '../../events/event-types.ts';
import { saleState } from '../../events/sale-state.ts';
import { useRefetchAt } from '../../events/use-refetch-at.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { NotFoundPage } from '../not-found/page.tsx';
import { BookingPanel } from './booking-panel.tsx';
import { EventFacts } from './event-facts.tsx';
import { EventSkeleton } from './event-skeleton.tsx';
import { eventColumns, eventPoster } from './layout.ts';
import { Phases } from './phases.tsx';
import { Prices } from './prices.tsx';

export function EventPage() {
  const { eventId } = useParams({ from: '/events/$eventId' });
  const event = useQuery(oneEvent(eventId));
  if (isProblem(event.error) && (event.error.status === 404 || event.error.status === 400)) {
    return <NotFoundPage what="event" />;
  }
  return (
    <QueryView query={event} skeleton={<EventSkeleton />}>
      {(detail) => <EventView event={detail} />}
    </QueryView>
  );
}

function EventView({ event }: { readonly event: EventDetail }) {
  const { t, pick } = useI18n();
  const now = useServerNow(true);
  const sale = saleState(event, now);
  const title = pick(event.title, event.titleEn);
  const about = pick(event.description, event.descriptionEn);
  useRefetchAt(sale.kind === 'opens' ? sale.opensAt : sale.kind === 'open' ? sale.closesAt : null, ['events']);
  return (
    <>
      <TabTitle>{title}</TabTitle>
      <div className={eventColumns}>
        <Poster imageUrl={event.imageUrl} seed={event.id} alt={t.event.posterOf(title)} eager className={eventPoster} />
        <div className="min-w-0">
          <EventFacts event={event} sale={sale} title={title} />
          <BookingPanel event={event} sale={sale} />
          <Section title={t.event.phases}>
            <Phases event={event} nowMs={now} />
          </Section>
          <Section title={t.event.prices} aside={<p className="text-ink-soft">{t.event.limit(event.purchaseLimit)}</p>}>
            <Prices event={event} />
          </Section>
          {about !== '' && (
            <Section title={t.event.about}>
              <p className="max-w-prose whitespace-pre-line leading-relaxed">{about}</p>
            </Section>
          )}
        </div>
      </div>
    </>
  );
}
