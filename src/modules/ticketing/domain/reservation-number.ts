import type { Random } from '#platform/random.ts';

/** No letter that looks or sounds like a digit or another letter: no 0 and O, 1 and I and L, no U beside V. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The largest multiple of the alphabet's length in a byte: above it, some letters would come more often. */
const fairMax = 240;
const half = 4;

/** Such as `K7M2-94QX`: to be read aloud. Two may be equal, once in 656 thousand million; the table refuses the second. */
export function newReservationNumber(random: Random): string {
  let letters = '';
  while (letters.length < 2 * half) {
    for (const byte of random.bytes(2 * half)) if (byte < fairMax) letters += alphabet[byte % alphabet.length];
  }
  return `${letters.slice(0, half)}-${letters.slice(half, 2 * half)}`;
}
