import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { serverNow } from '../app/server-clock.ts';
import { useServerNow } from '../app/use-server-now.ts';
import { queues } from '../queue/queues.ts';
import { useQueueView } from '../queue/use-queue.ts';
import { type HoldState, holdState } from '../reservations/live-hold.ts';
import { myHoldOf } from '../reservations/reservation-queries.ts';
import type { Reservation } from '../reservations/reservation-types.ts';
import type { FeedView } from '../seats/seat-feed.ts';
import { useSeatFeed } from '../seats/use-seat-feed.ts';
import { type HoldNews, listenToHolds, tellHoldNews } from './hold-news.ts';
import { currentHold, hearNews, nothingTold, rememberHold } from './known-hold.ts';
import { type Stage, slotKnowledge, stageOf } from './stage.ts';

export interface Booking {
  readonly stage: Stage;
  readonly feed: FeedView;
  readonly hold: Reservation | null;
  readonly holdState: HoldState;
  readonly holdLeftMs: number;
  readonly hasSlot: boolean;
  /** What this page has done: held something, or ended the hold with this id. */
  tell(news: HoldNews): void;
  change(isChanging: boolean): void;
  /** The end of a hold was seen. */
  dismiss(): void;
  wake(): void;
}

const entryAgainMs = 1_500;

/** Where one stands with one event: the slot, what is free, what one holds. */
export function useBooking(eventId: string): Booking {
  const now = useServerNow(true);
  const slot = slotKnowledge(useQueueView(eventId), now);
  const [hadSlot, setHadSlot] = useState(false);
  const [isChanging, change] = useState(false);
  const [dismissedId, setDismissedId] = useState<string | null>(null);
  const [known, setKnown] = useState(nothingTold);
  const [feed, wake] = useSeatFeed(eventId, slot === 'has');
  useEffect(() => {
    if (slot === 'has') setHadSlot(true);
  }, [slot]);
  useEffect(() => listenToHolds(eventId, (news) => setKnown((before) => hearNews(before, news))), [eventId]);
  useEntryAgain(eventId, feed, wake);

  const own = useQuery({ ...myHoldOf(eventId, serverNow), enabled: slot === 'none' && !hadSlot });
  const map = feed.kind === 'loading' ? null : feed.map;
  const fromServer = map?.mine ?? own.data ?? null;
  useEffect(() => {
    if (fromServer !== null) setKnown((before) => rememberHold(before, fromServer));
  }, [fromServer]);
  const hold = currentHold(known, fromServer);
  const state = holdState(hold, now);
  const stage = stageOf({
    slot,
    hadSlot: hadSlot || slot === 'has',
    hold: state,
    isChanging,
    isDismissed: hold !== null && hold.id === dismissedId,
    // Without an answer the queue is the safe way: it brings anyone who has a slot back here.
    hasAskedHold: !own.isPending && own.fetchStatus !== 'fetching',
  });
  const tell = useCallback(
    (news: HoldNews) => {
      setKnown((before) => hearNews(before, news));
      change(false);
      tellHoldNews(eventId, news);
    },
    [eventId],
  );
  return {
    stage,
    feed,
    hold,
    holdState: state,
    holdLeftMs: hold === null ? 0 : Date.parse(hold.expiresAt) - now,
    hasSlot: slot === 'has',
    tell,
    change,
    dismiss: () => setDismissedId(hold?.id ?? null),
    wake,
  };
}

/** The slot's token may be missing while the slot lasts: asking the queue brings it back, and then the seats are asked again. */
function useEntryAgain(eventId: string, feed: FeedView, wake: () => void): void {
  const isRefused = feed.kind === 'stopped' && feed.problem.status === 403;
  const [hasTried, setTried] = useState(false);
  useEffect(() => {
    if (!isRefused || hasTried) return;
    queues.retry(eventId);
    const timer = setTimeout(() => {
      setTried(true);
      wake();
    }, entryAgainMs);
    return () => clearTimeout(timer);
  }, [eventId, isRefused, hasTried, wake]);
}
