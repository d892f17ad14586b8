import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBytes, sendBytes } from '#test/kit/raw-http.ts';
import { aStage, jsonCall } from '#test/kit/stage.ts';

/**
 * The gateway's connections to a role are shared by everybody. Whatever one caller says about the length of a body, the
 * next caller on the same connection gets the answers to their own requests and no others.
 */
const { url, send, sendToCatalog, users, eventId, apps } = await aStage('apart');
const token = users.seller.accessToken;
const catalogUrl = apps[2]?.url ?? '';

const methods = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH'] as const;
const bodyless = new Set<string>(['GET', 'HEAD', 'OPTIONS']);
const smuggled = 'GET /api/events?limit=1 HTTP/1.1\r\nHost: urr\r\nX-Request-Id: smuggled-request\r\n\r\n';
const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;

/** What follows the common headers. */
const framings: Record<string, string> = {
  'a length and its body': `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  'a length and no body': `Content-Length: ${smuggled.length}\r\n\r\n`,
  'a length and half of the body': `Content-Length: ${smuggled.length}\r\n\r\n${smuggled.slice(0, 40)}`,
  'a shorter length than the body': `Content-Length: 4\r\n\r\nnull${smuggled}`,
  'a length of zero and a body': `Content-Length: 0\r\n\r\n${smuggled}`,
  'a length with a zero in front': `Content-Length: 0${smuggled.length}\r\n\r\n${smuggled}`,
  'the same length twice': `Content-Length: 4\r\nContent-Length: 4\r\n\r\nnull${smuggled}`,
  'a length as a list': `Content-Length: 4, 4\r\n\r\nnull${smuggled}`,
  'a length that is empty': `Content-Length: \r\n\r\n${smuggled}`,
  'a length beyond all numbers': `Content-Length: 18446744073709551620\r\n\r\nnull${smuggled}`,
  'a length named by Connection': `Connection: content-length\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  chunks: `Transfer-Encoding: chunked\r\n\r\n${chunked}`,
  'chunks named by Connection': `Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  'chunks without an end': `Transfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n`,
  'chunks and a length': `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  'a length and chunks': `Transfer-Encoding: chunked\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  'chunks that are packed': `Transfer-Encoding: gzip, chunked\r\n\r\n${chunked}`,
  'chunks twice': `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  'chunks that are not last': `Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
  'a folded encoding': `Transfer-Encoding:\r\n chunked\r\n\r\n${chunked}`,
  'a folded length': `Content-Length:\r\n ${smuggled.length}\r\n\r\n${smuggled}`,
  'an expectation': `Expect: 100-continue\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  'another expectation': `Expect: something\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  'an upgrade': `Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 4\r\n\r\nnull${smuggled}`,
  'an upgrade to HTTP/2': `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 4\r\n\r\nnull${smuggled}`,
  'nothing, and the next request': `\r\n${smuggled}`,
};

function attack(method: string, framing: string): string {
  const path = bodyless.has(method) ? `/api/events/${eventId}` : `/api/seller/artists/${randomUUID()}`;
  const target = method === 'POST' ? '/api/auth/logout' : path;
  const headers = `Host: urr\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  return `${method} ${target} HTTP/1.1\r\n${headers}${framing}`;
}

/** Somebody who does nothing wrong. What they get must be what they asked for. */
async function bystander(): Promise<void> {
  const id = `bystander-${randomUUID()}`;
  const headers = { 'x-request-id': id };
  const read = await send({ path: `/api/events/${eventId}`, headers });
  expect([read.status, read.headers['x-request-id']]).toEqual([200, id]);
  expect(JSON.parse(read.text)).toMatchObject({ id: eventId });
  const name = `artist ${id}`.slice(0, 60);
  const made = await send(jsonCall({ path: '/api/seller/artists', token, headers, body: { name } }));
  expect([made.status, made.headers['x-request-id']]).toEqual([201, id]);
  expect(JSON.parse(made.text)).toMatchObject({ name });
}

const unfinished = new Set(['a length and no body', 'a length and half of the body', 'chunks without an end']);

test.each(Object.entries(framings))('%s: the others get their own answers', async (name, framing) => {
  for (const method of methods) {
    const attacker = openBytes(url, attack(method, framing));
    if (bodyless.has(method) || !unfinished.has(name)) await attacker.answered;
    // While the attacker waits for more, after they said that no more will come, and after they are gone.
    await bystander();
    attacker.end();
    await bystander();
    attacker.destroy();
  }
  await Promise.all(Array.from({ length: 10 }, bystander));
});

const refused = [
  'a length and its body',
  'a length and half of the body',
  'a length with a zero in front',
  'the same length twice',
  'chunks and a length',
  'chunks that are packed',
  'chunks twice',
  'a folded encoding',
  'a length named by Connection',
  'an upgrade',
];
test.each(refused)('%s: a read that has it is refused, and what follows it is not read', async (name) => {
  for (const door of [url, catalogUrl]) {
    const answer = await sendBytes(door, attack('GET', framings[name] ?? ''));
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"[A-Z_]+"/);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
    expect(answer).not.toContain('smuggled-request');
  }
});

test('a role that is reached directly keeps a connection in step too', async () => {
  const next = `GET /api/events/${eventId} HTTP/1.1\r\nHost: urr\r\nX-Request-Id: the-next-request\r\nConnection: close\r\n\r\n`;
  const first = `POST /api/seller/artists HTTP/1.1\r\nHost: urr\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
  const answer = await sendBytes(catalogUrl, first + next);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  expect(answer).toContain('the-next-request');
  expect((await sendToCatalog({ path: `/api/events/${eventId}` })).status).toBe(200);
});
