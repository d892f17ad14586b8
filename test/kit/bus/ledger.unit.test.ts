import { expect, test } from 'vitest';
import { findBreaches, type Posting, type Written } from './ledger.ts';

const parking = { topic: 'transfers', name: 'ledger', onPoison: 'park-key' as const };
const passing = { topic: 'transfers', name: 'mail', onPoison: 'pass' as const };

function written(n: number, poison: string | null = null): Written {
  return { topic: 'transfers', key: 'k', n, debit: 'a', credit: 'b', amount_krw: 100, poison };
}

let id = 0;
function effect(n: number, group = 'ledger'): Posting[] {
  const half = { consumer_group: group, topic: 'transfers', event_id: `event-${n}`, key: 'k', n };
  return [
    { ...half, id: id++, account: 'a', amount_krw: -100 },
    { ...half, id: id++, account: 'b', amount_krw: 100 },
  ];
}

function breaches(
  postings: Posting[],
  options: {
    poison?: number;
    letter?: readonly [n: number, reason: string];
    dropped?: number;
    pass?: true;
    slowMax?: number;
  } = {},
): string[] {
  return findBreaches({
    written: [1, 2, 3].map((n) => written(n, n === options.poison ? 'throws-error' : null)),
    postings: options.pass ? postings.map((posting) => ({ ...posting, consumer_group: 'mail' })) : postings,
    groups: [options.pass ? passing : parking],
    letters: (options.letter ? [options.letter] : []).map(([n, reason]) => ({
      consumer_group: options.pass ? 'mail' : 'ledger',
      topic: 'transfers',
      key: 'k',
      n,
      behind: false,
      reason,
    })),
    slowLettersMax: options.slowMax ?? 1,
    dropped: new Set(options.dropped === undefined ? [] : [`transfers k ${options.dropped}`]),
  });
}

test('one effect of each event in order is all right', () => {
  expect(breaches([...effect(1), ...effect(2), ...effect(3)])).toEqual([]);
});

test('a lost event is told, and what the accounts lack', () => {
  expect(breaches([...effect(1), ...effect(3)])).toEqual([
    'ledger: transfers k 2 is lost',
    'ledger: the balance of a is off by 100',
    'ledger: the balance of b is off by -100',
  ]);
});

test('a second effect is told', () => {
  expect(breaches([...effect(1), ...effect(2), ...effect(2), ...effect(3)])).toContain(
    'ledger: transfers k 2 had 2 effects',
  );
});

test('an effect of another amount is told, though its halves agree', () => {
  const tenfold = effect(2).map((posting) => ({ ...posting, amount_krw: posting.amount_krw * 10 }));
  expect(breaches([...effect(1), ...tenfold, ...effect(3)])).toContain(
    'ledger: transfers k 2 had the effect of another amount',
  );
});

test('a debit without its credit is told', () => {
  expect(breaches([...effect(1), ...effect(2).slice(0, 1), ...effect(3)])).toContain(
    'ledger: transfers k 2 is half done: 1 debits, 0 credits',
  );
});

test('an effect of something that was rolled back is told', () => {
  expect(breaches([...effect(1), ...effect(2), ...effect(3), ...effect(4)])).toContain(
    'ledger: transfers k 4 had an effect and was never committed',
  );
});

test('what was dropped has no effect', () => {
  expect(breaches([...effect(1), ...effect(3)], { dropped: 2 })).toEqual([]);
  expect(breaches([...effect(1), ...effect(2), ...effect(3)], { dropped: 2 })).toContain(
    'ledger: transfers k 2 was dropped and had an effect',
  );
});

test('a group that parks keys has no event after a later one, poisoned or not', () => {
  const late = ['ledger: transfers k 2 came after 3 (park-key)'];
  expect(breaches([...effect(1), ...effect(3), ...effect(2)])).toEqual(late);
  expect(breaches([...effect(1), ...effect(3), ...effect(2)], { poison: 2 })).toEqual(late);
});

test('a group that passes has only what was a letter late', () => {
  const letter = (n: number) => ({ pass: true, poison: n, letter: [n, 'cannot be handled'] }) as const;
  expect(breaches([...effect(1), ...effect(3), ...effect(2)], letter(2))).toEqual([]);
  expect(breaches([...effect(1), ...effect(3), ...effect(2)], letter(3))).toEqual([]);
  expect(breaches([...effect(2), ...effect(1), ...effect(3)], letter(3))).toEqual([
    'mail: transfers k 1 came after 2 (pass)',
  ]);
});

test('a good message is no letter, unless its time was used up', () => {
  const inOrder = () => [...effect(1), ...effect(2), ...effect(3)];
  expect(breaches(inOrder(), { letter: [2, 'the handler took longer than 2000 ms'] })).toEqual([]);
  expect(breaches(inOrder(), { letter: [2, 'the handler took longer than 2000 ms'], slowMax: 0 })).toEqual([
    'ledger: 1 good messages ran out of time, more than the 0 in hand',
  ]);
  expect(breaches(inOrder(), { letter: [2, 'The database is away'] })).toEqual([
    'ledger: transfers k 2 became a letter though nothing was wrong with it: The database is away',
  ]);
});
