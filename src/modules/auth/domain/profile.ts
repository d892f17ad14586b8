/** What may be stored about a person, and in which spelling. Each parser answers with the value or with why not. */
export type Parsed = { ok: true; value: string } | { ok: false; message: string };

export const emailLengthMax = 254;
export const nameLengthMax = 80;
export const passwordLengthMin = 8;
export const passwordLengthMax = 128;

const controlCharacters = /\p{Cc}/u;
/** Marks that reorder or hide text: a name must not be able to pretend to be another line. */
const invisibleFormatting = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?';
const emailShape = new RegExp(`^[^\\s@"(),:;<>\\[\\]\\\\]{1,64}@${label}(?:\\.${label})+$`, 'u');

/** NFKC, trimmed, lower case: the one spelling under which an address is looked up and unique. */
export function parseEmail(text: string): Parsed {
  if (!isPrintable(text)) return refused('must not contain control characters');
  // Once more at the end, because lower case may decompose a letter (İ).
  const value = text.normalize('NFKC').trim().toLowerCase().normalize('NFKC');
  if (value.length > emailLengthMax || !emailShape.test(value)) return refused('must be an email address');
  return { ok: true, value };
}

export function parseName(text: string): Parsed {
  if (!isPrintable(text) || invisibleFormatting.test(text)) return refused('must not contain control characters');
  const value = text.normalize('NFC').trim().replace(/\s+/gu, ' ');
  const length = [...value].length;
  if (length < 1 || length > nameLengthMax) return refused(`must be 1 to ${nameLengthMax} characters long`);
  return { ok: true, value };
}

/** Normalised, because the same key presses arrive composed from one system and decomposed from another. */
export function parsePassword(text: string): Parsed {
  if (!isPrintable(text)) return refused('must not contain control characters');
  const value = text.normalize('NFKC');
  const length = [...value].length;
  if (length < passwordLengthMin || length > passwordLengthMax) {
    return refused(`must be ${passwordLengthMin} to ${passwordLengthMax} characters long`);
  }
  return { ok: true, value };
}

function isPrintable(text: string): boolean {
  return text.isWellFormed() && !controlCharacters.test(text);
}

function refused(message: string): Parsed {
  return { ok: false, message };
}
