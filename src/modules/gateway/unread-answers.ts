/** Answers of a role whose callers have not read them to the end yet. */
export interface UnreadAnswers {
  /** From the head of an answer on. Call what it returns when the answer was read or broke off. */
  watch(answer: UnreadAnswer): () => void;
}

export interface UnreadAnswer {
  /** Called once, when it is not read at once: its connection no longer counts among those of the role. */
  setAside(): void;
  /** Called once at most, and only after it was set aside. */
  cutOff(): void;
}

export interface UnreadLimits {
  /** A caller on an ordinary line has read most answers by then. */
  readonly promptMs: number;
  /** Answers of one role that are set aside at a time. Each holds about 128 KB here. */
  readonly unreadMax: number;
  /** From when it is set aside: the largest layout over a line of 30 KB a second. */
  readonly unreadMs: number;
}

export const unreadLimits: UnreadLimits = { promptMs: 1_000, unreadMax: 512, unreadMs: 300_000 };

/**
 * Callers may read as slowly as they like, but not at the expense of others: an answer that is not read at once does not keep one
 * of the role's connections from other calls, and when too many are unread the oldest is cut off.
 */
export function createUnreadAnswers({ promptMs, unreadMax, unreadMs }: UnreadLimits): UnreadAnswers {
  /** Those set aside, in that order. */
  const unread = new Set<UnreadAnswer>();

  function cutOff(answer: UnreadAnswer): void {
    if (unread.delete(answer)) answer.cutOff();
  }

  return {
    watch(answer) {
      let timer = setTimeout(() => {
        unread.add(answer);
        timer = setTimeout(() => cutOff(answer), unreadMs);
        answer.setAside();
        const [oldest] = unread;
        if (oldest !== undefined && unread.size > unreadMax) cutOff(oldest);
      }, promptMs);
      return () => {
        clearTimeout(timer);
        unread.delete(answer);
      };
    },
  };
}
