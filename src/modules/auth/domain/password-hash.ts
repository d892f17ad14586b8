/** A password hash in PHC form: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. It carries its cost, so cost can be raised. */
export type PasswordHash =
  | { readonly algorithm: 'argon2id'; readonly cost: Argon2Cost; readonly salt: Buffer; readonly tag: Buffer }
  | { readonly algorithm: 'scrypt'; readonly cost: ScryptCost; readonly salt: Buffer; readonly tag: Buffer };

export interface Argon2Cost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

export interface ScryptCost {
  /** log2 of N. */
  readonly logN: number;
  readonly blockSize: number;
  readonly parallelism: number;
}

export interface PasswordCost {
  readonly argon2id: Argon2Cost;
  /** For a Node or OpenSSL without Argon2. */
  readonly scrypt: ScryptCost;
}

/** OWASP's minimum for both: 20 to 50 ms of one core, and 19 MiB or 32 MiB while it runs. */
export const passwordCostDefault: PasswordCost = {
  argon2id: { memoryKib: 19_456, passes: 2, parallelism: 1 },
  scrypt: { logN: 15, blockSize: 8, parallelism: 3 },
};

export function formatPasswordHash(hash: PasswordHash): string {
  const salt = encode(hash.salt);
  const tag = encode(hash.tag);
  if (hash.algorithm === 'argon2id') {
    const { memoryKib, passes, parallelism } = hash.cost;
    return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${salt}$${tag}`;
  }
  const { logN, blockSize, parallelism } = hash.cost;
  return `$scrypt$ln=${logN},r=${blockSize},p=${parallelism}$${salt}$${tag}`;
}

const argon2Shape = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const scryptShape = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function parsePasswordHash(text: string): PasswordHash | null {
  const argon2 = argon2Shape.exec(text);
  if (argon2) {
    const [, memoryKib, passes, parallelism, salt = '', tag = ''] = argon2;
    const cost = { memoryKib: Number(memoryKib), passes: Number(passes), parallelism: Number(parallelism) };
    return { algorithm: 'argon2id', cost, salt: decode(salt), tag: decode(tag) };
  }
  const scrypt = scryptShape.exec(text);
  if (scrypt) {
    const [, logN, blockSize, parallelism, salt = '', tag = ''] = scrypt;
    const cost = { logN: Number(logN), blockSize: Number(blockSize), parallelism: Number(parallelism) };
    return { algorithm: 'scrypt', cost, salt: decode(salt), tag: decode(tag) };
  }
  return null;
}

/** Weaker than what is asked for today in any respect: to be made anew at the next sign-in. */
export function isWeaker(hash: PasswordHash, wanted: PasswordHash['algorithm'], cost: PasswordCost): boolean {
  // Argon2id is the better of the two, so a scrypt hash gives way to it and never the other way round.
  if (hash.algorithm !== wanted) return wanted === 'argon2id';
  if (hash.algorithm === 'argon2id') {
    return hash.cost.memoryKib < cost.argon2id.memoryKib || hash.cost.passes < cost.argon2id.passes;
  }
  return (
    hash.cost.logN < cost.scrypt.logN ||
    hash.cost.blockSize < cost.scrypt.blockSize ||
    hash.cost.parallelism < cost.scrypt.parallelism
  );
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

function decode(text: string): Buffer {
  return Buffer.from(text, 'base64');
}
