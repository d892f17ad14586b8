import { serverNow } from '../app/server-clock.ts';
import { isSignedIn } from '../app/signed-in.ts';
import { createFollowedQueues } from './followed-queues.ts';
import { keptPlaces } from './kept-places.ts';
import { queueClient } from './queue-api.ts';
import { createQueueSession } from './queue-session.ts';
import { queueStreamOf } from './queue-stream.ts';
import { keptStartPosition } from './start-position.ts';
import { watchTabDuty } from './tab-duty.ts';
import { openTabNews } from './tab-news.ts';
import { watchWaking } from './wake.ts';

/** The queues of this tab, for as long as the tab lives. */
export const queues = createFollowedQueues({
  createSession: (parts) =>
    createQueueSession({
      ...parts,
      client: queueClient,
      stream: queueStreamOf(parts.eventId),
      now: serverNow,
      deviceNow: Date.now,
      random: Math.random,
      startPosition: keptStartPosition(parts.eventId),
    }),
  kept: keptPlaces,
  isSignedIn,
  openTabNews,
});

/** Before anything is drawn, so that what is kept is there from the start. */
export function startQueues(): void {
  // Its page enters by `check`; asking `status` just before would be one call too many, of a whole crowd that reloads.
  queues.start(/^\/queue\/([^/]+)/.exec(location.pathname)?.[1] ?? null);
  watchTabDuty(queues.setOnDuty);
  watchWaking(queues);
}
