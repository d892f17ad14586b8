import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isProblem } from '../../api/problem.ts';
import { api } from '../../app/api.ts';
import { QueryView } from '../../app/query-view.tsx';
import { TabTitle } from '../../app/tab-title.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Poster } from '../../design/poster.tsx';
import { Section } from '../../design/section.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { EventGrid, EventGridSkeleton } from '../../events/event-card.tsx';
import { eventsOfArtist } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { NotFoundPage } from '../not-found/page.tsx';

export function ArtistPage() {
  const { t, pick } = useI18n();
  const { artistId } = useParams({ from: '/artists/$artistId' });
  const artist = useQuery({
    queryKey: ['artists', 'one', artistId],
    queryFn: ({ signal }) => api.getArtist({ params: { artistId } }, { signal }),
  });
  const events = useQuery(eventsOfArtist(artistId));
  if (isProblem(artist.error) && (artist.error.status === 404 || artist.error.status === 400)) return <NotFoundPage />;
  return (
    <QueryView query={artist} skeleton={<ArtistSkeleton />}>
      {({ name, nameEn, description, imageUrl, id }) => (
        <>
          <TabTitle>{pick(name, nameEn)}</TabTitle>
          <div className="mt-8 flex flex-col gap-6 sm:flex-row sm:items-center sm:gap-10">
            <Poster imageUrl={imageUrl} seed={id} alt="" eager className={portrait} />
            <div>
              <h1 className="font-black text-display">{pick(name, nameEn)}</h1>
              {description !== '' && <p className="mt-4 max-w-2xl whitespace-pre-line text-ink-soft">{description}</p>}
            </div>
          </div>
          <Section title={t.artists.events}>
            <QueryView query={events} skeleton={<EventGridSkeleton />}>
              {({ items }) =>
                items.length === 0 ? (
                  <EmptyState title={t.artists.noEvents} text={t.artists.noEventsText} />
                ) : (
                  <EventGrid events={items} />
                )
              }
            </QueryView>
          </Section>
        </>
      )}
    </QueryView>
  );
}

function ArtistSkeleton() {
  return (
    <div className="mt-8 flex flex-col gap-6 sm:flex-row sm:items-center sm:gap-10">
      <Skeleton className={portrait} />
      <Skeleton className="h-12 w-64" />
    </div>
  );
}

const portrait = 'aspect-square w-40 shrink-0 rounded-full border border-line sm:w-52';
