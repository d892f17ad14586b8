/** Seats that nobody has asked for yet. A run gets as many as it may need, all of one event, and says how many it has used. */
export interface SeatStock {
  take(count: number): { readonly eventId: string; readonly seatIds: readonly string[]; use(sent: number): void };
}

export function createSeatStock(eventIds: readonly string[], seatIds: readonly string[]): SeatStock {
  let [event, next] = [0, 0];
  return {
    take(count) {
      if (next + count > seatIds.length) [event, next] = [event + 1, 0];
      const eventId = eventIds[event];
      if (eventId === undefined || count > seatIds.length) throw new Error('there are no seats left to measure with');
      return {
        eventId,
        seatIds: seatIds.slice(next, next + count),
        use(sent) {
          next += sent;
        },
      };
    },
  };
}
