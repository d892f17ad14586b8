import { expect, test } from 'vitest';
import { aGroup, aTopic } from './conformance/records.ts';
import { checkDeclaration } from './declaration.ts';
import type { ConsumerDeclaration } from './port.ts';

const declared = (changes: Partial<ConsumerDeclaration>): ConsumerDeclaration => ({
  topic: aTopic(),
  group: aGroup(),
  mode: 'batch',
  commit: 'manual',
  retry: { times: 3, backoffMs: 100 },
  deadLetter: 'dead',
  ...changes,
});

test.each<[string, Partial<ConsumerDeclaration>]>([
  ['handlerTimeoutMs', { handlerTimeoutMs: 2 ** 31 }],
  ['handlerTimeoutMs', { handlerTimeoutMs: Number.POSITIVE_INFINITY }],
  ['handlerTimeoutMs', { handlerTimeoutMs: 0 }],
  ['handlerTimeoutMs', { handlerTimeoutMs: 1.5 }],
  ['batchSizeMax', { batchSizeMax: 0 }],
  ['batchSizeMax', { batchSizeMax: 10_001 }],
  ['batchSizeMax', { batchSizeMax: Number.NaN }],
  ['retry.times', { retry: { times: -1, backoffMs: 100 } }],
  ['retry.times', { retry: { times: Number.POSITIVE_INFINITY, backoffMs: 100 } }],
  ['retry.backoffMs', { retry: { times: 1, backoffMs: -1 } }],
  ['retry.backoffMs', { retry: { times: 1, backoffMs: Number.NaN } }],
  ['retryAfterMin', { retryAfterMin: [1, Number.NaN] }],
  ['retryAfterMin', { retryAfterMin: [0.5] }],
  ['retryAfterMin', { retryAfterMin: Array.from({ length: 21 }, () => 1) }],
  ['onPoison', { onPoison: 'park-key', deadLetter: null }],
  ['onPoison', { onPoison: 'park-key', commit: 'auto' }],
])('a consumer with a wrong %s is not started', (what, changes) => {
  expect(() => checkDeclaration(declared(changes))).toThrow(what);
});

test('a consumer within the limits is started', () => {
  for (const changes of [
    {},
    { handlerTimeoutMs: 1, batchSizeMax: 1, retry: { times: 0, backoffMs: 0 }, retryAfterMin: [] },
    { handlerTimeoutMs: 3_600_000, batchSizeMax: 10_000, retryAfterMin: [0, 43_200] },
  ])
    expect(() => checkDeclaration(declared(changes))).not.toThrow();
});
