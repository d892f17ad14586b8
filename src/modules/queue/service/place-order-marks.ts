import type { PlaceOrder } from '../domain/place-order.ts';

/** A set of orders. They are dense, so that a bit each does: a hundredth of what a set of user ids takes. */
export interface PlaceOrderMarks {
  has(order: PlaceOrder): boolean;
  /** Beyond the bound it does nothing. */
  add(order: PlaceOrder): void;
  delete(order: PlaceOrder): void;
  readonly isEmpty: boolean;
}

const chunkOrders = 2 ** 15;
/** 4 MB, for orders spread over 33 million. */
const chunksDefaultMax = 1_024;

export function createPlaceOrderMarks(chunksMax = chunksDefaultMax): PlaceOrderMarks {
  const chunks = new Map<number, Uint32Array>();
  return {
    get isEmpty() {
      return chunks.size === 0;
    },
    has(order) {
      const at = order % chunkOrders;
      const word = chunks.get(Math.floor(order / chunkOrders))?.[at >>> 5] ?? 0;
      return (word & (1 << (at & 31))) !== 0;
    },
    add(order) {
      const key = Math.floor(order / chunkOrders);
      let chunk = chunks.get(key);
      if (chunk === undefined) {
        if (chunks.size >= chunksMax) return;
        chunk = new Uint32Array(chunkOrders >>> 5);
        chunks.set(key, chunk);
      }
      const at = order % chunkOrders;
      chunk[at >>> 5] = (chunk[at >>> 5] ?? 0) | (1 << (at & 31));
    },
    delete(order) {
      const chunk = chunks.get(Math.floor(order / chunkOrders));
      if (chunk === undefined) return;
      const at = order % chunkOrders;
      chunk[at >>> 5] = (chunk[at >>> 5] ?? 0) & ~(1 << (at & 31));
    },
  };
}
