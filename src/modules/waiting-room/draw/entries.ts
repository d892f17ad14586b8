import { batchMax, batchTree, type Entry } from '#edge/draw/batch-tree.ts';
import { nextHead } from '#edge/draw/draw-log.ts';
import { toHex } from '#edge/draw/hash.ts';
import type { Batch, Receipt } from '#edge/draw/published.ts';
import { receiptOf, signedBytes } from '#edge/draw/receipts.ts';
import { createBatcher } from '#platform/concurrency/batcher.ts';
import { isFault, platformErrors } from '#platform/errors.ts';
import type { Database, Transaction } from '#platform/postgres/database.ts';
import { signReceipt } from './keys.ts';
import {
  accountEntries,
  appendBatches,
  type DrawKey,
  keepAccounts,
  lockLog,
  markProofs,
  type OpenLog,
} from './storage.ts';

export interface Newcomer {
  readonly visitor: string;
  readonly atMs: number;
  /** A hash of the account, where one may enter once. */
  readonly account: string | null;
  /** The name of the proof of work that came along. */
  readonly proof: string | null;
}

/** `known`: this account has entered before, with another browser. `over`: the draw is frozen. */
export type Entered =
  | { readonly status: 'entered'; readonly entry: Entry; readonly receipt: Receipt }
  | { readonly status: 'known'; readonly entry: Entry }
  | { readonly status: 'over' }
  | { readonly status: 'used-proof' };

export interface Entries {
  enter(draw: DrawKey, newcomer: Newcomer): Promise<Entered>;
  stop(): Promise<void>;
}

/** One transaction logs so many entries, in batches of 64. Of a process one at a time, so that a crowd makes them large. */
const limits = { batchMax: 16 * batchMax, batchesMax: 1, callsMax: 50_000, waitMaxMs: 5_000 };

/** Entries of visitors, logged in PostgreSQL before anybody hears of them: a receipt is given for what cannot be lost any more. */
export function createEntries({ database }: { database: Database }): Entries {
  async function run(key: string, newcomers: readonly Newcomer[]): Promise<Entered[]> {
    const draw = drawKeyOf(key);
    const logged = await database.transaction((tx) => log(tx, draw, newcomers));
    if (logged === null) return newcomers.map(() => ({ status: 'over' }));
    const { trees, receiptSeed, receiptKey } = logged;
    const receipts = new Map<number, Receipt>();
    // Behind the commit: nobody waits for the log while signatures are made.
    for (const { tree, entries, batch } of trees) {
      const signature = toHex(signReceipt(receiptSeed, signedBytes({ ...draw, batch })));
      for (const entry of entries)
        receipts.set(entry.entry, receiptOf({ ...draw, batch, receiptKey, signature }, tree, entry));
    }
    return logged.entries.map((entry) => {
      if (entry === 'used-proof') return { status: entry };
      const receipt = receipts.get(entry.entry);
      // Two browsers of one account in one batch have one entry, and either may keep its receipt.
      return receipt === undefined ? { status: 'known', entry } : { status: 'entered', entry, receipt };
    });
  }

  const batches = createBatcher<Newcomer, Entered>({
    limits,
    run,
    overloaded: () => platformErrors.fault('STORE_UNAVAILABLE'),
    isOutage: (fault) => isFault(fault, 'DATABASE_UNAVAILABLE'),
  });
  return { enter: ({ eventId, era }, newcomer) => batches.call(`${eventId} ${era}`, newcomer), stop: batches.stop };
}

function drawKeyOf(key: string): DrawKey {
  const [eventId = '', era = ''] = key.split(' ');
  return { eventId, era: Number(era) };
}

/** An index for each newcomer, in their order; null: the log is closed. */
async function log(tx: Transaction, draw: DrawKey, newcomers: readonly Newcomer[]) {
  const open = await lockLog(tx, draw);
  if (open === null) return null;
  const known = open.signInRequired ? await knownAccounts(tx, draw, newcomers) : new Map<string, Entry>();
  const unused = await newProofs(tx, draw, newcomers);
  const fresh: Entry[] = [];
  const accounts: { account: string; entry: Entry }[] = [];
  const entries = newcomers.map(({ visitor, atMs, account, proof }) => {
    const before = account === null ? undefined : known.get(account);
    if (before !== undefined) return before;
    // Of two that come with one proof the first has it.
    if (proof !== null && !unused.delete(proof)) return 'used-proof';
    const entry: Entry = { entry: open.entries + fresh.length, visitor, atMs };
    fresh.push(entry);
    if (account !== null && open.signInRequired) {
      known.set(account, entry);
      accounts.push({ account, entry });
    }
    return entry;
  });
  const trees = treesOf(open, fresh);
  const last = trees.at(-1);
  if (last !== undefined) {
    const batches = trees.map(({ batch: { first, count, root } }): Batch => [first, count, root]);
    await appendBatches(tx, draw, { index: open.batches, batches, head: last.batch.head });
  }
  const kept = accounts.map(({ account, entry }) => ({ account, ...entry }));
  if (kept.length > 0) await keepAccounts(tx, draw, kept);
  return { entries, trees, receiptSeed: open.receiptSeed, receiptKey: open.receiptKey };
}

async function newProofs(tx: Transaction, draw: DrawKey, newcomers: readonly Newcomer[]): Promise<Set<string>> {
  const proofs = newcomers.flatMap(({ proof, atMs }) => (proof === null ? [] : [{ proof, atMs }]));
  return new Set(proofs.length === 0 ? [] : await markProofs(tx, draw, proofs));
}

async function knownAccounts(tx: Transaction, draw: DrawKey, newcomers: readonly Newcomer[]) {
  const accounts = newcomers.flatMap(({ account }) => account ?? []);
  const before = await accountEntries(tx, draw, accounts);
  return new Map(before.map(({ account, ...entry }): [string, Entry] => [account, entry]));
}

function treesOf(open: OpenLog, fresh: readonly Entry[]) {
  let head: Uint8Array = open.head;
  return Array.from({ length: Math.ceil(fresh.length / batchMax) }, (_, n) => {
    const entries = fresh.slice(n * batchMax, (n + 1) * batchMax);
    const tree = batchTree(entries);
    const { first, count, root } = {
      first: open.entries + n * batchMax,
      count: entries.length,
      root: toHex(tree.root),
    };
    head = nextHead(head, [first, count, root]);
    return { tree, entries, batch: { index: open.batches + n, first, count, root, head: toHex(head) } };
  });
}
