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

function breaches(postings: Posting[], options: { poison?: number; dropped?: number; pass?: true } = {}): string[] {
  return findBreaches({
    written: [1, 2, 3].map((n) => written(n, n === options.poison ? 'throws-error' : null)),
    postings: options.pass ? postings.map((posting) => ({ ...posting, consumer_group: 'mail' })) : postings,
    groups: [options.pass ? passing : parking],
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

test('a group that passes has only what was poisoned late', () => {
  expect(breaches([...effect(1), ...effect(3), ...effect(2)], { pass: true, poison: 2 })).toEqual([]);
  expect(breaches([...effect(1), ...effect(3), ...effect(2)], { pass: true, poison: 3 })).toEqual([]);
  expect(breaches([...effect(2), ...effect(1), ...effect(3)], { pass: true, poison: 3 })).toEqual([
    'mail: transfers k 1 came after 2 (pass)',
  ]);
});
