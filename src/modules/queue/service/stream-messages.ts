import { isoTime } from '#platform/clock.ts';
import type { QueueConfig } from '../ports.ts';
import type { Entry } from './entry-tokens.ts';
import { type EventView, estimateFor, isUnsure } from './event-view.ts';

/** `nextPoll` is for the page that has to fall back to asking. */
export function rankUpdate(view: EventView, own: { position: number; nextPoll: number; config: QueueConfig }): string {
  const { snapshot } = view;
  const { position, nextPoll, config } = own;
  const { seconds, highSeconds } = estimateFor(view, position, config);
  const data = {
    position,
    peopleAhead: position - 1,
    peopleBehind: Math.max(0, snapshot.waiting - position),
    estimatedWait: seconds,
    estimatedWaitHigh: highSeconds,
    nextPoll,
    queueSize: Math.max(snapshot.waiting, position),
    currentUsers: snapshot.active,
    threshold: snapshot.settings.threshold,
    paused: snapshot.settings.paused,
    message: snapshot.settings.message,
    stale: isUnsure(view),
  };
  return `event: RANK_UPDATE\nid: ${position}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function turnUpdate({ token, slotEndsAtMs }: Entry): string {
  const slotEndsAt = isoTime(slotEndsAtMs);
  return (
    `event: ACTIVE_TURN\nid: 0\ndata: ${JSON.stringify({ slotEndsAt })}\n\n` +
    `event: ENTRY_TOKEN\nid: 0\ndata: ${JSON.stringify({ entryToken: token, slotEndsAt })}\n\n`
  );
}

/** The place may be over: the page asks, and the answer says why. */
export const placeOver = 'event: PLACE_OVER\ndata: {}\n\n';

/** Only for what stands between: no reader sees a comment. */
export const keepAlive = ': still here\n\n';

/** What everybody should know at once, moved or not. The same text: nothing of it has changed. */
export function noticeOf(view: EventView): string {
  const { threshold, paused, message } = view.snapshot.settings;
  return JSON.stringify([threshold, paused, message, isUnsure(view)]);
}
