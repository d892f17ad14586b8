/** What is due when, the soonest first: a binary heap. */
export interface DueQueue<Item> {
  add(item: Item, dueAtMs: number): void;
  /** Takes one that is due; undefined: none is. */
  takeDue(nowMs: number): Item | undefined;
  readonly size: number;
}

export function createDueQueue<Item>(): DueQueue<Item> {
  const heap: { readonly item: Item; readonly dueAtMs: number }[] = [];

  function siftUp(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isSooner(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function siftDown(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = isSooner(left + 1, left) ? left + 1 : left;
      if (!isSooner(child, at)) return;
      swap(at, child);
      at = child;
    }
  }

  /** False also where one of them is beyond the end. */
  function isSooner(one: number, other: number): boolean {
    const [a, b] = [heap[one], heap[other]];
    return a !== undefined && b !== undefined && a.dueAtMs < b.dueAtMs;
  }

  function swap(one: number, other: number): void {
    const [a, b] = [heap[one], heap[other]];
    if (a === undefined || b === undefined) return;
    heap[one] = b;
    heap[other] = a;
  }

  return {
    add(item, dueAtMs) {
      heap.push({ item, dueAtMs });
      siftUp(heap.length - 1);
    },
    takeDue(nowMs) {
      const first = heap[0];
      if (first === undefined || first.dueAtMs > nowMs) return undefined;
      const last = heap.pop();
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last;
        siftDown();
      }
      return first.item;
    },
    get size() {
      return heap.length;
    },
  };
}
