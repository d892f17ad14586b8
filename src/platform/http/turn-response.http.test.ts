import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendBytes } from '#test/kit/raw-http.ts';
import { serving } from '#test/kit/serving.ts';
import { TurnResponse } from './turn-response.ts';

type Response = TurnResponse<IncomingMessage> & { req: IncomingMessage };

function aServer(answer: (response: Response, path: string) => unknown) {
  const server = createServer({ ServerResponse: TurnResponse }, (request, response) => {
    answer(response as Response, request.url ?? '');
  });
  return serving(server);
}

const asked = (path: string, end = '') => `GET ${path} HTTP/1.1\r\nhost: urr\r\n${end}\r\n`;
const bodiesIn = (bytes: string) => bytes.match(/<\w+>/g);

test('whole answers of one turn are written at its end, together and in order', async () => {
  const happened: string[] = [];
  const twice: unknown[] = [];
  const { url } = await aServer((response, path) => {
    happened.push(`made ${path}`);
    response.once('finish', () => happened.push(`written ${path}`));
    response.writeHead(200, { 'content-length': 3 }).end(`<${path[1]}>`);
    twice.push(response.writableEnded, response.end('twice') === response);
  });
  const bytes = await sendBytes(url, asked('/a') + asked('/b') + asked('/c', 'connection: close\r\n'));
  expect(bodiesIn(bytes)).toEqual(['<a>', '<b>', '<c>']);
  expect(twice).toEqual(Array(6).fill(true));
  expect(happened).toEqual(['made /a', 'made /b', 'made /c', 'written /a', 'written /b', 'written /c']);
});

test('bytes, texts in other encodings and no body at all arrive as they were meant', async () => {
  const answers: Record<string, (response: Response) => unknown> = {
    '/bytes': (response) => response.writeHead(200).end(Buffer.from('<bytes>')),
    '/latin': (response) => response.writeHead(200).end('<é>', 'latin1'),
    '/text': (response) => response.writeHead(200).end('<é>', null, null),
    '/none': (response) => response.writeHead(204).end(null, null, null),
    '/late': async (response) => {
      await turn();
      response.writeHead(200).end('<late>');
    },
    '/implicit': (response) => response.end('<implicit>'),
  };
  const { url } = await aServer((response, path) => answers[path]?.(response));
  const bytesOf = async (path: string) => Buffer.from(await (await fetch(url + path)).arrayBuffer()).toString('hex');
  expect(await bytesOf('/bytes')).toBe(Buffer.from('<bytes>').toString('hex'));
  expect(await bytesOf('/latin')).toBe('3ce93e');
  expect(await bytesOf('/text')).toBe(Buffer.from('<é>').toString('hex'));
  expect((await fetch(`${url}/none`)).status).toBe(204);
  expect(await (await fetch(`${url}/late`)).text()).toBe('<late>');
  expect(await (await fetch(`${url}/implicit`)).text()).toBe('<implicit>');
});

test('what comes in pieces, or without a head made before, is written as it comes', async () => {
  const taken: unknown[] = [];
  const { url } = await aServer((response, path) => {
    if (path === '/pieces') {
      response.writeHead(200);
      response.write('<one>');
    }
    response.end('<two>');
    // By Node, head and all.
    taken.push(response.headersSent, response.finished, response.writableEnded);
  });
  expect(await (await fetch(`${url}/pieces`)).text()).toBe('<one><two>');
  expect(await (await fetch(`${url}/headless`)).text()).toBe('<two>');
  expect(taken).toEqual(Array(6).fill(true));
});

test('who wants to be told that it is written is told', async () => {
  const told: string[] = [];
  const answers: Record<string, (response: Response) => unknown> = {
    '/last': (response) => response.end('<told>', 'utf8', () => told.push('last')),
    '/second': (response) => response.end('<told>', () => told.push('second')),
    '/only': (response) => response.end(() => told.push('only')),
  };
  const { url } = await aServer((response, path) => answers[path]?.(response.writeHead(200)));
  for (const path of Object.keys(answers)) await (await fetch(url + path)).text();
  expect(told).toEqual(['last', 'second', 'only']);
});

test('what cannot be written is refused at once, to anyone who tries', async () => {
  let refusal: unknown;
  const { url } = await aServer((response) => {
    response.writeHead(200);
    try {
      response.end(42);
    } catch (error) {
      refusal = error;
    }
    response.end('<sound>');
  });
  expect(await (await fetch(url)).text()).toBe('<sound>');
  expect(refusal).toBeInstanceOf(TypeError);
});

test('one who hangs up before the answer is written disturbs nobody', async () => {
  let made = 0;
  const { port, url } = await aServer((response, path) => {
    made += 1;
    if (path === '/gone') response.req.socket.destroy();
    response.writeHead(200).end('<answer>');
  });
  const impatient = connect({ host: '127.0.0.1', port });
  impatient.on('error', () => undefined);
  impatient.write(asked('/gone'));
  await once(impatient, 'close');
  const others = await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
  expect(others).toEqual(['<answer>', '<answer>', '<answer>']);
  expect(made).toBe(4);
});
