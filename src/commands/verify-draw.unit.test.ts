import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { drawVectors } from '#edge/draw/testing/vectors.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { runCommandLine } from './command-line.ts';

const vectors = new URL('../../docs/draw-vectors.json', import.meta.url);
const { draws }: ReturnType<typeof drawVectors> = JSON.parse(await readFile(vectors, 'utf8'));
const [some, many] = [draws[3], draws[4]];
const folder = await mkdtemp(join(tmpdir(), 'urr-verify-draw-'));
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: unknown): Promise<string> {
  await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, name);
}

async function urr(...args: string[]) {
  const printed: string[] = [];
  const warned: string[] = [];
  const code = await runCommandLine(['verify-draw', ...args], {
    env: {},
    print: (line) => void printed.push(line),
    warn: (line) => void warned.push(line),
  });
  return { code, printed: printed.join('\n'), warned: warned.join('\n') };
}

test('a draw and a receipt that hold: what was checked, the number, and what a person has to look at', async () => {
  const { receipt, number } = some?.receipts[1] ?? {};
  const said = await urr(await file('draw.json', some?.draw), '--receipt', await file('receipt.json', receipt));
  expect(said).toMatchObject({ code: 0, warned: '' });
  expect(said.printed).toMatchInlineSnapshot(`
    "draw of event 01990000-0004-7000-8000-000000000001, era 3
    ok     The announcement and all 4 batches of entries lead to the published head 59dd9105fb7a450ffd3e7f6c0e3f087f38b34d434430c93aff6517044be7c5de.
    ok     The log holds all 100 entries, one after the other.
    ok     Round 37031822 of the public beacon is the one that the rule names: the first at least 30 seconds after the freeze.
    ok     The secret is the one that was committed to before anybody entered (SHA-256 3e5ec648eaa6c954a19f50457343318ecead997641c4bc28fc1afdcb7fe868e1).
    ok     The public value is the SHA-256 of the signature of round 37031822.
    look   Not checked here: that drand published value 797c08ecada9f308d5b2923e318a5a7b233a3a0532b02d0edd344430990d35e0 in round 37031822 of chain 52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971. Compare: https://api.drand.sh/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971/public/37031822
    ok     Event, era, number of entries, head, secret, round and public value together give the seed b8993221fecfd06c0fe099b6be89e04e60cbd66ea1d43518094926c00b9c1388.
    ok     The receipt of entry 1 is signed with the key that was announced.
    ok     Entry 1, its visitor and its time are part of batch 0.
    ok     Batch 0 stands in the published log as the receipt says, and so does everything before it.
    ok     Entry 1 was drawn number 12 of 100.
    Verified: the published draw agrees with itself and with the rules that were announced."
  `);
  expect(said.printed).toContain(`number ${number} of 100.`);
});

test('the beacon is asked where it is named, also for the rounds that were passed over', async () => {
  const draw = await file('many.json', many?.draw);
  const { round = 0, value } = many?.draw.revealed ?? {};
  const beacon = createServer(({ url = '' }, answer) => {
    answer.statusCode = url.endsWith(`/public/${round}`) ? 200 : 404;
    answer.end(JSON.stringify({ round, randomness: value }));
  });
  await new Promise<void>((listening) => void beacon.listen(0, '127.0.0.1', listening));
  atEnd(async () => void beacon.close());
  const address = `http://127.0.0.1:${(beacon.address() as AddressInfo).port}/`;
  const asked = await urr(draw, '--beacon', address);
  expect(asked).toMatchObject({ code: 0, printed: expect.stringContaining('The beacon itself was asked') });
  const other = await file('some.json', some?.draw);
  expect(await urr(other, '--beacon', address)).toMatchObject({ code: 1, printed: expect.stringContaining('WRONG') });
});

test('a draw is fetched from where its operator publishes it', async () => {
  const server = createServer(({ url = '' }, answer) => {
    answer.statusCode = url === '/vwr/draw/1' ? 200 : 503;
    answer.end(JSON.stringify(some?.draw));
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  atEnd(async () => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/vwr/draw`;
  expect(await urr(`${address}/1`)).toMatchObject({ code: 0, printed: expect.stringContaining('Verified') });
  expect(await urr(`${address}/2`)).toMatchObject({ code: 1, warned: expect.stringContaining('answered 503') });
});

test('exit code 0 is for a draw that holds and is over', async () => {
  const edited = { ...some?.draw, era: 4 };
  expect(await urr(await file('edited.json', edited))).toMatchObject({
    code: 1,
    printed: expect.stringContaining('NOT verified'),
  });
  const entering = { ...some?.draw, frozen: null, revealed: null };
  expect(await urr(await file('open.json', entering))).toMatchObject({
    code: 1,
    printed: expect.stringContaining('the draw is not over'),
  });
});

test('what is no draw is said by its first wrong field, and what is called wrongly by how to call it', async () => {
  expect(await urr(await file('no.json', { format: 'urr.draw.1' }))).toMatchObject({
    code: 1,
    warned: expect.stringContaining('no.json is no published draw: eventId is missing'),
  });
  expect(await urr(await file('no-json', '<html>'))).toMatchObject({
    code: 1,
    warned: expect.stringContaining('no JSON'),
  });
  expect(await urr(join(folder, 'nowhere'))).toMatchObject({ code: 1, warned: expect.stringContaining('ENOENT') });
  expect(await urr()).toMatchObject({ code: 2 });
  expect(await urr(await file('draw.json', some?.draw), '--beacon', 'drand')).toMatchObject({ code: 2 });
});
