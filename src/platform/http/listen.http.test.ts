import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { systemClock } from '../clock.ts';
import { createIds } from '../ids.ts';
import { systemRandom } from '../random.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { listen } from './listen.ts';
import { createHttpServer } from './server.ts';

async function aServer() {
  const app = createHttpServer({
    logger: silentLogger,
    ids: createIds({ clock: systemClock, random: systemRandom }),
  });
  const asked = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<string>();
  app.get('/quick', async () => 'quick');
  app.get('/slow', async () => {
    asked.resolve();
    return slow.promise;
  });
  const listening = await listen(app, { host: '127.0.0.1', port: 0, reusePort: false });
  return { listening, slowAsked: asked.promise, answerSlow: slow.resolve };
}

test('what is in flight is answered while it stops', async () => {
  const { listening, slowAsked, answerSlow } = await aServer();
  const answer = fetch(`http://127.0.0.1:${listening.port}/slow`);
  await slowAsked;
  const closed = listening.close(60_000);
  answerSlow('done');
  expect(await (await answer).text()).toBe('done');
  await closed;
});

test('a client whose connection never rests is sent away, not served until the limit', async () => {
  const { listening, answerSlow, slowAsked } = await aServer();
  const socket = connect(listening.port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  const hungUp = new Promise((resolve) => socket.once('close', resolve));
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  ask('/quick');
  await eventually(() => received.includes('quick'), { withinMs: 30_000, what: 'the first answer' });
  expect(received).toContain('Connection: keep-alive');
  ask('/slow');
  await slowAsked;
  const closed = listening.close(60_000);
  ask('/quick');
  received = '';
  answerSlow('done');
  await hungUp;
  await closed;
  expect(received).toContain('onnection: close');
});

test('clients that ask again and again while it stops are answered and sent away; no connection is reset', async () => {
  const { listening } = await aServer();
  const clients = Array.from({ length: 40 }, () => aBusyClient(listening.port));
  await eventually(() => clients.every(({ answers }) => answers() > 5), { withinMs: 60_000, what: 'all to be served' });
  const closed = listening.close(60_000);
  const endings = await Promise.all(clients.map(({ ended }) => ended));
  await closed;
  // Each was told to go by its last answer, and none lost a request.
  expect(endings.filter((ending) => ending !== 'sent away')).toEqual([]);
});

/** Asks on one connection, the next request a moment after each answer. */
function aBusyClient(port: number) {
  const socket = connect(port, '127.0.0.1');
  let answers = 0;
  let open = false;
  let last = '';
  const ask = () => {
    open = true;
    socket.write('GET /quick HTTP/1.1\r\nHost: x\r\n\r\n');
  };
  const ended = new Promise<string>((resolve) => {
    socket.once('error', (error) => resolve(error.message));
    socket.once('close', () => resolve(open ? 'its request was lost' : last));
  });
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answers += 1;
    open = false;
    last = /connection: close/i.test(chunk) ? 'sent away' : 'closed without a word';
    if (last !== 'sent away') setTimeout(ask, answers % 10);
  });
  socket.once('connect', ask);
  return { answers: () => answers, ended };
}
