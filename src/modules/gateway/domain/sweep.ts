/**
 * Looks at one entry of a map after the other, for ever, whatever comes and goes meanwhile. Beginning anew for each look would pass
 * everything that was deleted at the front: a Map keeps those places until it is laid out anew, and with 100,000 entries
 * that took longer than all the rest of a request.
 */
export function createSweep<Key, Value>(map: ReadonlyMap<Key, Value>): () => [Key, Value] | undefined {
  let walk = map.entries();
  return () => {
    const step = walk.next();
    if (!step.done) return step.value;
    walk = map.entries();
    return walk.next().value;
  };
}
