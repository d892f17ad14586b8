import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { createDrandBeacon } from './beacon.ts';

/** Round 1000 of quicknet, as drand published it. */
const published = {
  round: 1000,
  randomness: 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd',
  signature: 'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
};
const chain = '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971';

const answers = new Map<string, { status: number; body: string }>();
const server = createServer(({ url = '' }, answer) => {
  const { status, body } = answers.get(url) ?? { status: 404, body: '' };
  answer.writeHead(status).end(body);
});
await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
atEnd(async () => void server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const beacon = createDrandBeacon({ url, chain, genesisSeconds: 1_692_803_367, periodSeconds: 3 });
const says = (round: number, body: unknown, status = 200) =>
  answers.set(`/${chain}/public/${round}`, { status, body: typeof body === 'string' ? body : JSON.stringify(body) });

test('a round of drand is its signature', async () => {
  says(1000, published);
  expect(await beacon.signatureOf(1000)).toBe(published.signature);
});

test('a round that has not appeared is none', async () => {
  expect(await beacon.signatureOf(1001)).toBeNull();
  says(1001, 'too early', 425);
  expect(await beacon.signatureOf(1001)).toBeNull();
});

test('what does not fit together is a fault, never a value', async () => {
  for (const wrong of [
    { ...published, round: 1000 },
    { ...published, round: 1002, randomness: '00'.repeat(32) },
    { ...published, round: 1002, signature: 'xyz' },
    { round: 1002 },
    '<html>',
  ]) {
    says(1002, wrong);
    await expect(beacon.signatureOf(1002), JSON.stringify(wrong)).rejects.toThrow();
  }
  says(1002, published, 500);
  await expect(beacon.signatureOf(1002)).rejects.toThrow('500');
});
