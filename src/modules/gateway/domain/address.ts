import { isIPv6 } from 'node:net';

/**
 * Who an address belongs to, for rate limits. One household or server has a whole IPv6 /64 and may use a new address
 * for each request, so the /64 is what is counted; an IPv4 address counts as it is, also when written as IPv6.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // Only the first four of eight groups matter; `::` stands for the zeros between what is left and right of it.
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - groupCount(right));
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** A dotted quad at the end fills two groups. */
function groupCount(groups: readonly string[]): number {
  return groups.length + (groups.at(-1)?.includes('.') ? 1 : 0);
}
