/** What the writers committed. */
export interface Written {
  readonly topic: string;
  readonly key: string;
  readonly n: number;
  readonly debit: string;
  readonly credit: string;
  readonly amount_krw: number;
  readonly poison: string | null;
}

/** One half of an effect, in the order of `id`. */
export interface Posting {
  readonly id: number;
  readonly consumer_group: string;
  readonly topic: string;
  readonly event_id: string;
  readonly key: string;
  readonly n: number;
  readonly account: string;
  readonly amount_krw: number;
}

/** A message that could not be handled at once, whatever became of it. */
export interface NotedLetter {
  readonly consumer_group: string;
  readonly topic: string;
  readonly key: string;
  /** Null for what is no envelope. */
  readonly n: number | null;
  /** It only waited for another one of its key. */
  readonly behind: boolean;
  readonly reason: string;
}

export interface LedgerGroup {
  readonly topic: string;
  readonly name: string;
  readonly onPoison: 'pass' | 'park-key';
}

export interface Books {
  readonly written: readonly Written[];
  readonly postings: readonly Posting[];
  readonly groups: readonly LedgerGroup[];
  readonly letters: readonly NotedLetter[];
  /** `topic key n` of what a person gave up before it could have its effect, for all groups. */
  readonly dropped: ReadonlySet<string>;
  /** How many good messages of a group may have become letters because their time was over. */
  readonly slowLettersMax: number;
}

export function nameOf({ topic, key, n }: Pick<Written, 'topic' | 'key' | 'n'>): string {
  return `${topic} ${key} ${n}`;
}

/** Everything that is wrong with the books, in words. Empty: nothing lost, nothing doubled, nothing half done, order as declared. */
export function findBreaches(books: Books): string[] {
  return books.groups.flatMap((group) => breachesOf(group, books));
}

function breachesOf(group: LedgerGroup, { written, postings, letters, dropped, slowLettersMax }: Books): string[] {
  const breaches: string[] = [];
  const tell = (event: string, what: string) => breaches.push(`${group.name}: ${event} ${what}`);
  const own = postings.filter(({ consumer_group }) => consumer_group === group.name);
  const byEvent = Map.groupBy(own, nameOf);
  const due = written.filter(({ topic }) => topic === group.topic);

  for (const event of due) {
    const name = nameOf(event);
    const effect = byEvent.get(name) ?? [];
    byEvent.delete(name);
    if (dropped.has(name)) {
      if (effect.length > 0) tell(name, 'was dropped and had an effect');
      continue;
    }
    const debits = effect.filter(({ account, amount_krw }) => account === event.debit && amount_krw < 0);
    const credits = effect.filter(({ account, amount_krw }) => account === event.credit && amount_krw > 0);
    if (effect.length === 0) tell(name, 'is lost');
    else if (debits.length !== credits.length)
      tell(name, `is half done: ${debits.length} debits, ${credits.length} credits`);
    else if (debits.length > 1) tell(name, `had ${debits.length} effects`);
    else if (credits[0]?.amount_krw !== event.amount_krw) tell(name, 'had the effect of another amount');
  }
  for (const name of byEvent.keys()) tell(name, 'had an effect and was never committed');
  const failed = letters.filter(({ consumer_group, behind }) => consumer_group === group.name && !behind);
  breaches.push(
    ...accountsThatDiffer(group, due, own, dropped),
    ...outOfOrder(group, own, new Set(failed.flatMap(namesOf))),
    ...innocentLetters(group, due, failed, slowLettersMax),
  );
  return breaches;
}

/** The same money, added up another way. */
function accountsThatDiffer(
  group: LedgerGroup,
  due: readonly Written[],
  own: readonly Posting[],
  dropped: ReadonlySet<string>,
): string[] {
  const balances = new Map<string, number>();
  const add = (account: string, amountKrw: number) => balances.set(account, (balances.get(account) ?? 0) + amountKrw);
  for (const event of due) {
    if (dropped.has(nameOf(event))) continue;
    add(event.debit, event.amount_krw);
    add(event.credit, -event.amount_krw);
  }
  for (const { account, amount_krw } of own) add(account, amount_krw);
  return [...balances]
    .filter(([, difference]) => difference !== 0)
    .map(([account, difference]) => `${group.name}: the balance of ${account} is off by ${difference}`);
}

/** `park-key` keeps the order of a key whatever happens; with `pass` what was a letter may come late, and only that. */
function outOfOrder(group: LedgerGroup, own: readonly Posting[], failed: ReadonlySet<string>): string[] {
  const last = new Map<string, number>();
  const breaches: string[] = [];
  for (const posting of own) {
    const { key, n, amount_krw } = posting;
    if (amount_krw > 0 || (group.onPoison === 'pass' && failed.has(nameOf(posting)))) continue;
    const before = last.get(key) ?? 0;
    if (n < before) breaches.push(`${group.name}: ${nameOf(posting)} came after ${before} (${group.onPoison})`);
    last.set(key, Math.max(n, before));
  }
  return breaches;
}

/** A process that was frozen in the middle of a handler, or waited for a frozen engine, has used up the time of a good message. */
const mayStrikeAnyone = /took longer/;

function innocentLetters(
  group: LedgerGroup,
  due: readonly Written[],
  failed: readonly NotedLetter[],
  slowMax: number,
): string[] {
  const innocent = new Set(due.filter(({ poison }) => poison === null).map(nameOf));
  const struck = failed.filter((letter) => namesOf(letter).some((name) => innocent.has(name)));
  const slow = struck.filter(({ reason }) => mayStrikeAnyone.test(reason));
  const breaches = struck
    .filter((letter) => !slow.includes(letter))
    .map(
      (letter) =>
        `${group.name}: ${namesOf(letter)[0]} became a letter though nothing was wrong with it: ${letter.reason}`,
    );
  if (slow.length > slowMax)
    breaches.push(`${group.name}: ${slow.length} good messages ran out of time, more than the ${slowMax} in hand`);
  return breaches;
}

function namesOf({ topic, key, n }: NotedLetter): string[] {
  return n === null ? [] : [nameOf({ topic, key, n })];
}
