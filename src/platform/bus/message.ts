import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../clock.ts';
import { isoTime } from '../clock.ts';
import { type Ids, uuidPattern } from '../ids.ts';
import { partitionOf } from './partitioner.ts';
import type { Envelope, NewEvent, TopicDefinition } from './port.ts';
import { compileTopic, type TypeSchemas } from './schema.ts';

/** One message as a broker keeps it. The value is the envelope as JSON. */
export interface Message {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly value: string;
  readonly headers: Headers;
  /** The value as it came, where the broker keeps bytes: what is not UTF-8 must reach the dead letters unchanged. */
  readonly bytes?: Buffer;
}

export type Headers = Readonly<Record<string, string>>;

/** An event that has passed its schema and waits to be sent. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly eventId: string;
  readonly type: string;
  readonly value: string;
  /** Sent instead of the value: a copy of what need not be JSON. */
  readonly raw?: Buffer;
  readonly headers: Headers | null;
}

export type Decoded = { readonly ok: true; readonly event: Envelope } | { readonly ok: false; readonly reason: string };

/** Below the megabyte that brokers take by default, so that a row of the outbox can never be one that the broker refuses for ever. */
const messageBytesMax = 900_000;
const keyLengthMax = 256;

/** A publisher broke its own contract: a fault of the program, and the transaction must not commit. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent';
}

const envelopeSchema = Type.Object({
  id: Type.String({ pattern: uuidPattern }),
  type: Type.String({ minLength: 1 }),
  version: Type.Integer({ minimum: 1 }),
  occurredAt: Type.String({ minLength: 1 }),
  key: Type.String({ maxLength: keyLengthMax }),
  sagaId: Type.Optional(Type.String()),
  data: Type.Unknown(),
});
const envelopeValidator = Compile(envelopeSchema);

export interface Messages {
  encode(topic: TopicDefinition, events: readonly NewEvent<TopicDefinition>[]): OutgoingMessage[];
  decode(message: Pick<Message, 'topic' | 'value'>): Decoded;
}

export function createMessages(options: { topics: readonly TopicDefinition[]; clock: Clock; ids: Ids }): Messages {
  const { topics, clock, ids } = options;
  const schemasByTopic = new Map(topics.map((topic) => [topic.name, compileTopic(topic)]));

  return {
    encode(topic, events) {
      const schemas = schemasByTopic.get(topic.name);
      if (schemas === undefined)
        throw new InvalidEvent(`the topic ${topic.name} was not handed to the bus when it was made`);
      const occurredAt = isoTime(clock.now());
      return events.map((event) => encodeOne({ topic, schemas, event, id: ids.next(), occurredAt }));
    },
    decode({ topic, value }) {
      const parsed = parseEnvelope(value);
      if (!parsed.ok) return parsed;
      const { event } = parsed;
      const schemas = schemasByTopic.get(topic)?.get(event.type);
      if (schemas === undefined) return { ok: false, reason: `unknown type ${event.type} on ${topic}` };
      if (event.version > schemas.version) {
        return {
          ok: false,
          reason: `${event.type} has version ${event.version}; this program reads up to ${schemas.version}`,
        };
      }
      const problem = schemas.problemWhenConsumed(event.data);
      return problem === null ? parsed : { ok: false, reason: `data of ${event.type}: ${problem}` };
    },
  };
}

function encodeOne(options: {
  topic: TopicDefinition;
  schemas: ReadonlyMap<string, TypeSchemas>;
  event: NewEvent<TopicDefinition>;
  id: string;
  occurredAt: string;
}): OutgoingMessage {
  const { topic, schemas, event, id, occurredAt } = options;
  const type = schemas.get(event.type);
  if (type === undefined) throw new InvalidEvent(`${topic.name} has no type ${event.type}`);
  const problem = type.problemWhenPublished(event.data);
  if (problem !== null) throw new InvalidEvent(`data of ${event.type}: ${problem}`);
  if (event.key.length > keyLengthMax)
    throw new InvalidEvent(`the key of ${event.type} is longer than ${keyLengthMax}`);
  const envelope: Envelope = {
    id,
    type: event.type,
    version: type.version,
    occurredAt,
    key: event.key,
    ...(event.sagaId !== undefined && { sagaId: event.sagaId }),
    data: event.data,
  };
  const value = JSON.stringify(envelope);
  if (Buffer.byteLength(value) > messageBytesMax)
    throw new InvalidEvent(`${event.type} is larger than ${messageBytesMax} bytes`);
  return {
    topic: topic.name,
    partition: partitionOf(event.key, topic.partitions),
    key: event.key,
    eventId: id,
    type: event.type,
    value,
    headers: null,
  };
}

function parseEnvelope(value: string): Decoded {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return { ok: false, reason: 'the envelope is not JSON' };
  }
  if (envelopeValidator.Check(parsed)) {
    // TypeBox writes `sagaId?: string | undefined` where the port says `sagaId?: string`; JSON knows no undefined.
    return { ok: true, event: parsed as Static<typeof envelopeSchema> as Envelope };
  }
  const first = envelopeValidator.Errors(parsed)[0];
  return {
    ok: false,
    reason: `envelope: ${first === undefined ? 'not valid' : `${first.instancePath || '/'} ${first.message}`}`,
  };
}

/** What an envelope says it is. A poisoned one may say nothing. */
export function identityOf(value: string): { eventId: string; type: string } | null {
  const parsed = parseEnvelope(value);
  return parsed.ok ? { eventId: parsed.event.id, type: parsed.event.type } : null;
}
