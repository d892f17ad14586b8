import { queues } from './queues.ts';

/** The slot has done its work. The server ends it too; this way the page does not tell it as a loss. */
export function leaveSlot(eventId: string): void {
  void queues.leave(eventId, 'done').catch(() => undefined);
}
