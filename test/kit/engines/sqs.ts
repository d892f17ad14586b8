import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { atEnd } from '../at-end.ts';
import { freePort } from './ports.ts';

export interface SqsQueue {
  readonly endpoint: string;
  readonly queueUrl: string;
  readonly client: SQSClient;
  /** What lies in the queue, in order within each group; nothing is taken by looking. */
  messages(): Promise<SqsMessage[]>;
  stop(): Promise<void>;
  /** On the same port, with an empty queue: the server keeps nothing. */
  start(): Promise<void>;
}

export interface SqsMessage {
  readonly group: string;
  readonly body: string;
  readonly inFlight: boolean;
}

const name = 'admissions.fifo';
/** The server believes anything; the SDK insists on having something. */
export const sqsSurroundings = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

/** A FIFO queue on an SQS-compatible server of its own, in this process. The SDK here finds region and credentials. */
export async function anSqsQueue(options: { started?: boolean } = {}): Promise<SqsQueue> {
  Object.assign(process.env, sqsSurroundings);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new SQSClient({ endpoint });
  let server: ReturnType<typeof buildApp> | null = null;

  const queue: SqsQueue = {
    endpoint,
    // As the server calls it; nobody needs to resolve that name, because the endpoint is given.
    queueUrl: `http://sqs.us-east-1.localhost:${port}/000000000000/${name}`,
    client,
    async messages() {
      const answer = await fetch(`${endpoint}/_fauxqs/queues/${name}`);
      if (!answer.ok) throw new Error(`the SQS server answered ${answer.status}`);
      const { messages } = (await answer.json()) as { messages: Held };
      const ready = messages.ready.map((message) => ({ ...read(message), inFlight: false }));
      return [...ready, ...messages.inflight.map(({ message }) => ({ ...read(message), inFlight: true }))];
    },
    async start() {
      server = buildApp({ logger: false });
      await server.listen({ port, host: '127.0.0.1' });
      await client.send(new CreateQueueCommand({ QueueName: name, Attributes: { FifoQueue: 'true' } }));
    },
    async stop() {
      // Clients keep their connections open, and closing waits for them.
      server?.server.closeAllConnections();
      await server?.close();
      server = null;
    },
  };
  atEnd(async () => {
    client.destroy();
    await queue.stop();
  });
  if (options.started !== false) await queue.start();
  return queue;
}

interface Message {
  readonly body: string;
  readonly messageGroupId: string;
}

interface Held {
  readonly ready: readonly Message[];
  readonly inflight: readonly { readonly message: Message }[];
}

function read({ body, messageGroupId }: Message): { group: string; body: string } {
  return { group: messageGroupId, body };
}
