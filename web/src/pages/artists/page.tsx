import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../app/api.ts';
import { QueryView } from '../../app/query-view.tsx';
import { TabTitle } from '../../app/tab-title.tsx';
import { Button } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Poster } from '../../design/poster.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { useI18n } from '../../i18n/i18n.tsx';

const pageLimit = 24;

export function ArtistsPage() {
  const { t, pick } = useI18n();
  const artists = useInfiniteQuery({
    queryKey: ['artists', 'all'],
    queryFn: ({ signal, pageParam }) =>
      api.listArtists({ query: { limit: pageLimit, cursor: pageParam ?? undefined } }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  return (
    <>
      <TabTitle>{t.artists.title}</TabTitle>
      <h1 className="mt-8 mb-8 font-black text-display">{t.artists.title}</h1>
      <QueryView query={artists} skeleton={<ArtistsSkeleton />}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) return <EmptyState title={t.artists.emptyTitle} text={t.artists.emptyText} />;
          return (
            <>
              <ul className={grid}>
                {items.map((artist) => (
                  <li key={artist.id} className="group relative text-center">
                    <Poster imageUrl={artist.imageUrl} seed={artist.id} alt="" className={portrait} />
                    <h2 className="mt-3 font-bold text-lead leading-snug">
                      <Link
                        to="/artists/$artistId"
                        params={{ artistId: artist.id }}
                        className="after:absolute after:inset-0 after:rounded-card group-hover:underline group-hover:decoration-2 group-hover:underline-offset-4"
                      >
                        {pick(artist.name, artist.nameEn)}
                      </Link>
                    </h2>
                  </li>
                ))}
              </ul>
              {artists.hasNextPage && (
                <div className="mt-10 flex justify-center">
                  <Button
                    look="secondary"
                    busy={artists.isFetchingNextPage}
                    onClick={() => void artists.fetchNextPage()}
                  >
                    {t.common.more}
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function ArtistsSkeleton() {
  return (
    <div className={grid}>
      {Array.from({ length: 8 }, (_, index) => index).map((index) => (
        <div key={index} className="flex flex-col items-center">
          <Skeleton className={portrait} />
          <Skeleton className="mt-3 h-6 w-24" />
        </div>
      ))}
    </div>
  );
}

const grid = 'grid grid-cols-2 gap-x-6 gap-y-9 sm:grid-cols-3 md:grid-cols-4 lg:grid-cols-5';
const portrait = 'mx-auto aspect-square w-full max-w-52 rounded-full border border-line';
