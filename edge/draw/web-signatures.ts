import type { SignatureCheck } from './verify.ts';

/** Ed25519 by WebCrypto. Null: this runtime cannot say (an old browser, or a page without TLS). */
export async function verifyWithWebCrypto({ publicKey, signed, signature }: SignatureCheck): Promise<boolean | null> {
  const { subtle } = globalThis.crypto ?? {};
  if (subtle === undefined) return null;
  let key: CryptoKey;
  try {
    key = await subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  } catch (problem) {
    // Not known to this runtime, or no point of the curve: then nothing can have been signed with it.
    return (problem as Error).name === 'NotSupportedError' ? null : false;
  }
  return subtle.verify('Ed25519', key, signature, signed);
}
