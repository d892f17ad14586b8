import type { MacCheck, MacKind } from './steps.ts';

/** Secrets of each kind. The first signs, all verify: that is how one is rotated. */
export type EdgeKeys = Readonly<Record<MacKind, readonly string[]>>;

/** Checks MACs by WebCrypto, which Node, browsers, workers and Lambda have alike. */
export function createWebMacs(keys: EdgeKeys): (check: MacCheck) => Promise<boolean> {
  const imported = new Map<MacKind, Promise<readonly CryptoKey[]>>();
  return async ({ kind, signed, mac }) => {
    const ready = imported.get(kind) ?? Promise.all(keys[kind].map((secret) => keyOf(kind, secret)));
    imported.set(kind, ready);
    for (const key of await ready) if (isSame(await macOf(key, signed), mac, macLengths[kind])) return true;
    return false;
  };
}

const macLengths: Readonly<Record<MacKind, number>> = { vwr: 43, entry: 43, ticket: 22 };
/** Part of the key of a sealed text. */
const ticketPurpose = 'urr ticket uqw2';
const utf8 = new TextEncoder();

async function keyOf(kind: MacKind, secret: string): Promise<CryptoKey> {
  const key = await importKey(secret);
  if (kind !== 'ticket') return key;
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(ticketPurpose)));
  return importKey(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''));
}

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', utf8.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

async function macOf(key: CryptoKey, text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** As text, so that of the writings of one MAC only ours counts. Every character is looked at, and none decides before the last. */
function isSame(ours: string, theirs: string, length: number): boolean {
  if (theirs.length !== length) return false;
  let difference = 0;
  for (let i = 0; i < length; i++) difference |= ours.charCodeAt(i) ^ theirs.charCodeAt(i);
  return difference === 0;
}
