import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { aWaitingRoom } from './testing/a-waiting-room.ts';

const guide = await readFile(new URL('../../../docs/guides/waiting-room.md', import.meta.url), 'utf8');
/** `operator -X POST $URR/api/… -d '{…}'`, in the order in which they are written. */
const command = /^operator(?: -X (\w+))? \$URR(\S+)(?: -d '([^']*)')?/gm;

test('the calls of the guide do what it says', async () => {
  const room = await aWaitingRoom();
  const eventId = room.anEvent();
  const as = room.staff();
  let requestId = '';
  const answers = [];
  for (const [, method = 'GET', path = '', body] of guide.matchAll(command)) {
    // Just before it, as the guide does; there the work that was asked for is told of.
    if (path.includes('$REQUEST')) {
      await room.act('schedule', eventId, { proofDigits: null });
      requestId = (await room.assign(eventId)).requestId;
    }
    const url = path.replace('$EVENT', eventId).replace('$REQUEST', requestId);
    const payload = body === undefined ? {} : { body: JSON.parse(body) };
    const answer = await room.call(method as 'GET' | 'POST' | 'PUT', url, { as, ...payload });
    expect([path, answer.statusCode, answer.body]).toEqual([path, 200, expect.stringMatching(/^\{/)]);
    answers.push(answer.json());
  }
  expect(answers.length).toBeGreaterThan(14);
  const eras = answers.flatMap(({ era, isActive }) => (isActive === true ? [era] : []));
  expect(eras.at(-1)).toBeGreaterThan(eras[0]);
  expect(answers.some(({ state }) => state === 'served' || state === 'waiting')).toBe(true);
  expect(answers.some(({ rate }) => rate === 'auto')).toBe(true);
  expect(answers.at(-1)).toMatchObject({ isActive: false, message: null });
});
