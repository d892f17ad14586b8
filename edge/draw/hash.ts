import { sha256 } from './sha256.ts';

/** A text stands for its UTF-8, a whole number for eight bytes, big endian. */
export type Field = string | number | Uint8Array;

/**
 * The one way in which anything of a draw is hashed: SHA-256 of a purpose and fields, each behind its length in four bytes.
 * No two lists of fields have the same bytes, and what was hashed for one purpose is never a hash for another.
 */
export function hashOf(purpose: Purpose, fields: readonly Field[]): Uint8Array {
  return sha256(fieldBytes([`urr.draw.1/${purpose}`, ...fields]));
}

export type Purpose = 'announcement' | 'leaf' | 'node' | 'batch' | 'receipt' | 'seed' | 'shuffle' | 'feistel-round';

const utf8 = new TextEncoder();
const lengthBytes = 4;
const numberBytes = 8;

export function fieldBytes(fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  const parts = fields.map((field) => (typeof field === 'string' ? utf8.encode(field) : field));
  const size = (part: number | Uint8Array) => (typeof part === 'number' ? numberBytes : part.length);
  const bytes = new Uint8Array(parts.reduce<number>((sum, part) => sum + lengthBytes + size(part), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, size(part));
    at += lengthBytes;
    if (typeof part === 'number') putNumber(view, at, part);
    else bytes.set(part, at);
    at += size(part);
  }
  return bytes;
}

export function putNumber(view: DataView, at: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no whole number that can be hashed`);
  view.setUint32(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 4, value % 2 ** 32);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Of text that is known to be hexadecimal; `isHex` says so. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
