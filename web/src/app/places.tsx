import { useQuery } from '@tanstack/react-query';
import { useParams, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { oneEvent } from '../events/event-queries.ts';
import { saleState } from '../events/sale-state.ts';
import { PlaceAnnouncer } from '../queue/place-announcer.tsx';
import { PlaceBar } from '../queue/place-bar.tsx';
import type { QueueView } from '../queue/queue-view.ts';
import { queues } from '../queue/queues.ts';
import { useShownPlace } from '../queue/shown-place.ts';
import { useFollowedQueues } from '../queue/use-queue.ts';
import { useTurnChime } from '../queue/use-turn-sound.ts';
import { serverNow } from './server-clock.ts';
import { useSession } from './session.ts';

/** One's places in line, on every page: shown, told and rung. What the page itself shows is left to it. */
export function Places({ aboveMenu }: { readonly aboveMenu: boolean }) {
  useQueueUser();
  const followed = useFollowedQueues();
  useTurnChime(followed);
  const { eventId: here } = useParams({ strict: false });
  const isQueue = useRouterState({
    select: ({ matches }) => matches.some(({ routeId }) => routeId === '/queue/$eventId'),
  });
  const elsewhere = followed.filter(({ eventId }) => !(isQueue && eventId === here));
  const hasButton = useHasButton(here);
  // The pages of an event show the time that is left themselves, and while it is on sale its button shows the place.
  const showsItself = ({ kind }: QueueView) =>
    kind === 'turn' || (hasButton && (kind === 'waiting' || kind === 'entering'));
  const paidFor = useShownPlace();
  const shown = elsewhere.filter(
    ({ eventId, view }) => eventId !== paidFor && !(eventId === here && showsItself(view)),
  );
  return (
    <>
      <PlaceBar places={shown} aboveMenu={aboveMenu} />
      {elsewhere.map((place) => (
        <PlaceAnnouncer key={place.eventId} place={place} />
      ))}
    </>
  );
}

/** Whether the page of the event has a way to the line, or is still being read. Asks nothing itself. */
function useHasButton(eventId: string | undefined): boolean {
  const { data: event, isError } = useQuery({ ...oneEvent(eventId ?? ''), enabled: false });
  return event === undefined ? !isError : saleState(event, serverNow()).kind === 'open';
}

/** Places end with the session, and are not the next one's. */
function useQueueUser(): void {
  const session = useSession();
  const user = session.state === 'checking' ? undefined : session.state === 'anonymous' ? null : session.user.id;
  useEffect(() => {
    if (user !== undefined) queues.setUser(user);
  }, [user]);
}
