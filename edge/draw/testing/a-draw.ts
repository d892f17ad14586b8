import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { batchTree, type Entry } from '../batch-tree.ts';
import { announcedHead, nextHead } from '../draw-log.ts';
import { toHex } from '../hash.ts';
import type { Announcement, Batch, PublishedDraw, Receipt } from '../published.ts';
import { receiptOf, signedBytes } from '../receipts.ts';
import { roundFor } from '../rounds.ts';
import { commitmentOf, seedOf } from '../seed.ts';
import { sha256 } from '../sha256.ts';

export interface ADraw {
  readonly draw: PublishedDraw;
  /** Of every entry that somebody holds. */
  readonly receipts: readonly Receipt[];
}

/** Always the same one of the same name. */
export interface DrawPlan {
  readonly name: string;
  /** Sizes of the batches in the order of the log. */
  readonly batches: readonly number[];
  readonly beacon?: 'drand' | 'operator';
  readonly roundsMissing?: number;
}

/** quicknet, by its real parameters. */
const drand = {
  kind: 'drand',
  chain: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
  genesisSeconds: 1_692_803_367,
  periodSeconds: 3,
} as const;

const announcedAtMs = Date.UTC(2027, 2, 1, 9);
const frozenAtMs = Date.UTC(2027, 2, 1, 11);

export function aDraw({ name, batches: sizes, beacon = 'drand', roundsMissing = 0 }: DrawPlan): ADraw {
  const bytesFor = (what: string) => sha256(new TextEncoder().encode(`${name} ${what}`));
  const secret = bytesFor('secret');
  const key = keyFrom(bytesFor('key'));
  const announcement: Announcement = {
    eventId: '01990000-0004-7000-8000-000000000001',
    era: 3,
    announcedAtMs,
    commitment: toHex(commitmentOf(secret)),
    receiptKey: toHex(rawPublicKey(key)),
    signInRequired: false,
    beacon: beacon === 'drand' ? drand : { kind: 'operator' },
  };
  let head = announcedHead(announcement);
  let next = 0;
  const batches: Batch[] = [];
  const receipts: Receipt[] = [];
  for (const [index, count] of sizes.entries()) {
    const first = next;
    next += count;
    const entries = Array.from(
      { length: count },
      (_, i): Entry => ({
        entry: first + i,
        visitor: `visitor-${first + i}`,
        atMs: announcedAtMs + 1_000 + first + i,
      }),
    );
    const tree = batchTree(entries);
    const root = toHex(tree.root);
    batches.push([first, count, root]);
    head = nextHead(head, [first, count, root]);
    const { eventId, era, receiptKey } = announcement;
    const batch = { index, first, count, root, head: toHex(head) };
    const signature = toHex(sign(null, signedBytes({ eventId, era, batch }), key));
    receipts.push(...entries.map((entry) => receiptOf({ eventId, era, batch, receiptKey, signature }, tree, entry)));
  }
  const round = roundFor(announcement.beacon, frozenAtMs);
  const signature = beacon === 'drand' ? toHex(new Uint8Array([...bytesFor('r'), ...bytesFor('s')]).slice(0, 48)) : '';
  const { eventId, era } = announcement;
  const frozen = { atMs: frozenAtMs, entries: next, head: toHex(head), round };
  const revealed = {
    atMs: frozenAtMs + 40_000,
    secret: toHex(secret),
    round: round + roundsMissing,
    value: beacon === 'drand' ? toHex(sha256(Buffer.from(signature, 'hex'))) : '',
    signature,
  };
  const draw: PublishedDraw = {
    format: 'urr.draw.1',
    ...announcement,
    head: toHex(head),
    batches,
    frozen,
    revealed: { ...revealed, seed: toHex(seedOf({ eventId, era, ...frozen, ...revealed })) },
    voids: [],
  };
  return { draw, receipts };
}

function keyFrom(seed: Uint8Array) {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' });
}

function rawPublicKey(key: ReturnType<typeof keyFrom>): Uint8Array {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}
