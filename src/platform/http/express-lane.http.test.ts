import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { sendBytes } from '#test/kit/raw-http.ts';
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

/** What happened, in its order: `a…` for an answer that was made, `w…` for one that was written. */
async function aLane() {
  const happened: string[] = [];
  const lane = createExpressLane({
    requestIdOf: () => 'request-id',
    observe: ({ param }) => happened.push(`w${param}`),
  });
  lane.guardBy(() => ({ mayBe: () => true, pass: () => [], takeBack: () => undefined }));
  const answer = (_: unknown, param: string) => {
    happened.push(`a${param}`);
    return JSON.stringify({ param });
  };
  lane.add({ contract, paramLength: 1, callerOf: anybody, answer });
  const server = createServer((request, response) => {
    if (!lane.takes(request, response)) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { lane, happened, port, url: `http://127.0.0.1:${port}` };
}

const asked = (id: number, end = '') => `GET /look/${id} HTTP/1.1\r\nhost: urr\r\n${end}\r\n`;

test('what is asked in one turn is written at its end, together and in order', async () => {
  const { happened, url } = await aLane();
  const answers = await sendBytes(url, asked(1) + asked(2) + asked(3, 'connection: close\r\n'));
  expect(happened).toEqual(['a1', 'a2', 'a3', 'w1', 'w2', 'w3']);
  expect(answers.match(/{"param":"\d"}/g)).toEqual(['{"param":"1"}', '{"param":"2"}', '{"param":"3"}']);
});

test('one who hangs up before the answer is written disturbs nobody', async () => {
  const { happened, port, url } = await aLane();
  const impatient = connect({ host: '127.0.0.1', port });
  await once(impatient, 'connect');
  impatient.write(asked(1) + asked(2));
  impatient.resetAndDestroy();
  const others = await Promise.all([3, 4, 5].map(async (id) => (await fetch(`${url}/look/${id}`)).json()));
  expect(others).toEqual([{ param: '3' }, { param: '4' }, { param: '5' }]);
  expect(happened.filter((each) => each.startsWith('w')).length).toBe(
    happened.filter((each) => each.startsWith('a')).length,
  );
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
