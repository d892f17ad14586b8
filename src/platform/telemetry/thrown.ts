export interface DescribedThrown {
  readonly reason: string;
  readonly stack: string;
}

const reasonLengthMax = 500;
const stackLengthMax = 4_000;

/**
 * What was thrown, in words that can be logged and stored. Anything can be thrown: null, a symbol, an error whose message
 * is an object, a Proxy that throws at every touch. This never throws itself.
 */
export function describeThrown(thrown: unknown): DescribedThrown {
  try {
    if (thrown instanceof Error)
      return { reason: storable(reasonOf(thrown), reasonLengthMax), stack: storable(stackOf(thrown), stackLengthMax) };
    return { reason: storable(inWords(thrown), reasonLengthMax), stack: '' };
  } catch {
    return { reason: unprintable, stack: '' };
  }
}

const unprintable = 'something that cannot be printed was thrown';

function reasonOf(error: Error): string {
  return attempted(() => inWords(error.message)) || attempted(() => inWords(error.name)) || unprintable;
}

function stackOf(error: Error): string {
  return attempted(() => (typeof error.stack === 'string' ? error.stack : ''));
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  // What has no words of its own says so as "[object Object]"; its fields say more.
  return attempted(() => JSON.stringify(value)) || attempted(() => String(value)) || unprintable;
}

function attempted(write: () => string): string {
  try {
    const written: unknown = write();
    return typeof written === 'string' ? written : '';
  } catch {
    return '';
  }
}

/** PostgreSQL refuses U+0000 and half of a surrogate pair, which a cut may leave behind. */
function storable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replaceAll('\0', '\uFFFD').toWellFormed();
}
