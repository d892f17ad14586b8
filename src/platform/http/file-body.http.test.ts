import { connect } from 'node:net';
import { Type } from 'typebox';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { createIds } from '../ids.ts';
import { systemRandom } from '../random.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { defineRoutes } from './contract.ts';
import { createInternalSignature, trustInternalSignature } from './internal-signature.ts';
import { registerRoutes } from './routes.ts';
import { createHttpServer } from './server.ts';

const clock = { now: () => 1_800_000_000_000, monotonicMs: () => 0 };
const role = 'files';
const signature = createInternalSignature({
  secrets: ['internal-secret-0123456789-0123456789-a'],
  clock,
  roles: [role],
});
const megabyte = 1024 * 1024;
const keptBytesMax = 16 * megabyte;
const routes = defineRoutes({
  weigh: {
    operation: 'weigh',
    method: 'POST',
    path: '/api/files/weigh',
    summary: 'How long a file is',
    access: 'public',
    rate: 'write',
    upload: ['text/csv', 'application/json'],
    bodyLimit: 100,
    responses: { 200: Type.Object({ bytes: Type.Integer() }) },
  },
  keep: {
    operation: 'keep',
    method: 'POST',
    path: '/api/files/keep',
    summary: 'A large file',
    access: 'public',
    rate: 'write',
    upload: ['text/csv'],
    bodyLimit: keptBytesMax,
    responses: { 200: Type.Object({ bytes: Type.Integer() }) },
  },
  say: {
    operation: 'say',
    method: 'POST',
    path: '/api/files/say',
    summary: 'An ordinary route beside it',
    access: 'public',
    rate: 'write',
    body: Type.Object({ word: Type.String() }),
    responses: { 200: Type.Object({ word: Type.String() }) },
  },
});
const app = createHttpServer({ logger: silentLogger, ids: createIds({ clock, random: systemRandom }) });
trustInternalSignature(app, { signature });
registerRoutes(app, routes, {
  weigh: async ({ body }) => ({ bytes: body.length }),
  keep: async ({ body }) => ({ bytes: body.length }),
  say: async ({ body }) => body,
});
afterAll(() => app.close());

function send(
  url: string,
  type: string | null,
  payload?: string | Buffer,
  signedBody: Buffer | null = Buffer.from(payload ?? ''),
) {
  const facts = { role, method: 'POST', path: url, body: signedBody, user: null, slots: [], address: '127.0.0.1' };
  return app.inject({
    method: 'POST',
    url,
    headers: { ...signature.sign(facts), ...(type !== null && { 'content-type': type }) },
    ...(payload !== undefined && { payload }),
  });
}
const codeOf = (response: { statusCode: number; json(): { code?: string } }) => [
  response.statusCode,
  response.json().code,
];

test('a file reaches the handler as the bytes it is, whatever they are', async () => {
  expect((await send(routes.weigh.path, 'text/csv; charset=euc-kr', Buffer.from([0xb0, 0xa1, 0x00]))).json()).toEqual({
    bytes: 3,
  });
  expect((await send(routes.weigh.path, 'application/json', '{ broken')).json()).toEqual({ bytes: 8 });
});

test('other types, no file and too much are refused; other routes take JSON only', async () => {
  expect(codeOf(await send(routes.weigh.path, 'text/plain', 'x'))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(codeOf(await send(routes.weigh.path, null))).toEqual([400, 'MALFORMED_BODY']);
  expect(codeOf(await send(routes.weigh.path, 'text/csv', 'x'.repeat(101)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(codeOf(await send(routes.say.path, 'text/csv', 'x'))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect((await send(routes.say.path, 'application/json', '{"word":"yes"}')).json()).toEqual({ word: 'yes' });
});

test('files that never end are given up when they take too much room together, and a whole one gets through', async () => {
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const path = routes.keep.path;
  const announce = (bytes: number) => {
    const facts = { role, method: 'POST', path, body: null, user: null, slots: [], address: '127.0.0.1' };
    const headers = { ...signature.sign(facts), host: 'urr', 'content-type': 'text/csv', 'content-length': bytes };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  };
  const part = Buffer.alloc(12 * megabyte, 'a');
  const unfinished = Array.from({ length: 8 }, () => {
    const socket = connect(Number(url.port), '127.0.0.1');
    const sender = { socket, answer: '' };
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        sender.answer += chunk;
      });
    socket.write(announce(keptBytesMax));
    socket.write(part);
    return sender;
  });
  try {
    // 64 MB for all of them: some have to go.
    const givenUp = () => unfinished.filter(({ answer }) => answer !== '');
    await eventually(() => givenUp().length >= 3, { withinMs: 60_000, what: 'the first of them to be given up' });
    for (const { answer } of givenUp()) expect(answer).toMatch(/^HTTP\/1\.1 (?:408|503) /);
    expect((await send(path, 'text/csv', part)).json()).toEqual({ bytes: part.length });
  } finally {
    for (const { socket } of unfinished) socket.destroy();
  }
});

test('a file that is not the one that was signed is refused', async () => {
  expect(codeOf(await send(routes.weigh.path, 'text/csv', 'a,b', Buffer.from('a,c')))).toEqual([
    401,
    'UNAUTHENTICATED',
  ]);
});
