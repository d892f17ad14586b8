import type { Database } from '../postgres/database.ts';
import type { Control } from './control.ts';
import {
  createLetterBox,
  type LetterBox,
  type LetterBoxOptions,
  letterKey,
  retryAfterMinDefault,
  sendCopies,
} from './letters.ts';
import type { Headers, Message } from './message.ts';
import type { ConsumerName } from './options.ts';
import type { ConsumerDeclaration } from './port.ts';
import { createProcessor, type Delivery, LostPartition, type ProcessorOptions } from './processor.ts';
import { backoffMs, settledWithin, sleep } from './waiting.ts';

interface Options
  extends Omit<ProcessorOptions, 'delivery' | 'letters' | 'signal'>,
    Pick<LetterBoxOptions, 'copyAs' | 'wakeRelays'> {
  readonly control: Pick<Control, 'share'>;
}

interface LetterRow {
  readonly id: number;
  readonly round: number;
  readonly behind: boolean;
}

type LettersInHand = ReadonlyMap<Message, LetterRow>;

const pollMs = 1_000;
/** A look takes its time on a busy machine; it is then made less often, so that it costs a tenth at most. */
const idleShare = 10;
/** How many parked keys one look goes through. With very many the walk takes several looks; due letters wait for none of it. */
const walkKeysMax = 1_000;
const takeMax = { letters: 500, bytes: 8 * 1_024 * 1_024 };
const stopTimeoutMs = 10_000;
const failureBackoff = { baseMs: 100, maxMs: 3_000 };

/** The letters of a consumer: where its readers write them, and the one who tries them again until stopped. */
export function openLetters(options: Options): { box: LetterBox | null; stop(): Promise<void> } {
  const { deadLetter } = options.consumer.declaration;
  if (deadLetter === null) return { box: null, stop: async () => {} };
  const declaration = { ...options.consumer.declaration, deadLetter };
  const source = startLetterSource({ ...options, declaration });
  return { box: createLetterBox({ ...options, declaration }), stop: source.stop };
}

/**
 * Tries the letters of a consumer again when they are due, through the same processor as everything else. One process of
 * the group does it at a time. That only saves double work: a letter is locked and deleted in the transaction of its effect, so
 * a second process that still believes to be the one can have no second effect.
 */
function startLetterSource(options: Options & Pick<LetterBoxOptions, 'declaration'>): { stop(): Promise<void> } {
  const { topic, group } = options.declaration;
  let reader: { stopping: AbortController; done: Promise<void> } | null = null;

  const share = options.control.share({
    name: `urr:letters:${group}:${topic.name}`,
    partitions: () => 1,
    gained() {
      const stopping = new AbortController();
      reader = { stopping, done: tryLetters({ ...options, signal: stopping.signal }) };
    },
    async lost() {
      reader?.stopping.abort();
      await reader?.done;
    },
  });

  return {
    async stop() {
      const inTime = await settledWithin(share.leave(), stopTimeoutMs);
      if (!inTime)
        options.logger.warn({ topic: topic.name, group }, 'a letter was still being tried; it will be tried again');
    },
  };
}

async function tryLetters(
  options: Options & Pick<LetterBoxOptions, 'declaration'> & { signal: AbortSignal },
): Promise<void> {
  const { declaration, database, logger, signal } = options;
  const name = { topic: declaration.topic.name, group: declaration.group };
  const inHand = new Map<Message, LetterRow>();
  // A letter that fails again is no further letter.
  const { deadLettered: _, ...observe } = options.observe;
  const processor = createProcessor({
    ...options,
    observe,
    consumer: { ...options.consumer, declaration: declarationOfRetries(declaration) },
    delivery: lockedDelivery(inHand),
    letters: createRetryBox({ ...options, inHand }),
  });
  let failures = 0;
  let walkFrom = '';
  /** What was in hand may have been the last that its key waited for. */
  let keysToLookAt: string[] = [];

  while (!signal.aborted) {
    try {
      const started = performance.now();
      const found = await readLettersToTry(database, name, keysToLookAt);
      const walked = await findFreedKeys(database, name, walkFrom);
      walkFrom = walked.next ?? '';
      keysToLookAt = [...new Set([...found.map(({ message }) => message.key), ...walked.freed])];
      inHand.clear();
      for (const { message, row } of found) inHand.set(message, row);
      for (const messages of byPartition([...inHand.keys()])) await processor.process(messages);
      if (keysToLookAt.length === 0) await sleep(Math.max(pollMs, (performance.now() - started) * idleShare), signal);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (failures === 1 && !(error instanceof LostPartition))
        logger.warn({ err: error, ...name }, 'trying letters was interrupted');
      await sleep(backoffMs(failures, failureBackoff), signal);
    }
  }
}

/** A letter has its pauses in minutes, so each of its turns is one try. It is deleted with its effect, never before. */
function declarationOfRetries(declaration: ConsumerDeclaration): ConsumerDeclaration {
  return { ...declaration, commit: 'manual', retry: { times: 0, backoffMs: 1 } };
}

function lockedDelivery(inHand: LettersInHand): Delivery {
  return {
    received: async () => {},
    async advance(tx, messages) {
      const rows = rowsOf(inHand, messages);
      const { rowCount } = await tx.query(
        `SELECT FROM urr.bus_letters AS letter
         JOIN unnest($1::bigint[], $2::integer[], $3::boolean[]) AS seen (id, round, behind) USING (id)
         WHERE letter.round = seen.round AND letter.behind = seen.behind
         FOR UPDATE OF letter SKIP LOCKED`,
        [rows.map(({ id }) => id), rows.map(({ round }) => round), rows.map(({ behind }) => behind)],
      );
      // Somebody else tries one of them, has tried it, or dropped it.
      if (rowCount < rows.length) throw new LostPartition();
    },
  };
}

/** The letters of a consumer as seen by the one who tries them again: they are there already. */
function createRetryBox(options: LetterBoxOptions & { inHand: LettersInHand }): LetterBox {
  const { declaration, inHand } = options;
  const { group, onPoison = 'pass', retryAfterMin = retryAfterMinDefault } = declaration;

  return {
    async parkedAmong(tx, messages) {
      if (onPoison === 'pass') return new Set();
      const own = rowsOf(inHand, messages);
      const keys = new Set(messages.map(letterKey));
      // Of each key the first letter that is not among these: whatever comes after it has to wait.
      const other = (kind: string) =>
        `(SELECT min(id) FROM urr.bus_letters AS letter WHERE letter.consumer_group = $1 AND letter.topic = $2
           AND letter.key = wanted.key AND ${kind} AND letter.id <> ALL ($4::bigint[]))`;
      const { rows } = await tx.query<{ key: string; first: number | null }>(
        `SELECT key, least(${other('NOT behind')}, ${other('behind')}) AS first FROM unnest($3::text[]) AS wanted (key)`,
        [group, declaration.topic.name, [...keys], own.map(({ id }) => id)],
      );
      const firstOther = new Map(rows.map(({ key, first }) => [key, first ?? Number.MAX_SAFE_INTEGER]));
      return new Set(
        messages.filter((message, index) => (own[index]?.id ?? 0) > (firstOther.get(letterKey(message)) ?? 0)),
      );
    },

    async write(tx, letters) {
      const rows = rowsOf(
        inHand,
        letters.map(({ message }) => message),
      );
      await tx.query(
        `UPDATE urr.bus_letters AS letter
         SET behind = false, attempts = letter.attempts + new.attempts, reason = new.reason, round = new.round,
           failed_at = urr.now(), due_at = urr.now() + ($1::float8[])[new.round + 1] * interval '1 minute'
         FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[]) AS new (id, round, attempts, reason)
         WHERE letter.id = new.id`,
        [
          retryAfterMin,
          rows.map(({ id }) => id),
          rows.map(({ round, behind }) => (behind ? round : round + 1)),
          letters.map(({ attempts }) => attempts),
          letters.map(({ reason }) => reason),
        ],
      );
      const failedFirst = letters.filter((_, index) => rows[index]?.behind === true);
      await sendCopies(tx, options, failedFirst);
    },

    async writeBehind(tx, messages) {
      await tx.query('UPDATE urr.bus_letters SET behind = true, due_at = NULL WHERE id = ANY ($1::bigint[])', [
        rowsOf(inHand, messages).map(({ id }) => id),
      ]);
    },

    async resolve(tx, messages) {
      await tx.query('DELETE FROM urr.bus_letters WHERE id = ANY ($1::bigint[])', [
        rowsOf(inHand, messages).map(({ id }) => id),
      ]);
    },
  };
}

function rowsOf(inHand: LettersInHand, messages: readonly Message[]): LetterRow[] {
  return messages.map((message) => {
    const row = inHand.get(message);
    if (row === undefined) throw new Error('the processor made up a message');
    return row;
  });
}

/**
 * Keys that wait for nothing any more: their last failed letter was dropped, or went while the next was being written. The
 * walk goes on where the last one ended.
 */
async function findFreedKeys(
  database: Database,
  { topic, group }: ConsumerName,
  from: string,
): Promise<{ next: string | null; freed: string[] }> {
  const { rows } = await database.query<{ next: string | null; freed: string[] }>(
    'SELECT next_key AS next, freed FROM urr.bus_freed_keys($1, $2, $3, $4)',
    [group, topic, from, walkKeysMax],
  );
  return rows[0] ?? { next: null, freed: [] };
}

async function readLettersToTry(
  database: Database,
  { topic, group }: ConsumerName,
  keys: readonly string[],
): Promise<{ message: Message; row: LetterRow }[]> {
  const { rows } = await database.query<
    LetterRow & { partition: number; log_offset: number; key: string; value: Buffer; headers: Headers }
  >(
    `SELECT id, round, behind, partition, log_offset, key, value, headers
     FROM urr.bus_letters_to_try($1, $2, $3::text[], $4, $5)`,
    [group, topic, keys, takeMax.letters, takeMax.bytes],
  );
  return rows.map(({ id, round, behind, partition, log_offset, key, value, headers }) => ({
    row: { id, round, behind },
    message: { topic, partition, offset: log_offset, key, value: value.toString(), headers, bytes: value },
  }));
}

function byPartition(messages: readonly Message[]): Message[][] {
  return [...Map.groupBy(messages, ({ partition }) => partition).values()];
}
