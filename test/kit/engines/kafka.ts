import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Engine } from './engine.ts';
import { createEngine } from './engine-process.ts';
import { freePorts, knock } from './ports.ts';

export interface KafkaEngine extends Engine {
  /** As URR_KAFKA_BROKERS takes it. */
  readonly brokers: string;
  readonly controllerPort: number;
}

/** The jars as `npm test` fetched them. */
const libs = fileURLToPath(new URL('../../../.cache/kafka/libs', import.meta.url));
const classPath = join(libs, '*');
const clusterId = 'MkU3OEVBNTcwNTJENDM2Qk';

const jvm = [
  '-Xmx512m',
  '-Xms128m',
  // Starts a second faster: no optimising compiler is worth its work in a test's lifetime.
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-XX:-UsePerfData',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-cp',
  classPath,
];

/** One real broker that is its own controller (KRaft), or a second broker beside one. */
export async function startKafka({ dir, beside }: { dir: string; beside?: KafkaEngine }): Promise<KafkaEngine> {
  const [port, freePort] = await freePorts(2);
  const controllerPort = beside?.controllerPort ?? freePort;
  if (port === undefined || controllerPort === undefined) throw new Error('no free ports for Kafka');
  const config = join(dir, 'server.properties');
  const second = beside === undefined ? {} : secondBroker(port);
  await writeFile(config, toText({ ...properties({ dir, port, controllerPort }), ...second }));
  await promisify(execFile)('java', [...jvm, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', config], {
    cwd: dir,
  });
  const engine = await createEngine({
    name: 'kafka',
    command: 'java',
    args: [...jvm, 'kafka.Kafka', config],
    dir,
    ready: () => knock(port),
  });
  return { ...engine, brokers: `127.0.0.1:${port}`, controllerPort };
}

function properties({ dir, port, controllerPort }: { dir: string; port: number; controllerPort: number }) {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': join(dir, 'data'),
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 3,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.num.partitions': 3,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'auto.create.topics.enable': false,
    // A broker that was killed may register again only when its old session has run out (9 s by default).
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
    'controller.quorum.election.timeout.ms': 300,
    'controller.quorum.fetch.timeout.ms': 1_000,
  };
}

function secondBroker(port: number) {
  return { 'process.roles': 'broker', 'node.id': 2, listeners: `PLAINTEXT://127.0.0.1:${port}` };
}

function toText(settings: Record<string, string | number | boolean>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
