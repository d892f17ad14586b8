import { createHash } from 'node:crypto';
import type { Transaction } from '../postgres/database.ts';
import type { DeadLetter } from './dead-letter.ts';
import { identityOf, type Message, type OutgoingMessage } from './message.ts';
import { appendToOutbox } from './outbox.ts';
import type { ConsumerDeclaration } from './port.ts';

/**
 * Where the messages of a group wait that could not be handled. The letters live in PostgreSQL, whichever broker the
 * messages came from, so that writing one is part of the transaction that moves the group on: a broker that refuses can
 * neither lose a letter nor hold up a partition. A copy goes to the dead-letter topic through the outbox, for people and tools.
 */
export interface LetterBox {
  /** Those of these messages that must wait for an earlier letter of their key. None unless the consumer parks keys. */
  parkedAmong(tx: Transaction, messages: readonly Message[]): Promise<ReadonlySet<Message>>;
  /**
   * Messages that failed. One that is a letter already is not written twice, and one whose event had its effect or was
   * dropped is passed over.
   */
  write(tx: Transaction, letters: readonly DeadLetter[]): Promise<void>;
  /** Messages whose key is parked: they wait behind its letters. One whose effect has been is passed over. */
  writeBehind(tx: Transaction, messages: readonly Message[]): Promise<void>;
  /** Messages that have their effect with this transaction, or had it before. */
  resolve(tx: Transaction, messages: readonly Message[]): Promise<void>;
}

export interface LetterBoxOptions {
  readonly declaration: ConsumerDeclaration & { readonly deadLetter: string };
  /** What the broker behind the relay keeps. */
  readonly copyAs: 'json' | 'bytes';
  /** Copies are in the outbox of these partitions. */
  readonly wakeRelays: (partitions: Iterable<number>) => void;
}

export const retryAfterMinDefault: readonly number[] = [1, 5, 30];
/** A statement carries bytes as text of twice their length. */
const statementBytesMax = 4 * 1_024 * 1_024;
const statementLettersMax = 500;
/** What an index takes, with room for the other columns. */
const keyLengthMax = 500;

/** The letters of a consumer as seen by its readers of the topic. */
export function createLetterBox(options: LetterBoxOptions): LetterBox {
  const { declaration } = options;
  const { group, deadLetter, onPoison = 'pass', retryAfterMin = retryAfterMinDefault } = declaration;
  const topic = declaration.topic.name;

  async function insert(tx: Transaction, letters: readonly NewLetter[]): Promise<Set<string>> {
    const { rows } = await tx.query<{ identity: string }>(
      `INSERT INTO urr.bus_letters (consumer_group, topic, dead_letter, on_poison, partition, log_offset, key, identity,
         event_id, type, value, headers, behind, attempts, reason, failed_at, due_at)
       SELECT $1, $2, $3, $4, new.partition, new.log_offset, new.key, new.identity, new.event_id, new.type, new.value,
         new.headers::json, new.behind, new.attempts, new.reason, CASE WHEN NOT behind THEN urr.now() END,
         CASE WHEN NOT behind THEN urr.now() + $5 * interval '1 minute' END
       FROM unnest($6::integer[], $7::bigint[], $8::text[], $9::text[], $10::uuid[], $11::text[], $12::bytea[],
           $13::text[], $14::boolean[], $15::integer[], $16::text[])
         WITH ORDINALITY AS new (partition, log_offset, key, identity, event_id, type, value, headers, behind, attempts,
           reason, place)
       WHERE NOT EXISTS (
         SELECT FROM urr.inbox
         WHERE inbox.consumer_group = $1 AND inbox.topic = $2 AND inbox.event_id = new.event_id)
       ORDER BY place
       ON CONFLICT (consumer_group, topic, identity) DO NOTHING RETURNING identity`,
      [
        group,
        topic,
        deadLetter,
        onPoison,
        retryAfterMin[0] ?? null,
        letters.map(({ message }) => message.partition),
        letters.map(({ message }) => message.offset),
        letters.map(({ message }) => letterKey(message)),
        letters.map(({ identity }) => identity),
        letters.map(({ eventId }) => eventId),
        letters.map(({ type }) => type),
        letters.map(({ bytes }) => bytes),
        letters.map(({ message }) => JSON.stringify(message.headers)),
        letters.map(({ behind }) => behind),
        letters.map(({ attempts }) => attempts),
        letters.map(({ reason }) => storable(reason)),
      ],
    );
    return new Set(rows.map((row) => row.identity));
  }

  return {
    async parkedAmong(tx, messages) {
      if (onPoison === 'pass' || messages.length === 0) return new Set();
      const keys = new Set(messages.map(letterKey));
      const { rows } = await tx.query<{ key: string }>(
        `SELECT key FROM unnest($3::text[]) AS wanted (key)
         WHERE EXISTS (SELECT FROM urr.bus_letters AS letter WHERE letter.consumer_group = $1 AND letter.topic = $2
             AND letter.key = wanted.key AND NOT behind)
           OR EXISTS (SELECT FROM urr.bus_letters AS letter WHERE letter.consumer_group = $1 AND letter.topic = $2
             AND letter.key = wanted.key AND behind)`,
        [group, topic, [...keys]],
      );
      const parked = new Set(rows.map((row) => row.key));
      return new Set(messages.filter((message) => parked.has(letterKey(message))));
    },

    async write(tx, letters) {
      const rows = letters.map((letter) => newLetter(letter.message, { ...letter, behind: false }));
      for (const part of parts(rows)) {
        const written = await insert(tx, part);
        const isNew = (letter: DeadLetter) => written.delete(identify(letter.message).identity);
        await sendCopies(tx, options, letters.filter(isNew));
      }
    },

    async writeBehind(tx, messages) {
      const reason = 'waits for an earlier letter of its key';
      const rows = messages.map((message) => newLetter(message, { attempts: 0, reason, behind: true }));
      for (const part of parts(rows)) await insert(tx, part);
    },

    // A message of the topic that is handled was no letter, or will be found in the inbox when the letter is tried.
    async resolve() {},
  };
}

interface NewLetter extends Pick<DeadLetter, 'attempts' | 'reason'> {
  readonly message: Message;
  readonly identity: string;
  readonly eventId: string | null;
  readonly type: string | null;
  readonly bytes: Buffer;
  readonly behind: boolean;
}

function newLetter(
  message: Message,
  { attempts, reason, behind }: Pick<NewLetter, 'attempts' | 'reason' | 'behind'>,
): NewLetter {
  return { message, bytes: bytesOf(message), attempts, reason, behind, ...identify(message) };
}

/**
 * A relay may send a message twice, with other offsets. The id alone does not tell messages apart either: a broken
 * publisher may send two with one id, and none of them may be lost.
 */
function identify(message: Message): Pick<NewLetter, 'identity' | 'eventId' | 'type'> {
  const known = identityOf(message.value);
  const digest = createHash('md5').update(bytesOf(message)).digest('hex');
  if (known === null)
    return { identity: `${message.partition}/${message.offset}:${digest}`, eventId: null, type: null };
  return { identity: `${known.eventId}:${digest}`, eventId: known.eventId, type: storable(known.type) };
}

/** The dead-letter topic gets what came, as it came, and why it failed. */
export async function sendCopies(
  tx: Transaction,
  { declaration, copyAs, wakeRelays }: LetterBoxOptions,
  letters: readonly DeadLetter[],
): Promise<void> {
  if (letters.length === 0) return;
  await appendToOutbox(
    tx,
    letters.map(({ message, headers }): OutgoingMessage => {
      const { eventId, type } = identify(message);
      return {
        topic: declaration.deadLetter,
        // The copies of one key stay in order.
        partition: message.partition,
        key: letterKey(message),
        eventId: eventId ?? nilUuid,
        type: type ?? 'unknown',
        ...(copyAs === 'bytes' ? { value: 'null', raw: bytesOf(message) } : { value: asJson(message.value) }),
        headers,
      };
    }),
  );
  const partitions = new Set(letters.map(({ message }) => message.partition));
  tx.afterCommit(() => wakeRelays(partitions));
}

/** The embedded log takes nothing else. Only a letter from before, when the broker was Kafka, can be no JSON. */
function asJson(value: string): string {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** The key under which a message waits. A foreign producer's may be of any length and hold what PostgreSQL refuses. */
export function letterKey({ key }: Pick<Message, 'key'>): string {
  const text = storable(key);
  if (text.length <= keyLengthMax) return text;
  return `${storable(text.slice(0, keyLengthMax / 2))}… ${createHash('md5').update(key).digest('hex')}`;
}

function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

function bytesOf({ bytes, value }: Message): Buffer {
  return bytes ?? Buffer.from(value);
}

function* parts(letters: readonly NewLetter[]): Generator<NewLetter[]> {
  let part: NewLetter[] = [];
  let size = 0;
  for (const letter of letters) {
    if (part.length > 0 && (part.length >= statementLettersMax || size + letter.bytes.length > statementBytesMax)) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(letter);
    size += letter.bytes.length;
  }
  if (part.length > 0) yield part;
}
