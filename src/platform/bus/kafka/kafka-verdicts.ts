import { findErrorBy, type Producer, protocolErrors, protocolErrorsCodesById } from '@platformatic/kafka';
import { laneKey } from '../outbox.ts';

/** Why records of a partition are not in Kafka. */
export interface Failure {
  readonly kind: /** The broker will never take them as they are: too large, or not valid. */
    | 'refused'
    /** The topic, or this partition of it, is not there. */
    | 'absent'
    /** The broker says that this partition cannot take anything now. */
    | 'stuck'
    /** The broker could not be asked; nothing was sent. */
    | 'unreached'
    /** There was no answer; they may be there or not. */
    | 'unanswered';
  readonly reason: string;
  readonly cause?: unknown;
}

const refusedCodes = new Set([
  10, // MESSAGE_TOO_LARGE
  18, // RECORD_LIST_TOO_LARGE
  32, // INVALID_TIMESTAMP
  87, // INVALID_RECORD
]);
const absentCodes = new Set([
  3, // UNKNOWN_TOPIC_OR_PARTITION
  100, // UNKNOWN_TOPIC_ID
  103, // INCONSISTENT_TOPIC_ID
]);
const errorDepthMax = 8;

/** Nothing speaks against this topic more than against any other: the broker is away. */
export function isSilence(failure: Failure | null): boolean {
  return failure?.kind === 'unanswered' || failure?.kind === 'unreached';
}

export function silence(kind: 'unanswered' | 'unreached', cause: unknown): Failure {
  return { kind, reason: cause instanceof Error ? cause.message : 'no answer', cause };
}

/**
 * Reads the answer to one request, good or bad, partition by partition. The library throws one error for the whole
 * request; the broker's own answer is in its errors, deep in a tree when several brokers or tries were involved.
 */
export function attribute(answer: unknown): (lane: string) => Failure | null {
  const found = new Map<string, Failure | null>();
  collect(answer, found, errorDepthMax);
  return (lane) => {
    const known = found.get(lane);
    return known === undefined ? silence('unanswered', answer) : known;
  };
}

function collect(node: unknown, found: Map<string, Failure | null>, depth: number): void {
  if (typeof node !== 'object' || node === null || depth === 0) return;
  // The offsets that were given to records, on the result or on the error of a request that half went through.
  if ('offsets' in node && Array.isArray(node.offsets)) for (const one of node.offsets) found.set(laneKey(one), null);
  if ('produced' in node) collect(node.produced, found, depth - 1);
  if ('response' in node) readResponse(node.response, found);
  if ('errors' in node && Array.isArray(node.errors)) for (const inner of node.errors) collect(inner, found, depth - 1);
}

function readResponse(response: unknown, found: Map<string, Failure | null>): void {
  if (typeof response !== 'object' || response === null || !('responses' in response)) return;
  // As parsed by the library from the answer to a Produce request; its types do not tell.
  const topics = response.responses as {
    name: string;
    partitionResponses: { index: number; errorCode: number; errorMessage: string | null; recordErrors: unknown[] }[];
  }[];
  for (const { name, partitionResponses } of topics) {
    for (const { index, errorCode, errorMessage } of partitionResponses) {
      const lane = laneKey({ topic: name, partition: index });
      if (errorCode === 0) found.set(lane, null);
      else if (found.get(lane) !== null || !found.has(lane)) found.set(lane, failureOf(errorCode, errorMessage));
    }
  }
}

function failureOf(code: number, message: string | null): Failure {
  const id = protocolErrorsCodesById[code] ?? 'UNKNOWN_SERVER_ERROR';
  const reason = `${id}: ${message ?? protocolErrors[id]?.message ?? 'no further word'}`;
  if (refusedCodes.has(code)) return { kind: 'refused', reason };
  if (absentCodes.has(code)) return { kind: 'absent', reason };
  return { kind: 'stuck', reason };
}

/**
 * What keeps these partitions of a topic from being sent to, as far as the client itself knows. It must be asked first: the
 * library takes the partition modulo the number it knows, so that a topic with fewer partitions, or one that it saw
 * before partitions were added, would get records in the wrong one.
 */
export async function partitionProblem(
  client: Producer,
  topic: string,
  partitions: ReadonlySet<number>,
): Promise<Map<number, Failure>> {
  const highest = Math.max(...partitions);
  let known = client.currentMetadata?.topics.get(topic);
  if (known === undefined || known.partitionsCount <= highest) {
    try {
      known = (await client.metadata({ topics: [topic], forceUpdate: true })).topics.get(topic);
    } catch (error) {
      const reason = brokerAnswer(error);
      if (!isUnknownTopic(error) && reason === null) throw error;
      if (reason !== null)
        return new Map([...partitions].map((partition) => [partition, { kind: 'stuck', reason, cause: error }]));
    }
  }
  const problems = new Map<number, Failure>();
  for (const partition of partitions) {
    const at = known?.partitions[partition];
    if (known === undefined) problems.set(partition, { kind: 'absent', reason: `there is no topic ${topic}` });
    else if (at === undefined) problems.set(partition, tooFew(topic, partition, known.partitionsCount));
    else if (at.leader < 0) problems.set(partition, { kind: 'stuck', reason: 'the partition has no leader' });
  }
  return problems;
}

export function tooFew(topic: string, partition: number, count: number): Failure {
  return {
    kind: 'stuck',
    reason: `the Kafka topic ${topic} has ${count} partitions, and events wait for its partition ${partition}: add partitions`,
  };
}

/** What the broker itself said in an error of the library; null when there was no answer. */
export function brokerAnswer(error: unknown): string | null {
  const answer = error instanceof Error ? findErrorBy(error, 'code', 'PLT_KFK_PROTOCOL') : null;
  if (answer === null) return null;
  const { apiId, message } = answer as Error & { apiId?: string };
  return `${apiId ?? 'UNKNOWN_SERVER_ERROR'}: ${message}`;
}

/** The connection to the broker could not be opened, broke, or stayed silent. */
export function isUnreached(error: unknown): boolean {
  return error instanceof Error && findErrorBy(error, 'code', 'PLT_KFK_NETWORK') !== null;
}

/** The library says it in words only. */
export function isUnknownTopic(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Unknown topic') || findErrorBy(error, 'apiId', 'UNKNOWN_TOPIC_OR_PARTITION') !== null
  );
}
