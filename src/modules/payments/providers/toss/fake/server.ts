import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assertNever } from '#platform/assert.ts';
import { callerHeaders } from '#platform/http/names.ts';
import { TossRefusal } from './books.ts';
import { createTossCalls, type Sending } from './calls.ts';
import { controlByHttp, createControl, type FakeControl } from './control.ts';
import { openState } from './state.ts';
import { createFakeTime, type FakeTime } from './time.ts';
import { deliverDue } from './webhooks.ts';
import { sdkScript, windowPage, windowTarget } from './window.ts';

export interface FakeTossOptions {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly secretKey?: string;
  readonly clientKey?: string;
  /** Where webhooks go. None: nowhere. */
  readonly webhookUrl?: string | null;
  /** What it knows is kept there, and is there again after a restart. */
  readonly statePath?: string | null;
  readonly time?: FakeTime;
}

/** A stand-in for Toss Payments that speaks its API, keeps state, and has bad days. No money moves. */
export interface FakeToss {
  readonly url: string;
  readonly port: number;
  readonly sdkUrl: string;
  readonly secretKey: string;
  readonly clientKey: string;
  readonly control: FakeControl;
  stop(): Promise<void>;
}

const bodyMax = 100_000;
const deliverEveryMs = 50;
const tooLarge = 'x'.repeat(65_536);

export async function startFakeToss(options: FakeTossOptions = {}): Promise<FakeToss> {
  const { port = 0, secretKey = 'test_sk_fake', clientKey = 'test_ck_fake', statePath = null } = options;
  const { webhookUrl = null, time = createFakeTime() } = options;
  const store = openState(statePath);
  const control = createControl({ store, time, webhookUrl });
  const toss = createTossCalls({ store, time });
  const stopping = new AbortController();
  const basic = `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://fake');
    const text = await readBody(request);
    if (path.startsWith('/control/'))
      return json(response, 200, controlByHttp(control, path, parsed(text)) ?? { unknown: path });
    if (control.mode() === 'refuses') return void request.socket.destroy();
    if (control.mode() === 'hangs') return;
    if (path === '/v2/standard') return send(response, 200, 'text/javascript; charset=utf-8', sdkScript());
    if (path === '/window' && request.method === 'GET')
      return send(response, 200, 'text/html; charset=utf-8', windowPage(query));
    if (path === '/window')
      return void response.writeHead(303, { location: windowTarget(control, new URLSearchParams(text)) }).end();
    if (request.headers.authorization !== basic)
      return json(response, 401, { code: 'UNAUTHORIZED_KEY', message: 'the key is not known' });
    const key = request.headers[callerHeaders.idempotencyKey];
    const call = { method: request.method ?? 'GET', path, query, body: parsed(text), signal: stopping.signal };
    deliver(response, await toss({ ...call, idempotencyKey: typeof key === 'string' ? key : null }));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof TossRefusal) json(response, error.status, { code: error.code, message: error.message });
      else response.destroy();
    });
  });
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done));
  const sending = deliverWebhooks();

  async function deliverWebhooks(): Promise<void> {
    while (!stopping.signal.aborted) {
      const url = control.webhookUrl();
      const before = JSON.stringify(store.state.webhooks);
      if (url !== null) await deliverDue({ state: store.state, url }, time.now, stopping.signal);
      if (before !== JSON.stringify(store.state.webhooks)) store.save();
      await new Promise((next) => setTimeout(next, deliverEveryMs));
    }
  }

  // Listening on a port, it has an address of this form.
  const own = (server.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${own}`;
  return {
    ...{ url, port: own, sdkUrl: `${url}/v2/standard`, secretKey, clientKey, control },
    async stop() {
      stopping.abort(new Error('the fake is stopping'));
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await sending;
      store.save();
    },
  };
}

function deliver(response: ServerResponse, { answer, as }: Sending): void {
  switch (as) {
    case 'usual':
      json(response, answer.status, answer.body);
      break;
    case 'lost':
      response.destroy();
      break;
    case 'not_json':
      send(response, 200, 'text/html', '<html>It works!</html>');
      break;
    case 'redirected':
      response.writeHead(307, { location: '/elsewhere' }).end();
      break;
    case 'too_large':
      sendWithoutEnd(response);
      break;
    default:
      assertNever(as);
  }
}

function sendWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { [callerHeaders.contentType]: 'application/json' });
  const more = () => {
    for (let room = true; room && !response.destroyed; ) room = response.write(tooLarge);
  };
  response.on('drain', more);
  more();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > bodyMax) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { [callerHeaders.contentType]: type }).end(text);
}
