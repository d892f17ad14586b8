import type { Announcement, Batch, Beacon, PublishedDraw, VoidDraw } from '#edge/draw/published.ts';
import type { Queryable, Transaction } from '#platform/postgres/database.ts';

export interface NewDraw extends Announcement {
  readonly secret: Uint8Array;
  readonly receiptSeed: Uint8Array;
  readonly head: string;
}

export async function insertDraw(tx: Transaction, draw: NewDraw): Promise<void> {
  await tx.query(
    `INSERT INTO waiting_room.draws
       (event_id, era, announced_ms, secret, commitment, receipt_seed, receipt_key, sign_in_required, beacon, head)
     VALUES ($1, $2, $3, $4, decode($5, 'hex'), $6, decode($7, 'hex'), $8, $9, decode($10, 'hex'))`,
    [
      draw.eventId,
      draw.era,
      draw.announcedAtMs,
      Buffer.from(draw.secret),
      draw.commitment,
      Buffer.from(draw.receiptSeed),
      draw.receiptKey,
      draw.signInRequired,
      JSON.stringify(draw.beacon),
      draw.head,
    ],
  );
}

export interface DrawKey {
  readonly eventId: string;
  readonly era: number;
}

export interface OpenLog {
  readonly batches: number;
  readonly entries: number;
  readonly head: Buffer;
  readonly receiptSeed: Buffer;
  readonly receiptKey: string;
  readonly signInRequired: boolean;
}

/** Nobody else adds to the log until the transaction ends, and nobody freezes it. Null: it is closed. */
export async function lockLog(tx: Transaction, { eventId, era }: DrawKey): Promise<OpenLog | null> {
  const { rows } = await tx.query<{
    batches: number;
    entries: string;
    head: Buffer;
    receipt_seed: Buffer;
    receipt_key: string;
    sign_in_required: boolean;
  }>(
    `SELECT batches, entries, head, receipt_seed, encode(receipt_key, 'hex') AS receipt_key, sign_in_required
     FROM waiting_room.draws WHERE event_id = $1 AND era = $2 AND frozen_ms IS NULL FOR UPDATE`,
    [eventId, era],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { batches, head } = row;
  return {
    ...{ batches, head },
    entries: Number(row.entries),
    receiptSeed: row.receipt_seed,
    receiptKey: row.receipt_key,
    signInRequired: row.sign_in_required,
  };
}

export async function appendBatches(
  tx: Transaction,
  { eventId, era }: DrawKey,
  call: { index: number; batches: readonly Batch[]; head: string },
): Promise<void> {
  const { index, batches, head } = call;
  await tx.query(
    `WITH added AS (
       INSERT INTO waiting_room.draw_batches (event_id, era, index, first, count, root)
       SELECT $1, $2, b.index, b.first, b.count, decode(b.root, 'hex')
       FROM unnest($3::integer[], $4::bigint[], $5::integer[], $6::text[]) AS b (index, first, count, root))
     UPDATE waiting_room.draws
     SET batches = batches + $7, entries = entries + $8, head = decode($9, 'hex') WHERE event_id = $1 AND era = $2`,
    [
      eventId,
      era,
      batches.map((_, n) => index + n),
      batches.map(([first]) => first),
      batches.map(([, count]) => count),
      batches.map(([, , root]) => root),
      batches.length,
      batches.reduce((sum, [, count]) => sum + count, 0),
      head,
    ],
  );
}

/** What an account was given. */
export interface AccountEntry {
  readonly account: string;
  readonly entry: number;
  readonly visitor: string;
  readonly atMs: number;
}

export async function accountEntries(
  tx: Transaction,
  { eventId, era }: DrawKey,
  accounts: readonly string[],
): Promise<AccountEntry[]> {
  const { rows } = await tx.query<{ account: string; entry: string; visitor: string; at_ms: string }>(
    `SELECT encode(account, 'hex') AS account, entry, visitor, at_ms FROM waiting_room.draw_accounts
     WHERE event_id = $1 AND era = $2 AND account IN (SELECT decode(a, 'hex') FROM unnest($3::text[]) AS a)`,
    [eventId, era, accounts],
  );
  return rows.map(({ account, entry, visitor, at_ms }) => ({
    ...{ account, visitor },
    entry: Number(entry),
    atMs: Number(at_ms),
  }));
}

export async function keepAccounts(
  tx: Transaction,
  { eventId, era }: DrawKey,
  entries: readonly AccountEntry[],
): Promise<void> {
  await tx.query(
    `INSERT INTO waiting_room.draw_accounts (event_id, era, account, entry, visitor, at_ms)
     SELECT $1, $2, decode(a.account, 'hex'), a.entry, a.visitor, a.at_ms
     FROM unnest($3::text[], $4::bigint[], $5::text[], $6::bigint[]) AS a (account, entry, visitor, at_ms)`,
    [
      eventId,
      era,
      entries.map(({ account }) => account),
      entries.map(({ entry }) => entry),
      entries.map(({ visitor }) => visitor),
      entries.map(({ atMs }) => atMs),
    ],
  );
}

/** Those that were not used before. */
export async function markProofs(
  tx: Transaction,
  { eventId, era }: DrawKey,
  proofs: readonly { proof: string; atMs: number }[],
): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(
    `INSERT INTO waiting_room.draw_proofs (event_id, era, name, at_ms)
     SELECT $1, $2, p.name, p.at_ms FROM unnest($3::text[], $4::bigint[]) AS p (name, at_ms)
     ON CONFLICT DO NOTHING RETURNING name`,
    [eventId, era, proofs.map(({ proof }) => proof), proofs.map(({ atMs }) => atMs)],
  );
  return rows.map(({ name }) => name);
}

export async function forgetProofs(on: Queryable, beforeMs: number): Promise<void> {
  await on.query('DELETE FROM waiting_room.draw_proofs WHERE at_ms < $1', [beforeMs]);
}

/** Once nobody comes any more with another browser. */
export async function forgetAccounts(on: Queryable): Promise<void> {
  await on.query(
    `DELETE FROM waiting_room.draw_accounts a USING waiting_room.rooms r
     WHERE r.event_id = a.event_id AND coalesce(r.closes_at + interval '1 day', r.changed_at + interval '7 days') < urr.now()`,
  );
}

/** What a freeze fixes; null: it was frozen before, or there is no such draw. */
export async function freeze(
  tx: Transaction,
  { eventId, era }: DrawKey,
  call: { atMs: number; roundOf: (beacon: Beacon) => number },
): Promise<{ entries: number; round: number } | null> {
  const { rows: open } = await tx.query<{ beacon: Beacon }>(
    'SELECT beacon FROM waiting_room.draws WHERE event_id = $1 AND era = $2',
    [eventId, era],
  );
  if (open[0] === undefined) return null;
  const round = call.roundOf(open[0].beacon);
  const { rows } = await tx.query<{ entries: string }>(
    `UPDATE waiting_room.draws SET frozen_ms = $3, round = $4, receipt_seed = NULL
     WHERE event_id = $1 AND era = $2 AND frozen_ms IS NULL RETURNING entries`,
    [eventId, era, call.atMs, round],
  );
  return rows[0] === undefined ? null : { entries: Number(rows[0].entries), round };
}

/** A draw that waits for its reveal. */
export interface FrozenDraw extends DrawKey {
  readonly entries: number;
  readonly head: string;
  readonly secret: string;
  readonly beacon: Beacon;
  readonly frozenAtMs: number;
  readonly round: number;
}

export async function frozenDraw(on: Queryable, { eventId, era }: DrawKey): Promise<FrozenDraw | null> {
  const { rows } = await on.query<{
    entries: string;
    head: string;
    secret: string;
    beacon: Beacon;
    frozen_ms: string;
    round: string;
  }>(
    `SELECT entries, encode(head, 'hex') AS head, encode(secret, 'hex') AS secret, beacon, frozen_ms, round
     FROM waiting_room.draws
     WHERE event_id = $1 AND era = $2 AND frozen_ms IS NOT NULL AND seed IS NULL AND void_reason IS NULL`,
    [eventId, era],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { head, secret, beacon } = row;
  const numbers = { entries: Number(row.entries), frozenAtMs: Number(row.frozen_ms), round: Number(row.round) };
  return { eventId, era, head, secret, beacon, ...numbers };
}

/** False: another process has revealed it, it is void, or the room was switched off. */
export async function reveal(
  on: Queryable,
  { eventId, era }: DrawKey,
  call: { atMs: number; round: number; value: string; signature: string; seed: string },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE waiting_room.draws d SET revealed_ms = $3, used_round = $4, value = decode($5, 'hex'),
       signature = decode($6, 'hex'), seed = decode($7, 'hex')
     FROM waiting_room.rooms r
     WHERE d.event_id = $1 AND d.era = $2 AND frozen_ms IS NOT NULL AND seed IS NULL AND void_reason IS NULL
       AND r.event_id = d.event_id AND r.is_active`,
    [eventId, era, call.atMs, call.round, call.value, call.signature, call.seed],
  );
  return rowCount === 1;
}

/** For ever. Of a draw that was not frozen nothing is void: nothing could be known of its outcome. */
export async function makeVoid(
  on: Queryable,
  { eventId, era }: DrawKey,
  call: { atMs: number; reason: 'unrevealed' | 'reset' },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE waiting_room.draws SET void_ms = $3, void_reason = $4
     WHERE event_id = $1 AND era = $2 AND frozen_ms IS NOT NULL AND void_reason IS NULL
       AND ($4 = 'reset' OR seed IS NULL)`,
    [eventId, era, call.atMs, call.reason],
  );
  return rowCount === 1;
}

interface PublishedRow {
  readonly era: number;
  readonly announced_ms: string;
  readonly commitment: string;
  readonly receipt_key: string;
  readonly sign_in_required: boolean;
  readonly beacon: Beacon;
  readonly head: string;
  readonly batches: number;
  readonly entries: string;
  readonly frozen_ms: string | null;
  readonly round: string | null;
  readonly revealed_ms: string | null;
  readonly used_round: string | null;
  readonly secret: string | null;
  readonly value: string | null;
  readonly signature: string | null;
  readonly seed: string | null;
  readonly void_ms: string | null;
  readonly void_reason: VoidDraw['reason'] | null;
}

/** The latest draw of an event, whole; null: it never had one. */
export async function publishedDraw(on: Queryable, eventId: string): Promise<PublishedDraw | null> {
  const { rows } = await on.query<PublishedRow>(
    `SELECT era, announced_ms, encode(commitment, 'hex') AS commitment, encode(receipt_key, 'hex') AS receipt_key,
       sign_in_required, beacon, encode(head, 'hex') AS head, batches, entries, frozen_ms, round, revealed_ms, used_round,
       CASE WHEN seed IS NOT NULL THEN encode(secret, 'hex') END AS secret, encode(value, 'hex') AS value,
       encode(signature, 'hex') AS signature, encode(seed, 'hex') AS seed, void_ms, void_reason
     FROM waiting_room.draws WHERE event_id = $1 ORDER BY era`,
    [eventId],
  );
  const row = rows.at(-1);
  if (row === undefined) return null;
  const { rows: batches } = await on.query<{ first: string; count: number; root: string }>(
    // Those that the head above is over: more may have been added since.
    `SELECT first, count, encode(root, 'hex') AS root FROM waiting_room.draw_batches
     WHERE event_id = $1 AND era = $2 AND index < $3 ORDER BY index`,
    [eventId, row.era, row.batches],
  );
  return {
    ...{ format: 'urr.draw.1', eventId, era: row.era, announcedAtMs: Number(row.announced_ms) },
    ...{ commitment: row.commitment, receiptKey: row.receipt_key, signInRequired: row.sign_in_required },
    ...{ beacon: row.beacon, head: row.head },
    batches: batches.map(({ first, count, root }) => [Number(first), count, root] as const),
    frozen:
      row.frozen_ms === null
        ? null
        : { atMs: Number(row.frozen_ms), entries: Number(row.entries), head: row.head, round: Number(row.round) },
    revealed: revealedOf(row),
    voids: rows.flatMap(voidOf),
  };
}

function revealedOf({ seed, secret, revealed_ms, used_round, value, signature }: PublishedRow) {
  if (seed === null || secret === null) return null;
  const [atMs, round] = [Number(revealed_ms), Number(used_round)];
  return { atMs, secret, round, value: value ?? '', signature: signature ?? '', seed };
}

function voidOf({ era, void_ms, entries, head, void_reason }: PublishedRow): VoidDraw[] {
  if (void_reason === null) return [];
  return [{ era, atMs: Number(void_ms), entries: Number(entries), head, reason: void_reason }];
}
