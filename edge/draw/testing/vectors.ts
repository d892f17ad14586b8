import { batchTree } from '../batch-tree.ts';
import { fromHex, hashOf, toHex } from '../hash.ts';
import { createPermutation } from '../permutation.ts';
import { aDraw, type DrawPlan } from './a-draw.ts';

/** What docs/draw-vectors.json holds. A change here is another draw: old draws would no longer verify. */
export function drawVectors() {
  return {
    about: 'Golden values of urr.draw.1 (docs/guides/draw.md). A verifier that agrees with all of them is right.',
    hashes: hashes(),
    orders: orders(),
    trees: [1, 2, 3, 5].map(tree),
    draws: draws.map(drawn),
  };
}

function hashes() {
  const fields = ['우르르', 2 ** 40, { hex: '00ff' }, ''];
  const given = fields.map((field) => (typeof field === 'object' ? fromHex(field.hex) : field));
  return (['leaf', 'seed'] as const).map((purpose) => ({ purpose, fields, hash: toHex(hashOf(purpose, given)) }));
}

function orders() {
  const all = [1, 2, 3, 10, 64].map((entries) => order(entries, [...Array(entries).keys()]));
  const sampled = [4_095, 4_096, 4_097, 100_000, 1_000_000, 10_000_019].map((entries) =>
    order(entries, [0, 1, 2, 1_000, Math.floor(entries / 2), entries - 2, entries - 1]),
  );
  return [...all, ...sampled];
}

function order(entries: number, sample: readonly number[]) {
  const seed = hashOf('seed', ['golden', entries]);
  const placeOf = createPermutation(seed, entries);
  return { seed: toHex(seed), entries, places: sample.map((entry) => ({ entry, place: placeOf(entry) })) };
}

function tree(count: number) {
  const entries = Array.from({ length: count }, (_, i) => ({
    entry: 7 + i,
    visitor: `v${i}`,
    atMs: 1_800_000_000_000 + i,
  }));
  const { root, pathOf } = batchTree(entries);
  return { entries, root: toHex(root), paths: entries.map((_, i) => pathOf(i).map(toHex)) };
}

const draws: readonly DrawPlan[] = [
  { name: 'golden, nobody', batches: [] },
  { name: 'golden, one', batches: [1] },
  { name: 'golden, two', batches: [2], beacon: 'operator' },
  { name: 'golden, some', batches: [3, 64, 1, 32] },
  { name: 'golden, many', batches: Array<number>(65).fill(64), roundsMissing: 1 },
];

function drawn(plan: DrawPlan) {
  const { draw, receipts } = aDraw(plan);
  const placeOf = createPermutation(fromHex(draw.revealed?.seed ?? ''), draw.frozen?.entries ?? 0);
  const shown = receipts.filter((_, i) => i < 3 || i === receipts.length - 1);
  return { draw, receipts: shown.map((receipt) => ({ receipt, number: placeOf(receipt.entry) + 1 })) };
}
