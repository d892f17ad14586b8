/**
 * A bounded memory of what was asked for recently. Two generations instead of a strict LRU: a hit is one look-up and
 * moves nothing, and an entry that nobody asked for during a whole generation is forgotten.
 */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  readonly size: number;
}

export function createRecent<Value>(entriesMax: number): Recent<Value> {
  const generationMax = Math.max(1, Math.floor(entriesMax / 2));
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  function put(key: string, value: Value): void {
    if (young.size >= generationMax && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    get size() {
      return young.size + old.size;
    },
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older === undefined) return undefined;
      old.delete(key);
      put(key, older);
      return older;
    },
    set: put,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
  };
}
