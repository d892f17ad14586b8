import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { prove } from './proof.ts';

const nonce = '00112233445566778899aabbccddeeff';
const salt = 'ffeeddccbbaa99887766554433221100';

test('a solution is a counter whose key begins as the challenge asks', async () => {
  const challenge = {
    parameters: { algorithm: 'SHA-256', nonce, salt, cost: 2, keyLength: 32, keyPrefix: '00' },
    signature: 'of the server',
  };
  const solved = (await prove(challenge)) as { challenge: object; solution: { counter: number; derivedKey: string } };
  expect(solved.challenge).toBe(challenge);
  const { counter, derivedKey } = solved.solution;
  const password = Buffer.alloc(20);
  password.write(nonce, 'hex');
  password.writeUInt32BE(counter, 16);
  const once = createHash('sha256').update(Buffer.from(salt, 'hex')).update(password).digest();
  expect(derivedKey).toBe(createHash('sha256').update(once).digest('hex'));
  expect(derivedKey.startsWith('00')).toBe(true);
});
