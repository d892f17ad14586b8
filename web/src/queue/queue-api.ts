import { api } from '../app/api.ts';
import type { QueueClient } from './queue-client.ts';

/** All calls of the pages to the queue. */
export const queueClient: QueueClient = {
  check: (eventId, options) => api.checkQueue({ params: { eventId } }, options),
  status: (eventId, options) => api.getQueueStatus({ params: { eventId } }, options),
  heartbeat: (eventId, options) => api.sendQueueHeartbeat({ params: { eventId } }, options),
  leave: (eventId, options) => api.leaveQueue({ params: { eventId } }, options),
};
