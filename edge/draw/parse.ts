import type { Batch, PublishedDraw, Receipt } from './published.ts';

type Fields = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

/** What cannot be read is named by its first wrong field; nothing of it is believed. */
export type Parsed<Value> = { readonly value: Value } | { readonly wrong: string };

export function parseDraw(value: unknown): Parsed<PublishedDraw> {
  const wrong = firstWrong(value, draw);
  // Every field has been looked at.
  return wrong === null ? { value: value as PublishedDraw } : { wrong };
}

export function parseReceipt(value: unknown): Parsed<Receipt> {
  const wrong = firstWrong(value, receipt);
  return wrong === null ? { value: value as Receipt } : { wrong };
}

const whole: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const text: Test = (value) => typeof value === 'string' && value.length >= 1 && value.length <= 200;
const hex =
  (bytesMin: number, bytesMax = bytesMin): Test =>
  (value) =>
    typeof value === 'string' &&
    value.length >= 2 * bytesMin &&
    value.length <= 2 * bytesMax &&
    value.length % 2 === 0 &&
    /^[0-9a-f]*$/.test(value);
const is =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value);

type Shape = { readonly [name: string]: Test | Shape };

const hash = hex(32);
const frozen = { atMs: whole, entries: whole, head: hash, round: whole };
const revealed = { atMs: whole, secret: hash, round: whole, value: hex(0, 64), signature: hex(0, 256), seed: hash };
const voids = { era: whole, atMs: whole, entries: whole, head: hash, reason: is('unrevealed', 'reset') };
const drand = {
  kind: is('drand'),
  chain: hash,
  genesisSeconds: whole,
  periodSeconds: (value: unknown) => whole(value) && value !== 0,
};
const beacon: Test = (value) =>
  firstWrong(value, { kind: is('operator') }) === null || firstWrong(value, drand) === null;
const batches: Test = (value) => Array.isArray(value) && value.every(isBatch);
const orNull =
  (shape: Shape): Test =>
  (value) =>
    value === null || firstWrong(value, shape) === null;

const draw: Shape = {
  format: is('urr.draw.1'),
  eventId: text,
  era: whole,
  announcedAtMs: whole,
  commitment: hash,
  receiptKey: hash,
  signInRequired: is(true, false),
  beacon,
  head: hash,
  batches,
  frozen: orNull(frozen),
  revealed: orNull(revealed),
  voids: (value) => Array.isArray(value) && value.every((one) => firstWrong(one, voids) === null),
};

const receipt: Shape = {
  format: is('urr.draw.receipt.1'),
  eventId: text,
  era: whole,
  entry: whole,
  visitor: text,
  atMs: whole,
  batch: { index: whole, first: whole, count: whole, root: hash, head: hash },
  path: (value) => Array.isArray(value) && value.length <= 64 && value.every(hash),
  receiptKey: hash,
  signature: hex(64),
};

function isBatch(value: unknown): value is Batch {
  return Array.isArray(value) && value.length === 3 && whole(value[0]) && whole(value[1]) && hash(value[2]);
}

function firstWrong(value: unknown, shape: Shape, inside = ''): string | null {
  if (typeof value !== 'object' || value === null) return inside === '' ? '(all of it)' : inside.slice(0, -1);
  for (const [name, expected] of Object.entries(shape)) {
    const own = Object.hasOwn(value, name) ? (value as Fields)[name] : undefined;
    const wrong =
      typeof expected === 'function'
        ? expected(own)
          ? null
          : `${inside}${name}`
        : firstWrong(own, expected, `${inside}${name}.`);
    if (wrong !== null) return wrong;
  }
  return null;
}
