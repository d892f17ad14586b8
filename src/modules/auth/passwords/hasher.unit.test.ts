import { describe, expect, it } from 'vitest';
import { systemRandom } from '#platform/random.ts';
import {
  formatPasswordHash,
  type PasswordCost,
  parsePasswordHash,
  passwordCostDefault,
} from '../domain/password-hash.ts';
import { createPasswordHasher } from './hasher.ts';

const light: PasswordCost = {
  argon2id: { memoryKib: 256, passes: 1, parallelism: 1 },
  scrypt: { logN: 10, blockSize: 8, parallelism: 1 },
};
const stronger: PasswordCost = { ...light, argon2id: { ...light.argon2id, memoryKib: 512 } };
const hasher = createPasswordHasher({ cost: light, random: systemRandom });

describe('a password hash', () => {
  it('matches its password and no other', async () => {
    const stored = await hasher.hash('correct horse');
    expect(await hasher.check('correct horse', stored)).toEqual({ matches: true, outdated: false });
    expect(await hasher.check('correct horsf', stored)).toEqual({ matches: false, outdated: false });
  });

  it('is salted', async () => {
    expect(await hasher.hash('same')).not.toBe(await hasher.hash('same'));
  });

  it('carries its cost and survives being read and written', async () => {
    const stored = await hasher.hash('x');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=256,t=1,p=1\$/);
    const parsed = parsePasswordHash(stored);
    expect(parsed && formatPasswordHash(parsed)).toBe(stored);
  });

  it('made at a lower cost still matches and is called outdated', async () => {
    const stored = await hasher.hash('x');
    const raised = createPasswordHasher({ cost: stronger, random: systemRandom });
    expect(await raised.check('x', stored)).toEqual({ matches: true, outdated: true });
    expect(await hasher.check('x', await raised.hash('x'))).toEqual({ matches: true, outdated: false });
  });

  it('of scrypt matches and gives way to Argon2id', async () => {
    // RFC 7914, section 12: N = 1024, r = 8, p = 16.
    const tag = Buffer.from(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
      'hex',
    );
    const cost = { logN: 10, blockSize: 8, parallelism: 16 };
    const stored = formatPasswordHash({ algorithm: 'scrypt', cost, salt: Buffer.from('NaCl'), tag });
    expect(await hasher.check('password', stored)).toEqual({ matches: true, outdated: true });
  });

  it('is made with scrypt where there is no Argon2id, at the default cost too', async () => {
    const older = createPasswordHasher({ cost: passwordCostDefault, random: systemRandom, algorithm: 'scrypt' });
    const stored = await older.hash('correct horse');
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(await older.check('correct horse', stored)).toEqual({ matches: true, outdated: false });
  });

  it('of the default cost says so', async () => {
    const stored = await createPasswordHasher({ cost: passwordCostDefault, random: systemRandom }).hash('x');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

it('no stored hash matches nothing', async () => {
  expect(await hasher.check('anything', null)).toEqual({ matches: false, outdated: false });
});

it('a stored hash that cannot be read is a fault, not a wrong password', async () => {
  await expect(hasher.check('x', 'md5:abc')).rejects.toThrow('PHC');
});
