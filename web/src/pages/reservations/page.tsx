import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { QueryView } from '../../app/query-view.tsx';
import { useSession } from '../../app/session.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { useServerNow } from '../../app/use-server-now.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Toast, useToast } from '../../design/toast.tsx';
import { oneEvent } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { PurchaseWordsProvider, usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { type GroupName, groupNames, groupOf } from '../../reservations/groups.ts';
import { myReservations } from '../../reservations/reservation-queries.ts';
import type { Reservation } from '../../reservations/reservation-types.ts';
import { ReservationCard } from './reservation-card.tsx';

export function ReservationsPage() {
  return (
    <PurchaseWordsProvider>
      <MyReservations />
    </PurchaseWordsProvider>
  );
}

function MyReservations() {
  const { t } = useI18n();
  const session = useSession();
  const query = useInfiniteQuery({
    ...myReservations,
    enabled: session.state !== 'anonymous',
    // Money that is on its way back arrives while one looks.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isMoving)) ? refundPollMs : false,
  });
  const isStranger = isProblem(query.error) && query.error.status === 401;
  if (session.state === 'anonymous' || isStranger) {
    return <Navigate to="/login" search={{ next: '/my/reservations' }} replace />;
  }
  return (
    <div className="mx-auto max-w-3xl">
      <TabTitle>{t.bookings.title}</TabTitle>
      <div className="mt-8 mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-1">
        <h1 className="font-black text-display">{t.bookings.title}</h1>
        <Link
          to="/my/tickets"
          className="inline-flex min-h-11 items-center font-bold text-[0.9375rem] text-ink-soft underline underline-offset-4 hover:text-ink"
        >
          {t.bookings.ticketsTitle}
        </Link>
      </div>
      <QueryView query={query} skeleton={<ReservationsSkeleton />}>
        {({ pages }) => (
          <>
            <Reservations items={pages.flatMap(({ items }) => items)} refresh={() => void query.refetch()} />
            {query.hasNextPage && (
              <div className="mt-8 flex justify-center">
                <Button look="secondary" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t.common.more}
                </Button>
              </div>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

const refundPollMs = 4_000;
const isMoving = ({ paymentStatus }: Reservation) => paymentStatus === 'refund_requested';

interface ReservationsProps {
  readonly items: readonly Reservation[];
  readonly refresh: () => void;
}

function Reservations({ items, refresh }: ReservationsProps) {
  const { t } = useI18n();
  const w = usePurchaseWords();
  const [selected, select] = useState<GroupName>('upcoming');
  const { toast, say } = useToast();
  const now = useServerNow(items.some(({ status }) => status === 'pending'));
  const eventIds = [...new Set(items.map(({ eventId }) => eventId))];
  const events = useQueries({
    queries: eventIds.map((eventId) => oneEvent(eventId)),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data] as const]))),
  });
  const groups: Record<GroupName, Reservation[]> = { upcoming: [], past: [], cancelled: [] };
  for (const item of items) {
    const event = events.get(item.eventId);
    groups[groupOf(item, event === undefined ? null : Date.parse(event.startsAt), now)].push(item);
  }
  const shown = groups[selected];
  return (
    <>
      <Toast toast={toast} />
      <Tabs
        label={t.bookings.title}
        selected={selected}
        onSelect={select}
        tabs={groupNames.map((name) => ({ name, label: w.bookings.tabs[name], count: groups[name].length }))}
      >
        {shown.length === 0 ? (
          <EmptyState
            {...w.bookings.empty[selected]}
            action={
              selected === 'upcoming' && (
                <Link to="/" className={buttonClass()}>
                  {w.tickets.find}
                </Link>
              )
            }
          />
        ) : (
          <ul className="grid gap-4">
            {shown.map((reservation) => (
              <li key={reservation.id}>
                <ReservationCard
                  reservation={reservation}
                  event={events.get(reservation.eventId)}
                  nowMs={now}
                  onStale={refresh}
                  onChanged={() => {
                    say(w.bookings.cancelled);
                    refresh();
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </Tabs>
    </>
  );
}

function ReservationsSkeleton() {
  return (
    <>
      <Skeleton className="h-12 w-full" />
      <Skeleton className="mt-6 h-56 w-full rounded-card" />
      <Skeleton className="mt-4 h-56 w-full rounded-card" />
    </>
  );
}
