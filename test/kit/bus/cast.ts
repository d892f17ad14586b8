import { Type } from 'typebox';
import {
  type Consumer,
  type ConsumerDeclaration,
  defineConsumer,
  defineTopic,
  type EventOf,
  type TopicDefinition,
} from '#platform/bus/port.ts';
import type { Database } from '#platform/postgres/database.ts';
import { failLike, handlerTimeoutMs } from './poison.ts';

/** The topics, the groups and the tables of the chaos run: money goes from one account to another. */
const types = {
  TRANSFERRED: {
    version: 1,
    summary: 'An amount went from one account to another.',
    data: Type.Object({
      n: Type.Integer(),
      from: Type.String(),
      to: Type.String(),
      amountKrw: Type.Integer(),
      poison: Type.Optional(Type.String()),
      pad: Type.Optional(Type.String()),
    }),
  },
};
type TransferTopic = TopicDefinition<typeof types>;
export type Transfer = EventOf<TransferTopic>['data'];

export type TopicName = 'transfers' | 'orders' | 'notes';
/** The topic whose partitions become more while the run goes on. A key then changes its partition, so each key is published only before or only after. */
export const growingTopic: TopicName = 'orders';
export const partitionsBefore = 3;
export const partitionsAfter = 6;

export type Topics = Readonly<Record<TopicName, TransferTopic>>;

export function topicsWith(partitionsOfGrowing: number): Topics {
  const topic = (name: TopicName) =>
    defineTopic({
      name,
      key: 'account',
      retention: 'forever',
      types,
      partitions: name === growingTopic ? partitionsOfGrowing : partitionsBefore,
    });
  return { transfers: topic('transfers'), orders: topic('orders'), notes: topic('notes') };
}

interface Group {
  readonly topic: TopicName;
  readonly name: string;
  readonly onPoison: 'pass' | 'park-key';
  readonly declared: Pick<ConsumerDeclaration, 'mode' | 'batchSizeMax'>;
}

export const groups: readonly Group[] = [
  { topic: 'transfers', name: 'ledger', onPoison: 'park-key', declared: { mode: 'batch', batchSizeMax: 30 } },
  { topic: 'transfers', name: 'mail', onPoison: 'pass', declared: { mode: 'single' } },
  { topic: 'orders', name: 'statistics', onPoison: 'pass', declared: { mode: 'batch', batchSizeMax: 20 } },
  { topic: 'orders', name: 'tax', onPoison: 'park-key', declared: { mode: 'single', batchSizeMax: 1 } },
  { topic: 'notes', name: 'notebook', onPoison: 'park-key', declared: { mode: 'batch', batchSizeMax: 30 } },
];

export function deadLetterTopicOf({ name }: Group): string {
  return `${name}-dead`;
}

/** At once, then minute by minute: in a run of five minutes what was mended goes through by itself. A shorter one has an operator at its end. */
const retryAfterMin = [0, 1, 1];

export function consumersOf(topics: Topics): Consumer[] {
  return groups.map((group) =>
    defineConsumer({
      declaration: {
        ...group.declared,
        topic: topics[group.topic],
        group: group.name,
        commit: 'manual',
        retry: { times: 1, backoffMs: 50 },
        deadLetter: deadLetterTopicOf(group),
        onPoison: group.onPoison,
        retryAfterMin,
        handlerTimeoutMs,
      },
      async handle(events, { tx }) {
        for (const { id, key, data } of events) {
          const post = (account: string, amountKrw: number) =>
            tx.query(
              'INSERT INTO chaos.postings (consumer_group, topic, event_id, key, n, account, amount_krw) VALUES ($1, $2, $3, $4, $5, $6, $7)',
              [group.name, group.topic, id, key, data.n, account, amountKrw],
            );
          await post(data.from, -data.amountKrw);
          if (data.poison !== undefined) {
            const { rowCount } = await tx.query('SELECT 1 FROM chaos.mended WHERE topic = $1 AND key = $2 AND n = $3', [
              group.topic,
              key,
              data.n,
            ]);
            if (rowCount === 0) await failLike(data.poison, tx);
          }
          await post(data.to, data.amountKrw);
        }
      },
    }),
  );
}

/** No unique keys among the postings: a second effect must be seen, not refused. Letters are gone at the end, so each is written down when it is made, and so is an effect that is committed while its key is parked: a letter that cannot be read has no number of its own by which it would be missed. */
export async function makeTables(database: Database): Promise<void> {
  await database.query(`
    CREATE SCHEMA chaos;
    CREATE TABLE chaos.keys (topic text, key text, n integer NOT NULL, PRIMARY KEY (topic, key));
    CREATE TABLE chaos.written (topic text, key text, n integer, debit text, credit text, amount_krw integer, poison text,
      PRIMARY KEY (topic, key, n));
    CREATE TABLE chaos.mended (topic text, key text, n integer, PRIMARY KEY (topic, key, n));
    CREATE TABLE chaos.postings (id bigserial PRIMARY KEY, consumer_group text, topic text, event_id uuid, key text, n integer,
      account text, amount_krw integer);
    CREATE TABLE chaos.letters (consumer_group text, topic text, key text, n integer, behind boolean, reason text);
    CREATE FUNCTION chaos.note_letter() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO chaos.letters VALUES (NEW.consumer_group, NEW.topic, NEW.key,
        CASE WHEN NEW.event_id IS NOT NULL THEN (convert_from(NEW.value, 'UTF8')::json -> 'data' ->> 'n')::integer END, NEW.behind, NEW.reason);
      RETURN NEW;
    END $$;
    CREATE TRIGGER note_letter AFTER INSERT ON urr.bus_letters FOR EACH ROW EXECUTE FUNCTION chaos.note_letter();
    CREATE TABLE chaos.overtaken (consumer_group text, topic text, key text, n integer, letter bigint);
    CREATE FUNCTION chaos.note_overtaken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO chaos.overtaken SELECT NEW.consumer_group, NEW.topic, NEW.key, NEW.n, letter.id FROM urr.bus_letters AS letter
      WHERE letter.consumer_group = NEW.consumer_group AND letter.topic = NEW.topic AND letter.key = NEW.key
        AND letter.on_poison = 'park-key' AND NOT letter.behind;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER note_overtaken AFTER INSERT ON chaos.postings DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION chaos.note_overtaken()`);
}
