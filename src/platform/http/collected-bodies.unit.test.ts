import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { createCollectedBodies } from './collected-bodies.ts';

const kilobyte = 1024;
const limitBytes = 64 * kilobyte;

function aHouse(heldBytesMax?: number) {
  const bodies = createCollectedBodies(heldBytesMax === undefined ? {} : { heldBytesMax });
  return {
    bodies,
    begin(declaredBytes?: number) {
      const stream = new PassThrough();
      const call = { stream, outcome: 'arriving', body: null as Buffer | null, over: () => {} };
      bodies.collect({
        stream,
        limitBytes,
        declaredBytes,
        done(fault, body) {
          expect(call.outcome).toBe('arriving');
          call.outcome = fault?.code ?? 'whole';
          call.body = body;
        },
        onOver(release) {
          call.over = release;
        },
      });
      return call;
    },
  };
}

const settled = (call: { outcome: string }) =>
  eventually(() => call.outcome !== 'arriving', { withinMs: 20_000, what: 'an outcome' });

test('a body arrives as it was sent, in pieces of any size', async () => {
  const { begin } = aHouse();
  const sent = Buffer.from(Array.from({ length: limitBytes }, (_, n) => n % 251));
  const call = begin();
  for (let at = 0, size = 1; at < sent.length; at += size, size = (size * 7) % 1_009)
    call.stream.write(sent.subarray(at, at + size));
  call.stream.end();
  await settled(call);
  expect([call.outcome, call.body?.equals(sent)]).toEqual(['whole', true]);
});

test('what is longer than allowed, shorter or longer than announced, or breaks off, is no body', async () => {
  const { begin, bodies } = aHouse();
  const [long, announced, short, more, broken] = [begin(), begin(limitBytes + 1), begin(10), begin(10), begin(10)];
  long.stream.end(Buffer.alloc(limitBytes + 1));
  short.stream.end('123456789');
  more.stream.end('12345678901');
  broken.stream.write('1');
  broken.stream.destroy();
  for (const call of [long, announced, short, more, broken]) await settled(call);
  expect([long, announced, short, more, broken].map(({ outcome }) => outcome)).toEqual([
    'PAYLOAD_TOO_LARGE',
    'PAYLOAD_TOO_LARGE',
    'MALFORMED_BODY',
    'MALFORMED_BODY',
    'MALFORMED_BODY',
  ]);
  expect(bodies.heldBytes).toBe(0);
});

test('those who send slowly take little room, and give it back when they are answered', async () => {
  const { begin, bodies } = aHouse();
  const call = begin(limitBytes);
  for (let n = 0; n < 100; n++) call.stream.write('x');
  await eventually(() => bodies.heldBytes > 0, { withinMs: 20_000, what: 'the first byte' });
  expect(bodies.heldBytes).toBeLessThanOrEqual(8 * kilobyte);
  call.stream.end(Buffer.alloc(limitBytes - 100));
  await settled(call);
  expect(bodies.heldBytes).toBe(limitBytes);
  call.over();
  call.over();
  expect(bodies.heldBytes).toBe(0);
});

test('when there is no room the body that has been arriving longest makes it, so nobody is kept out', async () => {
  const { begin, bodies } = aHouse(256 * kilobyte);
  const hoarders = Array.from({ length: 40 }, () => begin(limitBytes));
  for (const { stream } of hoarders) {
    stream.write(Buffer.alloc(limitBytes - 1));
    expect(bodies.heldBytes).toBeLessThanOrEqual(256 * kilobyte);
  }
  const honest = begin(limitBytes);
  honest.stream.end(Buffer.alloc(limitBytes));
  await settled(honest);
  expect(honest.outcome).toBe('whole');
  expect(bodies.heldBytes).toBeLessThanOrEqual(256 * kilobyte);
  expect(hoarders.map(({ outcome }) => outcome)).toEqual([
    ...Array(37).fill('REQUEST_TIMEOUT'),
    ...Array(3).fill('arriving'),
  ]);
});

test('bodies that are there and wait for their answer are given up for nobody', async () => {
  const { begin, bodies } = aHouse(2 * limitBytes);
  const there = [begin(), begin()];
  for (const { stream } of there) stream.end(Buffer.alloc(limitBytes));
  for (const call of there) await settled(call);
  const next = begin();
  next.stream.end('x');
  await settled(next);
  expect(next.outcome).toBe('ROLE_UNAVAILABLE');
  for (const call of there) call.over();
  expect(bodies.heldBytes).toBe(0);
});
