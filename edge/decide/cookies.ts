/** Values of the cookies with this very name, in the order in which they were sent: a sibling domain may have planted one in front of ours. */
export function cookieValues(header: string, name: string, countMax: number): readonly string[] {
  let found = none;
  let from = 0;
  while (found.length < countMax) {
    const at = header.indexOf(name, from);
    if (at === -1) break;
    from = at + name.length;
    if (header.charCodeAt(from) !== equalsSign || !startsCookie(header, at)) continue;
    found = [...found, valueAt(header, from + 1)];
  }
  return found;
}

/** The same for all cookies whose names begin so. */
export function cookieValuesBehind(header: string, prefix: string, countMax: number): readonly string[] {
  let found = none;
  let from = 0;
  while (found.length < countMax) {
    const at = header.indexOf(prefix, from);
    if (at === -1) break;
    from = at + prefix.length;
    if (!startsCookie(header, at)) continue;
    const equals = header.indexOf('=', from);
    if (equals === -1) break;
    found = [...found, valueAt(header, equals + 1)];
  }
  return found;
}

const none: readonly string[] = [];
const equalsSign = 61;
const semicolon = 59;
const space = 32;

function startsCookie(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && header.charCodeAt(before) === space) before -= 1;
  return before < 0 || header.charCodeAt(before) === semicolon;
}

function valueAt(header: string, from: number): string {
  const end = header.indexOf(';', from);
  const value = (end === -1 ? header.slice(from) : header.slice(from, end)).trim();
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
