/** Session storage, or nothing where it is forbidden. */
export interface KeyStorage {
  get(name: string): string | null;
  set(name: string, value: string | null): void;
}

/**
 * One idempotency key for one thing that somebody wants. A second press, a retry after a lost answer and a reload of the tab
 * send the same key, so that nothing is held twice; wanting something else, or the same once more after it was settled, is
 * another key. Two tabs are two intents.
 */
export interface IntentKeys {
  /** The key under which this is asked for, until it is settled. */
  keyFor(intent: unknown): string;
  /** The outcome is known. */
  settle(): void;
}

export function createIntentKeys(options: {
  readonly name: string;
  readonly storage: KeyStorage;
  newKey(): string;
}): IntentKeys {
  const { name, storage, newKey } = options;
  // Where nothing can be kept, at least a second press is the same intent.
  let kept: { readonly intent: string; readonly key: string } | null = parse(storage.get(name));
  return {
    keyFor(wanted) {
      const intent = JSON.stringify(wanted);
      if (kept?.intent === intent) return kept.key;
      kept = { intent, key: newKey() };
      storage.set(name, JSON.stringify(kept));
      return kept.key;
    },
    settle() {
      kept = null;
      storage.set(name, null);
    },
  };
}

function parse(text: string | null): { readonly intent: string; readonly key: string } | null {
  try {
    const value = JSON.parse(text ?? 'null') as unknown;
    if (typeof value !== 'object' || value === null) return null;
    const { intent, key } = value as { intent?: unknown; key?: unknown };
    return typeof intent === 'string' && typeof key === 'string' ? { intent, key } : null;
  } catch {
    return null;
  }
}
