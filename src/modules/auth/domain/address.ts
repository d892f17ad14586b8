import { isIPv6 } from 'node:net';

/**
 * The address as sign-in attempts are counted by it: IPv4 whole (also when it comes wrapped in IPv6), IPv6 by /64,
 * since one subscriber owns all addresses of a /64 and could use a new one for every guess.
 */
export function attemptAddress(ip: string): string {
  const plain = ip.split('%', 1)[0] ?? ip;
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::', 2);
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** A dotted tail (`64:ff9b::1.2.3.4`) stands for two groups; it never reaches the first four. */
function groups(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
