/**
 * Solves a challenge of ALTCHA (version 2): tries counters until the derived key begins as the server asked. Some tenths of
 * a second of work for one visitor, hours for somebody who wants ten thousand numbers.
 */
interface Parameters {
  readonly algorithm: string;
  readonly nonce: string;
  readonly salt: string;
  readonly cost: number;
  readonly keyLength: number;
  readonly keyPrefix: string;
}

/** Far more than any sensible challenge takes; then the server is asked for another one. */
const triesMax = 2_000_000;
const breathEvery = 500;

export async function prove(challenge: Readonly<Record<string, unknown>>): Promise<unknown> {
  // Made by our own server; a wrong one is refused there.
  const parameters = challenge.parameters as Parameters;
  const derive = deriverOf(parameters);
  const nonce = bytesOf(parameters.nonce);
  const password = new Uint8Array(nonce.length + 4);
  password.set(nonce);
  const counterAt = new DataView(password.buffer);
  for (let counter = 0; counter < triesMax; counter++) {
    counterAt.setUint32(nonce.length, counter);
    const derivedKey = hexOf(await derive(password));
    if (derivedKey.startsWith(parameters.keyPrefix)) return { challenge, solution: { counter, derivedKey } };
    if (counter % breathEvery === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  throw new Error('no solution');
}

function deriverOf({ algorithm, salt: saltHex, cost, keyLength }: Parameters) {
  const salt = bytesOf(saltHex);
  const { subtle } = crypto;
  if (algorithm === 'SHA-256') {
    return async (password: Uint8Array<ArrayBuffer>) => {
      let bytes = new Uint8Array(salt.length + password.length);
      bytes.set(salt);
      bytes.set(password, salt.length);
      for (let round = 0; round < cost; round++) bytes = new Uint8Array(await subtle.digest(algorithm, bytes));
      return bytes.slice(0, keyLength);
    };
  }
  return async (password: Uint8Array<ArrayBuffer>) => {
    const key = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: cost };
    return new Uint8Array(await subtle.deriveBits(how, key, keyLength * 8));
  };
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
