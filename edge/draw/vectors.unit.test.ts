import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { guideBlocks } from '#test/kit/docs/guide-blocks.ts';
import { parseDraw, parseReceipt } from './parse.ts';
import { createPermutation } from './permutation.ts';
import type { PublishedDraw, Receipt } from './published.ts';
import { aDraw } from './testing/a-draw.ts';
import { drawVectors } from './testing/vectors.ts';
import { verifyDraw } from './verify.ts';
import { verifyWithWebCrypto } from './web-signatures.ts';

/** The verifier that the guide prints: plain Node, and not a line in common with ours. */
interface Stranger {
  hash(purpose: string, ...fields: unknown[]): Buffer;
  order(seed: Buffer, entries: number): (entry: number) => number;
  verify(draw: PublishedDraw, receipt?: Receipt): number | null;
}

const root = new URL('../../', import.meta.url);
const golden: ReturnType<typeof drawVectors> = JSON.parse(
  await readFile(new URL('docs/draw-vectors.json', root), 'utf8'),
);
const scratch = await mkdtemp(join(tmpdir(), 'urr-stranger-'));
afterAll(() => rm(scratch, { recursive: true }));
const stranger = await fromTheGuide();

async function fromTheGuide(): Promise<Stranger> {
  const { files } = guideBlocks(await readFile(new URL('docs/guides/draw.md', root), 'utf8'));
  const file = join(scratch, 'verify.mjs');
  await writeFile(file, files.get('draw/verify.mjs') ?? '');
  // The guide's own exports.
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Stranger;
}

test('the published vectors are what this code makes', () => {
  expect(drawVectors()).toEqual(golden);
});

test('a stranger who follows the guide gets the same hashes, orders and trees', () => {
  for (const { purpose, fields, hash } of golden.hashes) {
    const given = fields.map((field) => (typeof field === 'object' ? Buffer.from(field.hex, 'hex') : field));
    expect(stranger.hash(purpose, ...given).toString('hex')).toBe(hash);
  }
  for (const { seed, entries, places } of golden.orders) {
    const placeOf = stranger.order(Buffer.from(seed, 'hex'), entries);
    for (const { entry, place } of places) expect(placeOf(entry), `entry ${entry} of ${entries}`).toBe(place);
  }
  for (const { entries, root: expected } of golden.trees) {
    let level = entries.map(({ entry, visitor, atMs }) => stranger.hash('leaf', entry, visitor, atMs));
    while (level.length > 1)
      level = level.flatMap((node, i) => {
        const right = level[i + 1];
        return i % 2 === 1 ? [] : [right === undefined ? node : stranger.hash('node', node, right)];
      });
    expect(level[0]?.toString('hex')).toBe(expected);
  }
});

test('both give every golden receipt its number', async () => {
  for (const { draw, receipts } of golden.draws) {
    expect(stranger.verify(draw)).toBeNull();
    for (const { receipt, number } of receipts) {
      expect(stranger.verify(draw, receipt)).toBe(number);
      expect(await ours(draw, receipt)).toBe(number);
    }
  }
});

test('both agree on orders of any seed and size', () => {
  const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(seeds, fc.integer({ min: 1, max: 2 ** 40 }), fc.nat(), (seed, most, pick) => {
      for (const entries of [most, most % 300 || 1]) {
        const entry = pick % entries;
        expect(createPermutation(seed, entries)(entry)).toBe(stranger.order(Buffer.from(seed), entries)(entry));
      }
    }),
    { numRuns: 200 },
  );
});

test('what one refuses after an edit the other refuses too', async () => {
  const { draw, receipts } = aDraw({ name: 'edited', batches: [5, 1, 9] });
  const [receipt] = receipts;
  if (receipt === undefined) throw new Error('nobody entered');
  const both = { draw, receipt };
  const places = leaves(both).filter((path) => !free.has(path.join('.')));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), fc.nat(63), fc.integer({ min: 1, max: 15 }), async (path, at, by) => {
      const edited = structuredClone(both);
      edit(edited, path, at, by);
      expect(await ours(edited.draw, edited.receipt), path.join('.')).toBeNull();
      expect(() => stranger.verify(edited.draw, edited.receipt), path.join('.')).toThrow();
    }),
    { numRuns: 500 },
  );
});

/** What a document calls itself, which a stranger need not look at, and what only counts within limits. */
const free = new Set(['draw.format', 'receipt.format', 'draw.revealed.atMs', 'draw.frozen.atMs']);

/** The number of a receipt if everything holds. */
async function ours(draw: PublishedDraw, receipt: Receipt): Promise<number | null> {
  const [read, held] = [parseDraw(draw), parseReceipt(receipt)];
  if ('wrong' in read || 'wrong' in held) return null;
  const nowMs = Date.UTC(2027, 2, 2);
  const verdict = await verifyDraw(read.value, { receipt: held.value, nowMs, isSigned: verifyWithWebCrypto });
  return verdict.outcome === 'passed' ? verdict.number : null;
}

function leaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

function edit(document: object, path: readonly string[], at: number, by: number): void {
  let place = document as Record<string, unknown>;
  for (const name of path.slice(0, -1)) place = place[name] as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  const value = place[last];
  if (typeof value === 'number') place[last] = value + by;
  else if (typeof value === 'boolean') place[last] = !value;
  else {
    const text = String(value);
    const where = at % Math.max(1, text.length);
    const digit = (Number.parseInt(text[where] ?? '0', 16) || 0) ^ by;
    place[last] = text.slice(0, where) + digit.toString(16) + text.slice(where + 1);
  }
}
