import { readNamedCookies } from './cookies.ts';

/** So many are looked at, and so many taken away by one answer: its head must fit what proxies take. The next answer goes on. */
const readMax = 200;
const erasedMax = 16;
/** Ids of events, or `*`. Any other name is not ours to write back. */
const eventIdPattern = /^(?:[\w-]{1,64}|\*)$/;

/**
 * The events whose cookies of one kind an answer takes away, so that a browser that has been in many queues does not send all
 * of them with each request: all but the newest, and those that prove nothing to this caller.
 *
 * A page of a sibling domain can plant cookies here that we can neither tell from ours by their names nor take away. They push
 * none of the caller's own out: only what proves something counts, a name is kept if any of its cookies does, and surplus ones
 * of the caller's own come first.
 */
export function surplusCookies(
  header: string,
  kind: {
    readonly prefix: string;
    /** Never taken away. */
    readonly currentEventId: string;
    /** Beside the current one. */
    readonly keptMax: number;
    /** Since when what this cookie proves is so; null: it proves nothing to this caller. */
    readonly sinceMs: (value: string, eventId: string) => number | null;
  },
): string[] {
  const own = new Map<string, number>();
  const others = new Set<string>();
  for (const { name, value } of readNamedCookies(header, { prefix: kind.prefix, countMax: readMax })) {
    const eventId = name.slice(kind.prefix.length);
    if (eventId === kind.currentEventId || !eventIdPattern.test(eventId)) continue;
    const sinceMs = kind.sinceMs(value, eventId);
    if (sinceMs === null) others.add(eventId);
    else own.set(eventId, Math.max(sinceMs, own.get(eventId) ?? sinceMs));
  }
  const oldestFirst = [...own].sort(([, one], [, other]) => one - other).map(([eventId]) => eventId);
  const surplus = oldestFirst.slice(0, Math.max(0, oldestFirst.length - kind.keptMax));
  const useless = [...others].filter((eventId) => !own.has(eventId));
  return [...surplus, ...useless].slice(0, erasedMax);
}
