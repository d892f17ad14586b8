/**
 * SHA-256 (FIPS 180-4) that answers at once. WebCrypto's waits for an answer and is missing on pages without TLS, and the number
 * of a visitor is some dozens of hashes that depend on each other (ADR 56). It hashes nothing that is secret while time matters.
 */
export function sha256(message: Uint8Array): Uint8Array {
  return digestOf(initialState.slice(), message, message.length);
}

/** For many messages that begin alike, with whole blocks of 64 bytes: these are hashed once. */
export function sha256Behind(prefix: Uint8Array): (rest: Uint8Array) => Uint8Array {
  if (prefix.length % blockBytes !== 0) throw new RangeError('a prefix consists of whole blocks');
  const begun = initialState.slice();
  for (let at = 0; at < prefix.length; at += blockBytes) compress(begun, prefix, at);
  return (rest) => digestOf(begun.slice(), rest, prefix.length + rest.length);
}

function digestOf(state: Int32Array, message: Uint8Array, bytesInAll: number): Uint8Array {
  const whole = message.length - (message.length % blockBytes);
  for (let at = 0; at < whole; at += blockBytes) compress(state, message, at);
  const tail = paddedTail(message, whole, bytesInAll);
  for (let at = 0; at < tail.length; at += blockBytes) compress(state, tail, at);
  const digest = new Uint8Array(32);
  for (let i = 0; i < 32; i++) digest[i] = word(state, i >> 2) >>> (24 - 8 * (i & 3));
  return digest;
}

const blockBytes = 64;
const initialState = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

// biome-ignore format: the table of the standard, row by row
const constants = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const schedule = new Int32Array(64);

/** What follows the last whole block: the rest, a one bit, zeros, and the length of everything in bits. */
function paddedTail(message: Uint8Array, from: number, bytesInAll: number): Uint8Array {
  const rest = message.length - from;
  const tail = new Uint8Array(rest + 9 <= blockBytes ? blockBytes : 2 * blockBytes);
  for (let i = 0; i < rest; i++) tail[i] = octet(message, from + i);
  tail[rest] = 0x80;
  putWord(tail, tail.length - 8, Math.floor(bytesInAll / 2 ** 29));
  putWord(tail, tail.length - 4, bytesInAll << 3);
  return tail;
}

function putWord(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (24 - 8 * i);
}

function compress(state: Int32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0; i < 16; i++) {
    const at = from + 4 * i;
    schedule[i] =
      (octet(bytes, at) << 24) | (octet(bytes, at + 1) << 16) | (octet(bytes, at + 2) << 8) | octet(bytes, at + 3);
  }
  for (let i = 16; i < 64; i++) {
    const early = word(schedule, i - 15);
    const late = word(schedule, i - 2);
    const lowSigma = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const highSigma = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    schedule[i] = word(schedule, i - 16) + lowSigma + word(schedule, i - 7) + highSigma;
  }
  let a = word(state, 0);
  let b = word(state, 1);
  let c = word(state, 2);
  let d = word(state, 3);
  let e = word(state, 4);
  let f = word(state, 5);
  let g = word(state, 6);
  let h = word(state, 7);
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const sigma1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + sigma1 + chosen + word(constants, i) + word(schedule, i)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sigma0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sigma0 + majority) | 0;
  }
  // One by one: a list of the eight would cost more than the rounds.
  state[0] = word(state, 0) + a;
  state[1] = word(state, 1) + b;
  state[2] = word(state, 2) + c;
  state[3] = word(state, 3) + d;
  state[4] = word(state, 4) + e;
  state[5] = word(state, 5) + f;
  state[6] = word(state, 6) + g;
  state[7] = word(state, 7) + h;
}

/* Every index is within its array; the casts say so to the type checker without a check at run time. */
const word = (words: Int32Array, at: number): number => words[at] as number;
const octet = (bytes: Uint8Array, at: number): number => bytes[at] as number;

function turned(bits: number, by: number): number {
  return (bits >>> by) | (bits << (32 - by));
}
