import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { QueryView } from '../../app/query-view.tsx';
import { TabTitle } from '../../app/tab-title.tsx';
import { BookingGate } from '../../booking/booking-gate.tsx';
import { useBooking } from '../../booking/use-booking.ts';
import { Skeleton } from '../../design/skeleton.tsx';
import { oneEvent } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { StandingChooser } from './chooser.tsx';
import { columns } from './layout.ts';

const path = '/events/$eventId/book';

export function BookPage() {
  const { eventId } = useParams({ from: path });
  return <PlacesOfEvent key={eventId} eventId={eventId} />;
}

function PlacesOfEvent({ eventId }: { readonly eventId: string }) {
  const { t } = useI18n();
  const booking = useBooking(eventId);
  const event = useQuery(oneEvent(eventId));
  if (event.data !== undefined && event.data.standingCapacity === 0 && event.data.seatCount > 0) {
    return <Navigate to="/events/$eventId/seats" params={{ eventId }} replace />;
  }
  return (
    <BookingGate eventId={eventId} path={path} booking={booking} skeleton={<PlacesSkeleton />}>
      {(map, isLost) => (
        <>
          <TabTitle>{t.seats.standingTitle}</TabTitle>
          <QueryView query={event} skeleton={<PlacesSkeleton />}>
            {(detail) => <StandingChooser event={detail} map={map} isLost={isLost} booking={booking} />}
          </QueryView>
        </>
      )}
    </BookingGate>
  );
}

function PlacesSkeleton() {
  return (
    <div className={columns}>
      <div>
        <Skeleton className="h-9 w-2/3" />
        <Skeleton className="mt-6 h-24 w-full rounded-card" />
        <Skeleton className="mt-3 h-24 w-full rounded-card" />
      </div>
      <Skeleton className="h-48 w-full rounded-card" />
    </div>
  );
}
