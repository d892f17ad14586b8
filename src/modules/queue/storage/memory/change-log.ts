import { marksKept, type StoreChange } from '../../ports.ts';

/** Changes on their way to the journal, counted from 0 in each epoch. */
export interface ChangeLog {
  add(change: StoreChange): void;
  oldest(limit: number): { from: number; changes: StoreChange[] };
  size(): number;
  /** The journal has everything before this position. */
  dropBefore(position: number): void;
  /** Also those that the journal has, the last `marksKept` of them. Null: it is not known any more, or not yet. */
  since(position: number, limit: number): { upTo: number; more: boolean; changes: StoreChange[] } | null;
}

/** Acknowledged changes are cut off in strides: cutting the head of a long array each time would move all the rest. */
const strideMin = 1_024;

export function createChangeLog(): ChangeLog {
  let kept: StoreChange[] = [];
  let keptFrom = 0;
  let head = 0;

  return {
    add: (change) => void kept.push(change),
    oldest: (limit) => ({ from: keptFrom + head, changes: kept.slice(head, head + limit) }),
    size: () => kept.length - head,
    dropBefore(position) {
      head = Math.min(Math.max(head, position - keptFrom), kept.length);
      const surplus = head - marksKept;
      if (surplus < strideMin || surplus < kept.length / 2) return;
      kept = kept.slice(surplus);
      keptFrom += surplus;
      head -= surplus;
    },
    since(position, limit) {
      const at = position - keptFrom;
      if (at < Math.max(0, head - marksKept) || at > kept.length) return null;
      const upTo = Math.min(at + limit, kept.length);
      return { upTo: keptFrom + upTo, more: upTo < kept.length, changes: kept.slice(at, upTo) };
    },
  };
}
