import { announcedHead, entriesIn, nextHead } from './draw-log.ts';
import { fromHex, toHex } from './hash.ts';
import { createPermutation, entriesMax, type PlaceOf } from './permutation.ts';
import type { PublishedDraw, Receipt } from './published.ts';
import { leadsToRoot, signedBytes } from './receipts.ts';
import { revealWithinMs, roundAtMs, roundFor } from './rounds.ts';
import { commitmentOf, seedOf } from './seed.ts';
import { sha256 } from './sha256.ts';

/** One question and its answer. `open`: not known yet. `unchecked`: cannot be told from these files, a person has to look. */
export interface Check {
  readonly id: CheckId;
  readonly outcome: 'passed' | 'failed' | 'open' | 'unchecked';
  readonly facts: Readonly<Record<string, string | number>>;
}

export type CheckId =
  | 'log'
  | 'entries'
  | 'round'
  | 'later-round'
  | 'secret'
  | 'secret-late'
  | 'value'
  | 'beacon'
  | 'seed'
  | 'trusted'
  | 'voids'
  | 'receipt-draw'
  | 'receipt-signature'
  | 'receipt-path'
  | 'receipt-log'
  | 'number';

export interface Verdict {
  /** `failed`: one check has failed. `open`: none has, but the draw is not over. */
  readonly outcome: 'passed' | 'failed' | 'open';
  readonly checks: readonly Check[];
  /** Of the receipt's entry. */
  readonly number: number | null;
  readonly seed: string | null;
}

export interface SignatureCheck {
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly signed: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

export interface VerifyOptions {
  readonly receipt?: Receipt | undefined;
  readonly nowMs: number;
  /** Null: cannot be told here. */
  readonly isSigned: (check: SignatureCheck) => Promise<boolean | null>;
  /** Asks the beacon itself; null: there is no such round. Without it a person is told to look. */
  readonly beaconValue?: ((round: number) => Promise<string | null>) | undefined;
}

/** Everything that can be known of a published draw, and of one receipt, without trusting who published it. */
export async function verifyDraw(draw: PublishedDraw, options: VerifyOptions): Promise<Verdict> {
  const { checks: ofLog, heads } = checkLog(draw);
  const ofSecret = checkSecret(draw, options.nowMs);
  const checks = [
    ...ofLog,
    ...checkRound(draw),
    ...ofSecret,
    ...(await checkValue(draw, options)),
    ...checkSeed(draw),
    ...voidsOf(draw),
  ];
  const drawn = checks.some(({ outcome }) => outcome === 'failed') ? null : outcomeOf(draw);
  const { receipt } = options;
  if (receipt !== undefined) {
    const ofReceipt = await checkReceipt(draw, receipt, heads, options.isSigned);
    checks.push(...ofReceipt);
    if (ofReceipt.some(({ outcome }) => outcome === 'failed'))
      return { ...verdictOf(checks), number: null, seed: null };
  }
  const isIn = receipt !== undefined && draw.frozen !== null && receipt.entry < draw.frozen.entries;
  const number = isIn && drawn !== null ? drawn.placeOf(receipt.entry) + 1 : null;
  if (number !== null && isIn)
    checks.push({ id: 'number', outcome: 'passed', facts: { entry: receipt.entry, number, of: draw.frozen.entries } });
  return { ...verdictOf(checks), number, seed: drawn?.seed ?? null };
}

function verdictOf(checks: readonly Check[]): Pick<Verdict, 'outcome' | 'checks'> {
  const has = (wanted: Check['outcome']) => checks.some(({ outcome }) => outcome === wanted);
  return { outcome: has('failed') ? 'failed' : has('open') ? 'open' : 'passed', checks };
}

/** Announcement and batches lead to the published head, and the batches hold the N entries one after the other. */
function checkLog(draw: PublishedDraw) {
  const { batches, frozen } = draw;
  let head = announcedHead(draw);
  const heads = batches.map((batch) => {
    head = nextHead(head, batch);
    return head;
  });
  const end = toHex(head);
  const leads = end === draw.head && (frozen === null || frozen.head === end);
  const checks: Check[] = [one('log', leads, { batches: batches.length, head: draw.head })];
  const entries = entriesIn(batches);
  if (frozen === null && entries !== null) checks.push({ id: 'entries', outcome: 'open', facts: { sofar: entries } });
  else {
    const wanted = frozen?.entries ?? 0;
    checks.push(one('entries', entries === wanted && wanted <= entriesMax, { entries: wanted }));
  }
  return { checks, heads };
}

function checkRound({ beacon, frozen, revealed }: PublishedDraw): Check[] {
  if (frozen === null) return [];
  if (beacon.kind === 'operator') {
    const isNone = frozen.round === 0 && (revealed === null || (revealed.round === 0 && revealed.value === ''));
    return [...(isNone ? [] : [one('round', false, { round: frozen.round })]), unchecked('trusted', {})];
  }
  const expected = roundFor(beacon, frozen.atMs);
  const used = revealed?.round ?? frozen.round;
  const facts = { round: frozen.round, expected, used, chain: beacon.chain };
  const checks = [one('round', frozen.round === expected && used >= frozen.round, facts)];
  if (used > frozen.round) checks.push(unchecked('later-round', facts));
  return checks;
}

function checkSecret({ beacon, commitment, frozen, revealed }: PublishedDraw, nowMs: number): Check[] {
  if (frozen === null) return revealed === null ? [] : [one('secret', false, { commitment })];
  const byMs = roundAtMs(beacon, revealed?.round ?? frozen.round, frozen.atMs) + revealWithinMs;
  if (revealed === null) {
    if (nowMs > byMs) return [one('secret-late', false, { byMs })];
    return [{ id: 'secret', outcome: 'open', facts: { commitment, byMs } }];
  }
  const checks = [one('secret', toHex(commitmentOf(fromHex(revealed.secret))) === commitment, { commitment })];
  if (revealed.atMs > byMs) checks.push(one('secret-late', false, { byMs }));
  return checks;
}

/** drand's value is the hash of its signature; whether that is the beacon's own can only the beacon say. */
async function checkValue(
  { beacon, frozen, revealed }: PublishedDraw,
  { beaconValue }: VerifyOptions,
): Promise<Check[]> {
  if (beacon.kind === 'operator' || frozen === null || revealed === null) return [];
  const { round, value, signature } = revealed;
  const facts = { round, value, chain: beacon.chain };
  const isHash = value.length === 64 && signature !== '' && toHex(sha256(fromHex(signature))) === value;
  const checks = [one('value', isHash, facts)];
  if (beaconValue === undefined) return [...checks, unchecked('beacon', facts)];
  for (let skipped = frozen.round; skipped < Math.min(round, frozen.round + skippedLookedAtMax); skipped++) {
    if ((await beaconValue(skipped)) !== null) return [...checks, one('beacon', false, { ...facts, skipped })];
  }
  return [...checks, one('beacon', (await beaconValue(round)) === value, facts)];
}

const skippedLookedAtMax = 20;

function voidsOf({ voids, era }: PublishedDraw): Check[] {
  const latest = voids.at(-1);
  if (latest === undefined) return [];
  const isOwn = voids.some((one) => one.era === era);
  const facts = { count: voids.length, era: latest.era, reason: latest.reason };
  return [isOwn ? one('voids', false, facts) : unchecked('voids', facts)];
}

async function checkReceipt(
  draw: PublishedDraw,
  receipt: Receipt,
  heads: readonly Uint8Array[],
  isSigned: VerifyOptions['isSigned'],
): Promise<Check[]> {
  const { eventId, era, entry, batch } = receipt;
  const isOf = eventId === draw.eventId && era === draw.era;
  if (!isOf) return [one('receipt-draw', false, { entry, era })];
  const signed = await isSigned({
    publicKey: bytesOf(draw.receiptKey),
    signed: signedBytes(receipt),
    signature: bytesOf(receipt.signature),
  });
  const isOurs = receipt.receiptKey === draw.receiptKey && signed !== false;
  const facts = { entry, batch: batch.index };
  const [first, count, root] = draw.batches[batch.index] ?? [];
  const head = heads[batch.index];
  const isLogged = first === batch.first && count === batch.count && root === batch.root;
  return [
    isOurs && signed === null ? unchecked('receipt-signature', facts) : one('receipt-signature', isOurs, facts),
    one('receipt-path', leadsToRoot(receipt), facts),
    one('receipt-log', isLogged && head !== undefined && toHex(head) === batch.head, facts),
  ];
}

function checkSeed({ eventId, era, frozen, revealed }: PublishedDraw): Check[] {
  if (frozen === null || revealed === null) return [];
  const { seed } = revealed;
  return [one('seed', toHex(seedOf({ eventId, era, ...frozen, ...revealed })) === seed, { seed })];
}

function outcomeOf({ frozen, revealed }: PublishedDraw): { seed: string; placeOf: PlaceOf } | null {
  if (frozen === null || revealed === null) return null;
  const { seed } = revealed;
  return { seed, placeOf: createPermutation(fromHex(seed), frozen.entries) };
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(fromHex(hex));
const one = (id: CheckId, holds: boolean, facts: Check['facts']): Check => ({
  id,
  outcome: holds ? 'passed' : 'failed',
  facts,
});
const unchecked = (id: CheckId, facts: Check['facts']): Check => ({ id, outcome: 'unchecked', facts });
