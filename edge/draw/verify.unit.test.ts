import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchTree, rootBy } from './batch-tree.ts';
import { entriesIn } from './draw-log.ts';
import { toHex } from './hash.ts';
import { parseDraw, parseReceipt } from './parse.ts';
import type { PublishedDraw, Receipt } from './published.ts';
import { leadsToRoot } from './receipts.ts';
import { roundAtMs, roundFor } from './rounds.ts';
import { seedOf } from './seed.ts';
import { aDraw } from './testing/a-draw.ts';
import { type VerifyOptions, verifyDraw } from './verify.ts';
import { verifyWithWebCrypto } from './web-signatures.ts';
import { sayCheck, sayVerdict } from './words.ts';

const after = Date.UTC(2027, 2, 2);

/** As somebody would who was handed two files. */
async function verdictOn(drawJson: unknown, receiptJson?: unknown, more: Partial<VerifyOptions> = {}) {
  const draw = parseDraw(drawJson);
  const receipt = receiptJson === undefined ? undefined : parseReceipt(receiptJson);
  if ('wrong' in draw) return { outcome: 'unreadable', failed: [draw.wrong], number: null };
  if (receipt !== undefined && 'wrong' in receipt)
    return { outcome: 'unreadable', failed: [receipt.wrong], number: null };
  const options = { nowMs: after, isSigned: verifyWithWebCrypto, receipt: receipt?.value, ...more };
  const verdict = await verifyDraw(draw.value, options);
  const failed = verdict.checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
  return { ...verdict, failed };
}

const small = aDraw({ name: 'small', batches: [1, 64, 17, 5, 13] });
const { draw } = small;
const receipt = small.receipts[40] as Receipt;

test('a draw without fault passes with every receipt, and gives each of them another number', async () => {
  const numbers = new Set<number | null>();
  for (const one of small.receipts) {
    const verdict = await verdictOn(draw, one);
    expect(verdict).toMatchObject({ outcome: 'passed', failed: [] });
    numbers.add(verdict.number);
  }
  expect(numbers.size).toBe(small.receipts.length);
  expect(Math.max(...[...numbers].map(Number))).toBeLessThanOrEqual(100);
});

test.each([[[]], [[1]], [[2]], [[64, 64]], [Array(80).fill(64)]])('draws of %j entries pass', async (batches) => {
  const { draw, receipts } = aDraw({ name: 'sizes', batches });
  expect(await verdictOn(draw, receipts[0])).toMatchObject({ outcome: 'passed' });
});

/** Every value of a document, by its path. */
function leaves(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

function edited<T>(document: T, path: readonly (string | number)[], edit: (value: unknown) => unknown): T {
  const copy = structuredClone(document) as Record<string | number, unknown>;
  let place = copy;
  for (const name of path.slice(0, -1)) place = place[name] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  place[last] = edit(place[last]);
  // The same shape, with one value changed.
  return copy as T;
}

function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  const text = String(value);
  return text === '' ? '00' : text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
}

/** When it was revealed is the operator's word; a check only asks whether that was in time. */
const free = new Set(['revealed.atMs']);

test('any edit of the published draw fails', async () => {
  for (const path of leaves(draw)) {
    const verdict = await verdictOn(edited(draw, path, changed));
    if (free.has(path.join('.'))) continue;
    expect(['failed', 'unreadable'], path.join('.')).toContain(verdict.outcome);
  }
});

test('any edit of a receipt fails', async () => {
  for (const path of leaves(receipt)) {
    const verdict = await verdictOn(draw, edited(receipt, path, changed));
    expect(['failed', 'unreadable'], path.join('.')).toContain(verdict.outcome);
    expect(verdict.number).toBeNull();
  }
});

test('bits anywhere in a receipt that are turned, and paths that are cut or grown, fail', async () => {
  const hexes = leaves(receipt).filter((path) => /^[0-9a-f]{64,}$/.test(String(path.reduce<unknown>(at, receipt))));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...hexes),
      fc.nat(63),
      fc.integer({ min: 1, max: 15 }),
      async (path, nibble, bits) => {
        const turn = (text: unknown) => {
          const digits = [...String(text)];
          digits[nibble] = (Number.parseInt(digits[nibble] ?? '0', 16) ^ bits).toString(16);
          return digits.join('');
        };
        expect(await verdictOn(draw, edited(receipt, path, turn))).toMatchObject({ outcome: 'failed', number: null });
      },
    ),
    { numRuns: 300 },
  );
  for (const path of [receipt.path.slice(1), receipt.path.slice(0, -1), [...receipt.path, receipt.path[0]], []])
    expect(await verdictOn(draw, { ...receipt, path })).toMatchObject({ failed: ['receipt-path'] });
});

const at = (value: unknown, name: string | number) => (value as Record<string | number, unknown>)[name];

test('batches that are left out, told twice, or moved fail', async () => {
  const [first, second, third, ...rest] = draw.batches;
  if (first === undefined || second === undefined || third === undefined) throw new Error('no batches');
  for (const batches of [
    [first, second, ...rest],
    [first, second, second, third, ...rest],
    [second, first, third, ...rest],
    [...draw.batches, [100, 1, third[2]] as const],
  ])
    expect((await verdictOn({ ...draw, batches })).failed).toContain('log');
});

test('an operator who publishes another log whole is caught by any receipt', async () => {
  const other = aDraw({ name: 'small', batches: [1, 64, 18, 5, 12] });
  expect(await verdictOn(other.draw)).toMatchObject({ outcome: 'passed' });
  expect((await verdictOn(other.draw, small.receipts.at(-1))).failed).toContain('receipt-log');
  const otherKey = aDraw({ name: 'other key', batches: [1, 64, 17, 5, 13] });
  expect((await verdictOn(otherKey.draw, receipt)).failed).toEqual(['receipt-signature', 'receipt-log']);
});

test('entries that are missing or doubled fail, though the log leads to its head', async () => {
  for (const [entries, frozen] of [
    [99, draw.frozen],
    [101, draw.frozen],
  ] as const)
    expect((await verdictOn({ ...draw, frozen: { ...frozen, entries } })).failed).toEqual(['entries', 'seed']);
});

describe('an operator whose documents agree with each other', () => {
  const { frozen, revealed } = draw;
  if (frozen === null || revealed === null) throw new Error('the draw is over');

  /** With the seed that follows from what is said now. */
  function restated(changes: { frozen?: Partial<typeof frozen>; revealed?: Partial<typeof revealed> }): PublishedDraw {
    const [then, now] = [
      { ...frozen, ...changes.frozen },
      { ...revealed, ...changes.revealed },
    ] as [NonNullable<PublishedDraw['frozen']>, NonNullable<PublishedDraw['revealed']>];
    const seed = toHex(seedOf({ eventId: draw.eventId, era: draw.era, ...then, ...now }));
    return { ...draw, frozen: then, revealed: { ...now, seed } };
  }
  const ofOther = '5a'.repeat(48);

  test('is caught with a secret other than the one that was committed to', async () => {
    expect((await verdictOn(restated({ revealed: { secret: '5a'.repeat(32) } }), receipt)).failed).toEqual(['secret']);
  });

  test('is caught with a round that came before the one that was named, or that was named against the rule', async () => {
    const { round } = frozen;
    expect((await verdictOn(restated({ revealed: { round: round - 1 } }))).failed).toEqual(['round']);
    for (const named of [round - 1, round + 1])
      expect((await verdictOn(restated({ frozen: { round: named }, revealed: { round: named } }))).failed).toEqual([
        'round',
      ]);
  });

  test('is caught with a value of its own choice', async () => {
    expect((await verdictOn(restated({ revealed: { value: '5a'.repeat(32) } }))).failed).toEqual(['value']);
    expect((await verdictOn(restated({ revealed: { signature: ofOther } }))).failed).toEqual(['value']);
  });

  test('is caught with a frozen head that is not that of the log', async () => {
    expect((await verdictOn(restated({ frozen: { head: receipt.batch.head } }))).failed).toEqual(['log']);
  });

  test('is caught with a secret that was shown before the freeze, and with a receipt of another era', async () => {
    expect((await verdictOn({ ...draw, frozen: null })).outcome).not.toBe('open');
    expect((await verdictOn(draw, { ...receipt, era: 2 })).failed).toEqual(['receipt-draw']);
  });

  test('is caught with an entry that stands outside of its batch, and with batches that are no batches', () => {
    const other = { entry: 6, visitor: 'visitor-6', atMs: 1 };
    const root = toHex(batchTree([other]).root);
    const moved = { ...receipt, ...other, path: [], batch: { ...receipt.batch, first: 5, count: 1, root } };
    expect(leadsToRoot(moved)).toBe(false);
    expect(leadsToRoot({ ...moved, batch: { ...moved.batch, first: 6 } })).toBe(true);
    expect(entriesIn([[0, 64, root]])).toBe(64);
    for (const batch of [
      [0, 65, root],
      [0, 0, root],
      [1, 1, root],
    ] as const)
      expect(entriesIn([batch])).toBeNull();
  });
});

describe('time', () => {
  const { frozen } = draw;

  test('before the freeze and before the reveal a draw is open; then its receipts are good already', async () => {
    const entering = { ...draw, frozen: null, revealed: null };
    expect(await verdictOn(entering, receipt)).toMatchObject({ outcome: 'open', number: null });
    const waiting = { ...draw, revealed: null };
    const nowMs = (frozen?.atMs ?? 0) + 60_000;
    expect(await verdictOn(waiting, receipt, { nowMs })).toMatchObject({ outcome: 'open', number: null });
  });

  test('a secret that is not revealed within five minutes of the round is a failure, and so is one that came later', async () => {
    expect((await verdictOn({ ...draw, revealed: null })).failed).toEqual(['secret-late']);
    const late = { ...draw, revealed: { ...draw.revealed, atMs: (frozen?.atMs ?? 0) + 400_000 } };
    expect((await verdictOn(late)).failed).toEqual(['secret-late']);
    const lastMs = roundAtMs(draw.beacon, frozen?.round ?? 0, 0) + 300_000;
    const revealedAt = (atMs: number) => verdictOn({ ...draw, revealed: { ...draw.revealed, atMs } });
    expect((await revealedAt(lastMs)).failed).toEqual([]);
    expect((await revealedAt(lastMs + 1)).failed).toEqual(['secret-late']);
  });

  test('the round is the first at least 30 seconds after the freeze', () => {
    const beacon = { kind: 'drand', chain: '', genesisSeconds: 1_000, periodSeconds: 30 } as const;
    expect(roundFor(beacon, 0)).toBe(1);
    expect(roundFor(beacon, 970_000)).toBe(1);
    expect(roundFor(beacon, 970_001)).toBe(2);
    expect(roundFor(beacon, 1_000_000)).toBe(2);
    expect(roundFor(beacon, 1_000_001)).toBe(3);
    expect(roundFor({ kind: 'operator' }, 5)).toBe(0);
  });
});

describe('the beacon', () => {
  const value = draw.revealed?.value ?? '';
  const round = draw.frozen?.round ?? 0;

  test('is asked if it can be', async () => {
    expect(await verdictOn(draw, undefined, { beaconValue: async () => value })).toMatchObject({ outcome: 'passed' });
    for (const said of ['00'.repeat(32), null])
      expect((await verdictOn(draw, undefined, { beaconValue: async () => said })).failed).toEqual(['beacon']);
  });

  test('a later round is pointed at, and a failure if the beacon knows one between', async () => {
    const later = aDraw({ name: 'later', batches: [3], roundsMissing: 2 }).draw;
    const verdict = await verdictOn(later);
    expect(verdict).toMatchObject({ outcome: 'passed' });
    expect(idsOf(verdict)).toContain('later-round');
    const known = (from: number) => async (asked: number) => (asked >= from ? (later.revealed?.value ?? '') : null);
    expect(await verdictOn(later, undefined, { beaconValue: known(round + 2) })).toMatchObject({ outcome: 'passed' });
    expect((await verdictOn(later, undefined, { beaconValue: known(round + 1) })).failed).toEqual(['beacon']);
  });

  test('without one the verdict says that the operator has to be trusted', async () => {
    const trusted = aDraw({ name: 'trusted', batches: [3], beacon: 'operator' });
    const verdict = await verdictOn(trusted.draw, trusted.receipts[0]);
    expect(verdict).toMatchObject({ outcome: 'passed' });
    expect(idsOf(verdict)).toContain('trusted');
    const claimed = { ...trusted.draw, revealed: { ...trusted.draw.revealed, value: '00'.repeat(32) } };
    expect((await verdictOn(claimed)).failed).toContain('round');
  });
});

const idsOf = (verdict: object) =>
  'checks' in verdict ? (verdict.checks as { id: string }[]).map(({ id }) => id) : [];

test('void draws before are told, a void draw itself fails', async () => {
  const voids = [{ era: 2, atMs: 5, entries: 7, head: draw.head, reason: 'unrevealed' }];
  expect(idsOf(await verdictOn({ ...draw, voids }))).toContain('voids');
  expect(await verdictOn({ ...draw, voids })).toMatchObject({ outcome: 'passed' });
  expect((await verdictOn({ ...draw, voids: [{ ...voids[0], era: 3 }] })).failed).toEqual(['voids']);
});

test('a signature that cannot be checked here is said to be unchecked, not good', async () => {
  const verdict = await verdictOn(draw, receipt, { isSigned: async () => null });
  expect('checks' in verdict && verdict.checks.find(({ id }) => id === 'receipt-signature')?.outcome).toBe('unchecked');
});

test('what is no draw or no receipt is refused by the name of its first wrong field', async () => {
  for (const nonsense of [null, 1, 'x', [], {}, { format: 'urr.draw.2' }]) {
    expect(parseDraw(nonsense)).toHaveProperty('wrong');
    expect(parseReceipt(nonsense)).toHaveProperty('wrong');
  }
  expect(parseDraw({ ...draw, head: draw.head.toUpperCase() })).toEqual({ wrong: 'head' });
  expect(parseReceipt({ ...receipt, batch: { ...receipt.batch, first: -1 } })).toEqual({ wrong: 'batch.first' });
  expect(parseReceipt(Object.create(receipt))).toEqual({ wrong: 'format' });
});

test('paths of every batch size lead to the root, from their own leaf only', () => {
  for (let count = 1; count <= 64; count++) {
    const entries = Array.from({ length: count }, (_, i) => ({ entry: 10 + i, visitor: `v${i}`, atMs: i }));
    const tree = batchTree(entries);
    for (const [index, entry] of entries.entries()) {
      const root = rootBy(tree.pathOf(index), { entry, index, count });
      expect(root !== null && toHex(root)).toBe(toHex(tree.root));
      const moved = rootBy(tree.pathOf(index), { entry, index: (index + 1) % count, count });
      if (count > 1) expect(moved === null || toHex(moved) !== toHex(tree.root)).toBe(true);
    }
  }
  expect(() => batchTree([])).toThrow(RangeError);
  expect(() => batchTree(Array(65).fill({ entry: 0, visitor: '', atMs: 0 }))).toThrow(RangeError);
});

test('every check has words in both languages, with its facts in them', async () => {
  const drawn = aDraw({ name: 'later', batches: [3], roundsMissing: 1 });
  const voids: PublishedDraw['voids'] = [{ era: 2, atMs: 5, entries: 7, head: draw.head, reason: 'reset' }];
  const verdicts = [
    await verifyDraw(
      { ...drawn.draw, voids },
      { nowMs: after, isSigned: verifyWithWebCrypto, receipt: drawn.receipts[0] },
    ),
    await verifyDraw({ ...draw, frozen: null, revealed: null }, { nowMs: 0, isSigned: verifyWithWebCrypto, receipt }),
  ];
  for (const verdict of verdicts)
    for (const language of ['ko', 'en'] as const) {
      expect(sayVerdict(verdict, language)).toBeTruthy();
      for (const check of verdict.checks) expect(sayCheck(check, language)).not.toMatch(/[{}?]|undefined/);
    }
});
