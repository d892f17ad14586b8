import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { QueryView } from '../../app/query-view.tsx';
import { TabTitle } from '../../app/tab-title.tsx';
import { BookingGate } from '../../booking/booking-gate.tsx';
import { useBooking } from '../../booking/use-booking.ts';
import { oneEvent } from '../../events/event-queries.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { layoutOf } from '../../seats/seat-api.ts';
import { createSeatPlan } from '../../seats/seat-plan.ts';
import { SeatChooser } from './chooser.tsx';
import { SeatsSkeleton } from './seats-skeleton.tsx';

const path = '/events/$eventId/seats';

export function SeatsPage() {
  const { eventId } = useParams({ from: path });
  // Another event is another choice: nothing of the first may be left over.
  return <SeatsOfEvent key={eventId} eventId={eventId} />;
}

function SeatsOfEvent({ eventId }: { readonly eventId: string }) {
  const { t } = useI18n();
  const booking = useBooking(eventId);
  const event = useQuery(oneEvent(eventId));
  const { feed } = booking;
  const layout = useQuery(layoutOf(feed.kind === 'ready' ? feed.map.layoutId : event.data?.layoutId));
  const plan = useMemo(() => (layout.data === undefined ? undefined : createSeatPlan(layout.data)), [layout.data]);
  if (event.data !== undefined && event.data.seatCount === 0 && event.data.standingCapacity > 0) {
    return <Navigate to="/events/$eventId/book" params={{ eventId }} replace />;
  }
  return (
    <BookingGate eventId={eventId} path={path} booking={booking} skeleton={<SeatsSkeleton />}>
      {(map, isLost) => (
        <>
          <TabTitle>{t.seats.title}</TabTitle>
          <QueryView query={event} skeleton={<SeatsSkeleton />}>
            {(detail) => (
              <QueryView query={layout} skeleton={<SeatsSkeleton />}>
                {() =>
                  plan !== undefined && (
                    <SeatChooser
                      key={plan.layout.id}
                      event={detail}
                      plan={plan}
                      map={map}
                      isLost={isLost}
                      booking={booking}
                    />
                  )
                }
              </QueryView>
            )}
          </QueryView>
        </>
      )}
    </BookingGate>
  );
}
