import type { StoreDump } from '../ports.ts';

/** In one order and without empty bits, whatever the store kept it in. */
export function tidied(dump: StoreDump): StoreDump {
  const spent = dump.spent.map(({ bits, ...chunk }) => ({ ...chunk, bits: bits.subarray(0, lengthOf(bits)) }));
  return {
    ...dump,
    slots: dump.slots.toSorted((a, b) => (a.userId < b.userId ? -1 : 1)),
    returned: dump.returned.toSorted((a, b) => a - b),
    spent: spent.filter(({ bits }) => bits.length > 0).sort((a, b) => a.era - b.era || a.chunk - b.chunk),
  };
}

function lengthOf(bits: Buffer): number {
  let length = bits.length;
  while (length > 0 && bits[length - 1] === 0) length -= 1;
  return length;
}
