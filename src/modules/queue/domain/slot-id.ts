/**
 * Slots of the store are named `{eventId}.{order}.{time}`. Where the queue is off, everybody has a token at once, which names
 * a slot that the store knows nothing of.
 */
export function isStoredSlot(eventId: string, slotId: string): boolean {
  return slotId.startsWith(`${eventId}.`);
}

/** When a slot of the store was given, by the store's clock. */
export function grantedAtMs(slotId: string): number {
  return Number(slotId.slice(slotId.lastIndexOf('.') + 1));
}

export function freeSlotId(userId: string): string {
  return `free-${userId}`;
}
