import { Link, Navigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isProblem } from '../../api/problem.ts';
import { QueryView } from '../../app/query-view.tsx';
import { serverNow } from '../../app/server-clock.ts';
import { useSession } from '../../app/session.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { Button, buttonClass } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Notice } from '../../design/notice.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { PurchaseWordsProvider, usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Ticket } from '../../reservations/reservation-types.ts';
import { orderTickets } from '../../reservations/ticket-order.ts';
import { Carousel } from './carousel.tsx';
import { keepPage } from './keep-page.ts';
import { TicketCard } from './ticket-card.tsx';
import { useTickets } from './use-tickets.ts';
import { useWakeLock } from './use-wake-lock.ts';

export function TicketsPage() {
  const session = useSession();
  if (session.state === 'anonymous') return <Navigate to="/login" search={{ next: '/my/tickets' }} replace />;
  return (
    <PurchaseWordsProvider>
      <Tickets name={session.name} />
    </PurchaseWordsProvider>
  );
}

function Tickets({ name }: { readonly name: string }) {
  const { t, format } = useI18n();
  const w = usePurchaseWords();
  const { query, tickets, keptAtMs } = useTickets(name);
  if (isProblem(query.error) && query.error.status === 401) {
    return <Navigate to="/login" search={{ next: '/my/tickets' }} replace />;
  }
  return (
    <div className="mx-auto max-w-2xl">
      <TabTitle>{t.bookings.ticketsTitle}</TabTitle>
      <div className="mt-8 flex flex-wrap items-end justify-between gap-x-6 gap-y-1 print:hidden">
        <h1 className="font-black text-display">{t.bookings.ticketsTitle}</h1>
        <Link to="/my/reservations" className={quiet}>
          {t.bookings.title}
        </Link>
      </div>
      {keptAtMs !== null && (
        <div className="mt-4 print:hidden">
          <Notice tone="warning">{w.tickets.keptOffline(format.dateTime(keptAtMs))}</Notice>
        </div>
      )}
      <QueryView query={{ ...query, data: tickets }} skeleton={<TicketSkeleton />}>
        {(known) => <TicketList name={name} tickets={known} />}
      </QueryView>
    </div>
  );
}

function TicketList({ name, tickets }: { readonly name: string; readonly tickets: readonly Ticket[] }) {
  const { t } = useI18n();
  const w = usePurchaseWords();
  const { good, over } = orderTickets(tickets, serverNow());
  const hasCode = good.some(({ state }) => state === 'issued');
  useWakeLock(hasCode);
  useEffect(() => {
    // Only worth it for those who have one; and a browser that cannot is none the worse.
    if (good.length > 0) void keepPage().catch(() => undefined);
  }, [good.length]);
  if (tickets.length === 0) {
    return (
      <EmptyState
        title={w.tickets.empty}
        text={w.tickets.emptyText}
        action={
          <Link to="/" className={buttonClass()}>
            {w.tickets.find}
          </Link>
        }
      />
    );
  }
  return (
    <>
      {good.length > 0 && (
        <>
          {hasCode && <p className="mt-3 text-ink-soft print:hidden">{w.tickets.show}</p>}
          <Carousel label={t.bookings.ticketsTitle}>
            {good.map((ticket) => (
              <TicketCard key={ticket.id} name={name} ticket={ticket} />
            ))}
          </Carousel>
          <div className="mt-6 flex justify-center print:hidden">
            <Button look="secondary" onClick={() => print()}>
              {w.tickets.print}
            </Button>
          </div>
        </>
      )}
      {over.length > 0 && (
        <details open={good.length === 0} className="mt-10 print:hidden">
          <summary className="min-h-11 cursor-pointer py-2 font-bold text-lead">{w.tickets.past}</summary>
          <ul className="mt-3 grid gap-5">
            {over.map((ticket) => (
              <li key={ticket.id}>
                <TicketCard name={name} ticket={ticket} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function TicketSkeleton() {
  return <Skeleton className="mx-auto mt-14 h-[38rem] w-full max-w-md rounded-card" />;
}

const quiet =
  'inline-flex min-h-11 items-center font-bold text-[0.9375rem] text-ink-soft underline underline-offset-4 hover:text-ink';
