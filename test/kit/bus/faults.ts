import { setTimeout as delay } from 'node:timers/promises';
import { partitionOf } from '#platform/bus/partitioner.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import { eventually } from '#test/kit/faults.ts';
import {
  deadLetterTopicOf,
  groups,
  growingTopic,
  partitionsAfter,
  partitionsBefore,
  type TopicName,
  type Topics,
  topicsWith,
} from './cast.ts';
import { type ChildName, childNames } from './children.ts';
import { nameOf } from './ledger.ts';
import type { Operator } from './operator.ts';
import type { Fault } from './plan.ts';
import { undecodable } from './poison.ts';
import type { World } from './world.ts';
import type { Writer } from './writer.ts';

/** Does what the plan says. Faults of one engine or process wait for each other; all others overlap. */
export interface FaultDesk {
  commit(fault: Fault): Promise<void>;
  /** Events whose letters a person is to give up at the end: `topic key n`. */
  readonly toDrop: ReadonlySet<string>;
  /** Events that were given up before any broker had them. */
  readonly neverSent: ReadonlySet<string>;
}

/** A topic whose messages nobody else poisons: the one that is deleted must be whole again from the outbox alone. */
const deletedTopic: TopicName = 'notes';
const oversizedTopic: TopicName = 'transfers';
const messageBytesMax = 20_000;
const padBytes = 30_000;
/** So many follow a message that cannot be read, so that some of them share its transaction. */
const followers = 20;
const actMaxMs = 600_000;

export function createFaultDesk(options: { world: World; writer: Writer; operator: Operator }): FaultDesk {
  const { world, writer, operator } = options;
  const { database, children, kafka, postgres } = world;
  const inTurn = createTurns();
  const toDrop = new Set<string>();
  const neverSent = new Set<string>();
  let topics: Topics = topicsWith(partitionsBefore);
  const sql = (text: string, values: readonly unknown[]) =>
    eventually(() => database.query<{ pid: number }>(text, values), { withinMs: actMaxMs, what: text });
  const onChild = (child: ChildName, work: () => Promise<void>) => inTurn(child, work);

  async function growPartitions(pauseMs: number): Promise<void> {
    await kafka?.desk.addPartitions(growingTopic, partitionsAfter);
    topics = topicsWith(partitionsAfter);
    const bus = await eventually(() => world.openTool(topics), {
      withinMs: actMaxMs,
      what: 'a tool with more partitions',
    });
    writer.changeOver({ bus, topics });
    children.declarePartitions(partitionsAfter);
    for (const child of childNames) {
      await delay(pauseMs);
      await onChild(child, async () => {
        await children.stop(child);
        await children.start(child);
      });
    }
  }

  async function appendUndecodable(topic: TopicName): Promise<void> {
    const key = writer.keyOf(topic);
    const partition = partitionOf(key, topics[topic].partitions);
    const followed = { topic, key, count: followers };
    if (kafka !== null) {
      await kafka.desk.append({ topic, partition, key, value: Buffer.from([0xff, 0x00, 0x7b]) });
      return writer.publishMany(followed);
    }
    const first = (tx: Transaction) =>
      tx.query(
        `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope) VALUES ($1, $2, $3, gen_random_uuid(), 'raw', $4)`,
        [topic, partition, key, '"no envelope"'],
      );
    await writer.publishMany({ ...followed, first });
  }

  async function poison(fault: Extract<Fault, { kind: 'poison' }>): Promise<void> {
    if (fault.poison === undecodable) return appendUndecodable(fault.topic);
    const { topic } = fault;
    const { key, n } = await writer.publishOne(topic, { poison: fault.poison });
    if (fault.mendedAfterMs === null) {
      toDrop.add(nameOf({ topic, key, n }));
      return;
    }
    // Mended before anybody has met it, it would be no poison.
    await eventually(
      async () => {
        const noted = 'SELECT 1 FROM chaos.letters WHERE topic = $1 AND key = $2 AND n = $3 AND NOT behind';
        return (await database.query(noted, [topic, key, n])).rowCount > 0;
      },
      { withinMs: actMaxMs, what: `${nameOf({ topic, key, n })} (${fault.poison}) to become a letter` },
    );
    await delay(fault.mendedAfterMs);
    await sql('INSERT INTO chaos.mended VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [topic, key, n]);
  }

  async function endLockSession(draw: number): Promise<void> {
    const { rows } = await sql(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'urr bus %' ORDER BY pid`,
      [],
    );
    const holder = rows[Math.floor(draw * rows.length)];
    if (holder !== undefined) await sql('SELECT pg_terminate_backend($1)', [holder.pid]);
  }

  async function oversizedRow(fault: Extract<Fault, { kind: 'oversized-row' }>): Promise<void> {
    await kafka?.desk.limitMessageBytes(oversizedTopic, messageBytesMax);
    const { key, n } = await writer.publishOne(oversizedTopic, { pad: 'x'.repeat(padBytes) });
    await delay(fault.forMs);
    const row = { topic: oversizedTopic, key, n };
    if (fault.drop && (await operator.dropRow(row))) neverSent.add(nameOf(row));
    await kafka?.desk.liftMessageLimit(oversizedTopic);
    await operator.releaseRows();
  }

  async function commit(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'freeze-child':
        return onChild(fault.child, async () => {
          children.freeze(fault.child);
          await delay(fault.forMs);
          children.thaw(fault.child);
        });
      case 'kill-child':
      case 'stop-child':
        return onChild(fault.child, async () => {
          await (fault.kind === 'kill-child' ? children.kill(fault.child) : children.stop(fault.child));
          await delay(fault.forMs);
          await children.start(fault.child);
        });
      case 'end-lock-session':
        return endLockSession(fault.draw);
      case 'freeze-postgres':
      case 'freeze-broker': {
        const engine = fault.kind === 'freeze-broker' && kafka !== null ? kafka.engine : postgres;
        return inTurn(engine, async () => {
          await engine.pause();
          await delay(fault.forMs);
          await engine.resume();
        });
      }
      case 'restart-postgres':
      case 'kill-postgres':
      case 'restart-broker':
      case 'kill-broker': {
        const engine = fault.kind.endsWith('broker') && kafka !== null ? kafka.engine : postgres;
        return inTurn(engine, async () => {
          await (fault.kind.startsWith('kill') ? engine.kill() : engine.stop());
          await delay(fault.forMs);
          await engine.restart();
        });
      }
      case 'delete-topic':
        return kafka?.desk.deleteTopic(deletedTopic);
      case 'delete-dead-letter-topic': {
        const group = groups[Math.floor(fault.draw * groups.length)];
        return group && kafka?.desk.deleteTopic(deadLetterTopicOf(group));
      }
      case 'oversized-row':
        return oversizedRow(fault);
      case 'grow-partitions':
        return growPartitions(fault.pauseMs);
      case 'poison':
        return poison(fault);
    }
  }

  return { commit, toDrop, neverSent };
}

/** One thing at a time for each subject. */
function createTurns() {
  const last = new Map<unknown, Promise<void>>();
  return (subject: unknown, work: () => Promise<void>): Promise<void> => {
    const turn = (last.get(subject) ?? Promise.resolve()).catch(() => undefined).then(work);
    last.set(subject, turn);
    return turn;
  };
}
