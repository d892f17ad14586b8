import { createServer } from 'node:http';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { openBytes } from '#test/kit/raw-http.ts';
import { serving } from '#test/kit/serving.ts';
import { defineRoutes } from './contract.ts';
import { createExpressLane } from './express-lane.ts';

const { look: contract } = defineRoutes({
  look: {
    operation: 'look',
    method: 'GET',
    path: '/look/:id',
    access: 'public',
    rate: 'poll',
    summary: 'For this test.',
    responses: { 200: Type.Unknown() },
  },
});

const anybody = () => ({ userId: 'anybody' });

/** What happened, in its order: `a…` for an answer that was asked for, `w…` for one that was told of. */
async function aLane() {
  const happened: string[] = [];
  const lane = createExpressLane({
    requestIdOf: () => 'request-id',
    observe: ({ param }) => happened.push(`w${param}`),
  });
  lane.guardBy(() => ({ mayBe: () => true, countedOf: () => null, pass: () => true, takeBack: () => undefined }));
  const answer = (_: unknown, param: string) => {
    happened.push(`a${param}`);
    return JSON.stringify({ param });
  };
  lane.add({ contract, paramLength: 1, callerOf: anybody, answer });
  const server = createServer((request, response) => {
    if (!lane.takes(request, response)) response.writeHead(404).end();
  });
  const { url } = await serving(server);
  return { lane, happened, url };
}

test('an answer is told of when it was made', async () => {
  const { happened, url } = await aLane();
  expect(await (await fetch(`${url}/look/1`)).json()).toEqual({ param: '1' });
  expect(happened).toEqual(['a1', 'w1']);
});

test('what was taken before the lane is closed is still answered', async () => {
  const { lane, happened, url } = await aLane();
  lane.add({
    contract: { ...contract, path: '/last/:id' },
    paramLength: 1,
    callerOf: anybody,
    answer() {
      lane.close();
      return '"last"';
    },
  });
  expect(await (await fetch(`${url}/last/1`)).json()).toBe('last');
  expect(happened).toEqual(['w1']);
  expect((await fetch(`${url}/look/2`)).status).toBe(404);
});

test('a request that offers another protocol takes the usual way, where its connection is ended', async () => {
  const { happened, url } = await aLane();
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  const caller = openBytes(url, `GET /look/1 HTTP/1.1\r\nHost: x\r\n${offer}\r\n`);
  await caller.answered;
  caller.destroy();
  expect(caller.received()).toMatch(/^HTTP\/1\.1 404 /);
  expect(happened).toEqual([]);
});
